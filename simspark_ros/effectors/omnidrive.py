"""Drive effector: the omnidrive of the older sphere robots (user manual, "Drive Effector")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.effectors.base import CommandTopic, effector, on_ground
from simspark_ros.effectors.signature import Percent
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


@dataclass(frozen=True)
class OmnidriveParameters(Checked):
    """Parameters in YAML.

    Attributes:
        max_force: force at full drive, N.
        noise: standard deviation of each component of the force, as a fraction of it.
        endurance: time that a full battery lasts at full drive, s.
    """

    max_force: Annotated[float, Range(0.0, 1e6, above=True)]
    noise: Annotated[float, Range(0.0, 100.0)] = 0.02
    endurance: Annotated[float, Range(0.001, 1e9)] = 600.0


class OmnidriveForce(NamedTuple):
    """The force of one robot's drive; a `Push` that goes on until another one replaces it.

    The vector is a fraction of the largest force, in the own team's frame (x toward the opponent's side, z up).
    """

    robot: Robot
    parameters: OmnidriveParameters
    vector: tuple[float, float, float]

    def apply(self, world: World, seconds: float) -> bool:
        """Push, if the robot touches the ground and has power left."""
        robot, state = self.robot, world.engine.state
        if robot.battery <= 0 or not on_ground(world, robot):
            return robot.battery > 0
        errors = 1.0 + self.parameters.noise * world.random.standard_normal(3)
        sign = robot.frame_sign
        scale = self.parameters.max_force * seconds / robot.description.model.mass
        row = state.row(robot.handle)
        push = scale * errors * (sign * self.vector[0], sign * self.vector[1], self.vector[2])
        x, y, z = (state.linear_velocity[row] + push).tolist()
        wx, wy, wz = state.angular_velocity[row].tolist()
        world.engine.set_velocity(robot.handle, (x, y, z), (wx, wy, wz))
        robot.battery = max(0.0, robot.battery - 100.0 * math.hypot(*self.vector) * seconds / self.parameters.endurance)
        return True


@effector("drive", topic=CommandTopic("geometry_msgs/msg/Vector3"), for_agents=False)
def drive(world: World, robot: Robot, parameters: OmnidriveParameters, x: Percent, y: Percent, z: Percent) -> None:
    """Set the force of a drive, which acts on the robot's centre while the robot touches the ground.

    It persists until the next command; zero ends it. (x, y, z) is a fraction of the largest force in the own team's
    frame: toward the opponent's side, left, up. A vector longer than 1 is scaled to 1. Refused with an empty battery.
    """
    length = math.hypot(x, y, z)
    world.pushes.pop((robot.handle, "drive"), None)
    if robot.battery <= 0:
        raise CommandRejectedError("drive: the battery is empty")
    if length > 0:
        scale = 1.0 / max(length, 1.0)
        world.pushes[robot.handle, "drive"] = OmnidriveForce(robot, parameters, (x * scale, y * scale, z * scale))
