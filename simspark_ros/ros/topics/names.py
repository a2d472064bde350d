"""The names of all topics of a robot, known before it is added.

Robots are refused if ROS or DDS would not take their topics, or if there are too many topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice

from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name
from rclpy.validate_namespace import validate_namespace

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.robots.catalogue import is_shipped
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.camera.names import base_of, camera_topics
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.commands.effectors import commanded_by_topics
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError
from simspark_ros.ros.topics.registry import publishers_of
from simspark_ros.ros.topics.sensors.nao_lola import command_topics
from simspark_ros.simulation.loading.robot_resources import SpawnError, SpawnRefusal
from simspark_ros.worlds.world import World

DESCRIPTION = "robot_description"
TRAJECTORY = "joint_trajectory_controller/joint_trajectory"
"""Name of the topic on which clients of ros2_control's controller publish trajectories."""

COMMANDS = ("joint_command", "joint_commands")
"""Both names of the same topic: the default of ros2_control's JointStateTopicSystem has ended in either."""

GAINS = "motor_gains"
"""Name of the topic that takes the gains of motors, for robots whose motors have gains."""

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


class TopicChecks:
    """Checks the topics of robots that clients add. Robots of the package count, but are never too many.

    `node` makes the topics, `actions` the robots' actions.
    """

    def __init__(self, node: Node, actions: Node, limits: LimitSettings, world: World) -> None:
        self._node, self._actions, self._limits, self._world = node, actions, limits, world
        # Keys are identities of descriptions, which robots of a type share.
        self._counts: dict[int, tuple[RobotDescription, int]] = {}

    def check_robot(self, description: RobotDescription, namespace: str) -> None:
        """Refuse a robot that would have an impossible topic in a namespace, or too many; in any thread.

        Raises:
            TopicError: the message names the topic, or the number of topics.
        """
        # A name in use gets a number.
        entry = _entry(description, namespace if namespace.startswith("/") else f"{namespace}_1000")
        most = None if is_shipped(description) else self._limits.max_topics
        # Topics beyond the limit are not even named: thousands take a second. The action is one more.
        names = list(islice(topics_of(entry), most))
        if len(names) == most:
            raise TopicError(f"the robot would have more than {most} topics; max_topics allows no more")
        check_names(self._node, self._actions, entry, names)

    def check(self, description: RobotDescription, namespace: str) -> None:
        """Both checks, in the simulation's thread."""
        self.check_robot(description, namespace)
        self.check_world(description)

    def check_world(self, description: RobotDescription) -> None:
        """Refuse a robot that the world has no room for; in the simulation's thread.

        Raises:
            SpawnError: the robots would have too many topics in all.
        """
        if is_shipped(description):
            return
        robots = [description, *(robot.description for robot in self._world.robots.values())]
        self._counts = {id(one): self._counts.get(id(one)) or (one, topic_count(one)) for one in robots}
        total, most = sum(self._counts[id(one)][1] for one in robots), self._limits.world_topics
        if total > most:
            raise SpawnError(
                SpawnRefusal.OPERATION_FAILED,
                f"the world is full: its robots would have {total} topics; world_topics allows {most}",
            )


def checked_namespace(namespace: str) -> str:
    """A namespace of topics without a slash at its end; TopicError for one that is no ROS name."""
    try:
        validate_namespace(namespace if namespace.startswith("/") else f"/{namespace}")
    # rclpy has two exceptions for that, which differ between distributions.
    except Exception as error:
        raise TopicError(f"namespace '{namespace[:80]}' is no ROS name: {error}".splitlines()[0]) from None
    return namespace.rstrip("/") or "/"


def topic_count(description: RobotDescription) -> int:
    """Topics that a robot would have, its action as one."""
    return sum(1 for _ in topics_of(_entry(description, "/robot"))) + 1


def _entry(description: RobotDescription, namespace: str) -> RobotEntry:
    # Transforms count, as the parameter `tf` may switch them on at any time.
    return RobotEntry(-1, namespace, namespace, description, "namespaced")
