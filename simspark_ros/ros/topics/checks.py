"""The refusal of robots whose topics are not possible or too many, before they are added."""

from __future__ import annotations

from itertools import islice

from rclpy.node import Node
from rclpy.validate_namespace import validate_namespace

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import is_shipped
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.topics.names import check_names, topics_of
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError
from simspark_ros.simulation.loading.robot_resources import SpawnError, SpawnRefusal
from simspark_ros.worlds.world import World


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
