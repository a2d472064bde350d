"""An actuator: throws its robot upward."""

from dataclasses import dataclass

from simspark_ros.plugins import CommandRejectedError, CommandTopic, Robot, World, effector


@dataclass(frozen=True)
class HopParameters:
    """In the robot's file. max_speed: m/s."""

    max_speed: float = 5.0


# Classic agents write (hop 3.0), ROS publishes a Float64 on <robot>/hop.
@effector("hop", topic=CommandTopic("std_msgs/msg/Float64", fields={"speed": "data"}))
def hop(world: World, robot: Robot, parameters: HopParameters, speed: float) -> None:
    """Give the robot an upward speed, m/s."""
    if not 0 <= speed <= parameters.max_speed:
        raise CommandRejectedError(f"hop: speed must be 0 to {parameters.max_speed} m/s, not {speed}")
    world.engine.set_velocity(robot.handle, (0.0, 0.0, speed), (0.0, 0.0, 0.0))
