"""Effectors are commanded by the topics that they declare, with the same checks as classic agents' commands."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Twist, TwistStamped, Vector3, Vector3Stamped
from std_msgs.msg import Empty, Float64, Float64MultiArray

from simspark_ros.effectors import EFFECTORS, CommandRejectedError, CommandTopic, Degrees, effector
from simspark_ros.exchange import Action
from simspark_ros.msg import Beam, Kick, PanTilt, Say
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.limits import MAX_COMMANDS
from simspark_ros.ros.topics.commands.effectors import EffectorTopics, JointWriter, MessageReader
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import VelocityCommand, World


class Commanded:
    """The topics of one robot without a middleware: `send` is what a subscription receives."""

    def __init__(self, robot: Robot, stamped: bool = False) -> None:
        self.callbacks: dict[str, Callable[[Any], None]] = {}
        self.types: dict[str, type[Any]] = {}
        self.rejected: list[tuple[str, str, str]] = []
        self.warnings: list[str] = []
        self.robot = robot
        entry = RobotEntry(robot.handle, "r", "r", robot.description, "robot")
        self.topics = EffectorTopics(self, entry, self._reject, stamped)

    def create_subscription(self, kind: type[Any], topic: str, callback: Any, *_: Any, **__: Any) -> None:
        self.callbacks[topic], self.types[topic] = callback, kind

    def get_logger(self) -> Any:
        return SimpleNamespace(warning=self.warnings.append)

    def send(self, world: World, topic: str, *messages: Any) -> list[tuple[str, str, str]]:
        """Receive messages and carry them out; returns what was refused as (reason, text, topic)."""
        self.rejected.clear()
        for message in messages:
            self.callbacks[topic](message)
        self.topics.apply(world, self.robot, lambda kind, arguments: None)
        return self.rejected

    def _reject(self, robot: str, reason: str, text: str, topic: str = "") -> None:
        self.rejected.append((reason, text, topic))


def test_every_effector_but_those_of_services_has_a_topic_also_with_stamped_twists(play: Any) -> None:
    without = {kind for kind, effector in EFFECTORS.items() if effector.topic is None}
    assert without == {"create", "join", "init", "hinge", "universal", "motor"}
    world = play(engine="planar").world
    description = load_robot("differential_sensors")
    robot = world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0, name="r")
    stamped, plain = Commanded(robot, stamped=True), Commanded(robot)
    assert not stamped.warnings and list(stamped.types) == list(plain.types)
    assert [name for name in plain.types if stamped.types[name] is not plain.types[name]] == ["r/cmd_vel"]


def test_a_sphere_robot_is_driven_turned_and_kicks_by_topics(play: Any) -> None:
    played = play(profile="sphere2006")
    played.act(Action("a", "create", ("sphere",)), Action("a", "init", ("A", 1)))
    world, robot = played.world, played.world.robot_of("a")
    commanded = Commanded(robot)
    kinds = {"beam": Beam, "say": Say, "pantilt": PanTilt, "drive": Vector3, "kick": Kick, "catch": Empty}
    assert commanded.types == {f"r/{name}": kind for name, kind in kinds.items()}
    world.game.set_play_mode(PlayMode.PLAY_ON)
    assert not commanded.send(world, "r/pantilt", PanTilt(pan=0.5, tilt=0.2))
    assert robot.pan_tilt == (0.5, 0.2)
    assert not commanded.send(world, "r/drive", Vector3(x=3.0, y=4.0))
    assert world.pushes[robot.handle, "drive"].vector == pytest.approx((0.6, 0.8, 0.0))
    ((reason, text, topic),) = commanded.send(world, "r/kick", Kick(angle=0.1, power=1.0))
    assert (reason, topic) == ("refused", "kick") and "the ball is" in text
    ((_, text, _),) = commanded.send(world, "r/catch", Empty())
    assert "the ball is" in text
    ((_, text, _),) = commanded.send(world, "r/drive", Vector3(x=math.nan))
    assert text == "drive: x must be a finite number, not nan"
    refused = commanded.send(world, "r/say", *(Say(text="hello") for _ in range(MAX_COMMANDS + 1)))
    assert [reason for reason, *_ in refused] == ["too many"]


@pytest.mark.parametrize(("stamped", "kind"), [(False, Twist), (True, TwistStamped)])
def test_a_nao_is_driven_by_twists_and_made_stiff_by_a_number(played: Any, stamped: bool, kind: type[Any]) -> None:
    world = played.world
    robot = world.add_robot(load_robot("nao"), (0.0, 0.0, 0.4), 0.0)
    commanded = Commanded(robot, stamped)
    assert commanded.types["r/cmd_vel"] is kind and commanded.types["r/say"] is Say
    twist = Twist(linear=Vector3(x=0.1, y=0.2, z=9.0), angular=Vector3(x=9.0, z=0.3))
    assert not commanded.send(world, "r/cmd_vel", TwistStamped(twist=twist) if stamped else twist)
    assert world.velocity_commands == {robot.handle: VelocityCommand(0.1, 0.2, 0.3)}
    assert not commanded.send(world, "r/stiffness", Float64(data=0.4))
    assert set(world.motors.stiffness) == {0.4}


def a_reader(kind: str, **fields: str) -> MessageReader:
    @effector("grip")
    def grip(world: World, robot: Robot, width: float, lean: Degrees) -> None: ...

    return MessageReader(grip, CommandTopic(kind, fields=fields))


def test_values_are_read_in_si_units_and_joints_commanded_in_a_row_are_in_one_message() -> None:
    message = Float64MultiArray(data=[0.1, 1.5])
    reader = a_reader("std_msgs/msg/Float64MultiArray", width="data[1]", lean="data[0]")
    assert reader.read(message) == (1.5, 0.1)
    with pytest.raises(CommandRejectedError, match="needs 2 values"):
        reader.read(Float64MultiArray(data=[0.1]))
    odometry = a_reader("nav_msgs/msg/Odometry", width="pose.pose.position.x", lean="pose.covariance[1]")
    message = odometry.type()
    message.pose.pose.position.x, message.pose.covariance[1] = 2.0, 3.0
    values = odometry.read(message)
    assert values == (2.0, 3.0) and not isinstance(values[1], np.generic)
    writer = JointWriter(EFFECTORS["hinge"], ["a", "b"])
    writer.write((0, 1.0))
    message = writer.write((1, -2.0))
    assert (list(message.name), list(message.velocity)) == (["a", "b"], [1.0, -2.0])
    writer.end_row()
    assert list(writer.write((1, 0.5)).name) == ["b"]
    for joint in (-1, 2):
        with pytest.raises(CommandRejectedError, match="they are 0 to 1"):
            writer.write((joint, 0.0))


def test_arguments_with_the_names_of_fields_are_found_below_a_header() -> None:
    @effector(
        "aim", topic=CommandTopic("geometry_msgs/msg/Vector3", stamped=("geometry_msgs/msg/Vector3Stamped", "vector"))
    )
    def aim(world: World, robot: Robot, x: float, y: float, z: float = 0.0) -> None: ...

    assert aim.topic is not None
    reader = MessageReader(aim, aim.topic.with_header())
    assert reader.read(Vector3Stamped(vector=Vector3(x=1.0, y=2.0, z=3.0))) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("kind", "fields", "text"),
    [
        ("hardware_msgs/msg/Grip", {}, "the package 'hardware_msgs' is not installed"),
        ("std_msgs/msg/Grip", {}, "there is no message 'std_msgs/msg/Grip'"),
        ("geometry_msgs/msg/Vector3", {"width": "x"}, "Vector3 has no field 'lean'; use one of: x, y, z"),
        ("geometry_msgs/msg/Pose", {"width": "position.w", "lean": "position.x"}, "has no field 'w'"),
        ("geometry_msgs/msg/Vector3", {"height": "x"}, "there is no argument 'height'; use one of: width, lean"),
    ],
)
def test_a_topic_that_cannot_be_read_is_named(kind: str, fields: dict[str, str], text: str) -> None:
    with pytest.raises(TopicError, match=text.replace("[", r"\[")):
        a_reader(kind, **fields)
