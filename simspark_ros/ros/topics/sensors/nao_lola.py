"""The topics of nao_lola that no declaration is enough for: the robot's identity, and all commands.

Its sensors are declared by the perceptor `lola`. Topics whose messages are not installed do not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple

from rclpy.node import Node

from simspark_ros.effectors.lola import DeviceCommand, checked, drive_device
from simspark_ros.protocol.lola.identity import identity_of
from simspark_ros.protocol.lola.sensors import BODY_VERSION, HEAD_VERSION
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.limits import MAX_LOLA_COMMANDS
from simspark_ros.ros.topics.commands.effectors import CommandTopics, Reject
from simspark_ros.ros.topics.publisher import MissingMessagesError, RobotEntry, TopicPublisher, message_type
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

_PACKAGE = "nao_lola_command_msgs"


class RobotConfigPublisher(TopicPublisher):
    """`sensors/robot_config` (nao_lola_sensor_msgs/RobotConfig): the robot's own, or one made from its name."""

    def __init__(self, robot: RobotEntry, cycle: Cycle) -> None:
        kind = message_type("nao_lola_sensor_msgs/msg/RobotConfig")
        body, head = cycle.identities.get(robot.name) or identity_of(robot.name)
        message = kind(body_id=body, body_version=BODY_VERSION, head_id=head, head_version=HEAD_VERSION)
        super().__init__(robot.topic("sensors/robot_config"), message, cycle)

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        return [cls(robot, cycle)]

    def fill(self) -> bool:
        return True


class _Door(NamedTuple):
    """A topic of commands: the message's name, the device, and values and places (None = all) from a message."""

    message: str
    device: str
    read: Callable[[Any], tuple[Sequence[float], Sequence[int] | None]]

    def command(self, message: Any) -> DeviceCommand:
        """The command of a message."""
        return checked(self.device, *self.read(message))


def _color(message: Any) -> tuple[Sequence[float], None]:
    return (message.color.r, message.color.g, message.color.b), None


def _intensities(message: Any, step: int) -> tuple[Sequence[float], None]:
    return message.intensities.tolist()[::step], None


def _colors(message: Any, step: int) -> tuple[Sequence[float], None]:
    colors = message.colors[::step]
    return [*(color.r for color in colors), *(color.g for color in colors), *(color.b for color in colors)], None


# The messages count right ear, right eye and head the other way round than LoLA.
_DOORS = {
    "joint_positions": _Door("JointPositions", "Position", lambda m: (m.positions.tolist(), m.indexes.tolist())),
    "joint_stiffnesses": _Door("JointStiffnesses", "Stiffness", lambda m: (m.stiffnesses.tolist(), m.indexes.tolist())),
    "chest_led": _Door("ChestLed", "Chest", _color),
    "left_foot_led": _Door("LeftFootLed", "LFoot", _color),
    "right_foot_led": _Door("RightFootLed", "RFoot", _color),
    "left_ear_leds": _Door("LeftEarLeds", "LEar", partial(_intensities, step=1)),
    "right_ear_leds": _Door("RightEarLeds", "REar", partial(_intensities, step=-1)),
    "left_eye_leds": _Door("LeftEyeLeds", "LEye", partial(_colors, step=1)),
    "right_eye_leds": _Door("RightEyeLeds", "REye", partial(_colors, step=-1)),
    "head_leds": _Door("HeadLeds", "Skull", partial(_intensities, step=-1)),
    "sonar_usage": _Door("SonarUsage", "Sonar", lambda m: ((m.left, m.right), None)),
}


def command_topics(robot: RobotEntry) -> list[str]:
    """Names, below the robot's namespace, of the topics by which its driver is commanded."""
    return [f"effectors/{name}" for name in _DOORS] if robot.perceptors("lola") else []


class DriverTopics(CommandTopics[DeviceCommand]):
    """The topics `effectors/...` of a robot with LoLA's sensors; other robots have none.

    `lacks` is called for a package that is not installed. Queues are longer than the real driver's of one message, so
    that nodes that command different joints at once do not displace each other's.
    """

    def __init__(self, node: Node, robot: RobotEntry, reject: Reject, lacks: Callable[[str], object]) -> None:
        super().__init__(node, robot, reject, MAX_LOLA_COMMANDS)
        with ExitStack() as made:
            made.callback(self.destroy)
            for topic, door in zip(command_topics(robot), _DOORS.values(), strict=False):
                try:
                    self.subscribe(message_type(f"{_PACKAGE}/msg/{door.message}"), topic, door.command)
                except MissingMessagesError as error:
                    lacks(error.package)
            made.pop_all()

    def apply(
        self, world: World, robot: Robot, note: Callable[[str, tuple[int, ...], tuple[float, ...]], None]
    ) -> None:
        """Carry out the commands received since the last cycle; `note` takes each."""
        for _, command in self._taken():
            note(*command)
            drive_device(world, robot, command)
