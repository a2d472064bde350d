"""The names of all topics of a robot, and whether ROS and DDS take them: known before the robot is added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.ros.camera.names import base_of, camera_topics
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.commands.effectors import commanded_by_topics
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError
from simspark_ros.ros.topics.registry import publishers_of
from simspark_ros.ros.topics.sensors.nao_lola import command_topics

DESCRIPTION = "robot_description"
TRAJECTORY = "joint_trajectory_controller/joint_trajectory"
"""Name of the topic on which clients of ros2_control's controller publish trajectories."""

COMMANDS = ("joint_command", "joint_commands")
"""Two names for one thing: ros2_control's JointStateTopicSystem has had both as the last word of its default."""

GAINS = "motor_gains"
"""Name of the topic that takes the gains of motors, of robots that have such motors."""

STATIC_TRANSFORMS = "tf_static"

_IN_DDS = 251
"""Most characters of a topic's name. Fast DDS makes longer ones without an error, but does not announce them."""

_ACTION_TOPICS = ("feedback", "status")
_ACTION_SERVICES = ("send_goal", "cancel_goal", "get_result")


def topics_of(entry: RobotEntry) -> Iterator[str]:
    """Yield the full names of all topics of a robot, pictures included, except topics of its action."""
    effectors = (topic.name or effector.kind for effector, topic in commanded_by_topics(entry.description))
    own = (DESCRIPTION, TRAJECTORY, *COMMANDS, STATIC_TRANSFORMS, *effectors, *command_topics(entry))
    if has_gains(entry):
        own += (GAINS,)
    yield from map(entry.topic, own)
    for publisher in publishers_of(entry, Cycle(), lambda text: None):
        yield publisher.topic
    yield from _pictures(entry)


def has_gains(entry: RobotEntry) -> bool:
    """Whether the robot has motors that follow commands with gains."""
    return any(effector.kind == "motor" for effector in entry.description.effectors)


def check_names(node: Node, actions: Node, entry: RobotEntry, names: Iterable[str]) -> None:
    """Raise TopicError if one of these topics, or a topic or service of the robot's action, has an impossible name."""
    hidden = f"{entry.topic(ACTION)}/_action/"
    for name in names:
        _check(name, node.resolve_topic_name)
    for name in _ACTION_TOPICS:
        _check(hidden + name, actions.resolve_topic_name)
    for name in _ACTION_SERVICES:
        resolved = _check(hidden + name, actions.resolve_service_name)
        # Requests and replies are topics of their own. This is the longer name of the two.
        if (length := len(f"rq{resolved}Request")) > _IN_DDS:
            most = len(resolved) - (length - _IN_DDS)
            raise TopicError(
                f"the service '{cut(name, 80)}' is not possible: its name is longer than {most} characters"
            )


def _pictures(entry: RobotEntry) -> list[str]:
    """Names of the topics that a camera process makes."""
    # The camera process reports faulty cameras.
    with suppress(ConfigurationError):
        cameras = cameras_of(entry.description)
        return [f"{base_of(entry.namespace, one)}/{name}" for one in cameras for name in camera_topics(one.settings)]
    return []


def _check(name: str, resolve: Callable[[str], str]) -> str:
    """The full name after remapping."""
    try:
        resolved = resolve(name)
        validate_full_topic_name(resolved)
    # rclpy has several exceptions for bad names.
    except Exception as error:
        problem = str(error).splitlines()[0]
        raise TopicError(f"the topic '{cut(name, 80)}' is not possible: {cut(problem, 120)}") from None
    return resolved
