"""Base of all topics that are published from the state and the percepts of a cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from simspark_ros.configuration.errors import in_a_line
from simspark_ros.perceptors.base import MountKey
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.endpoints import create_publisher


class Fuse:
    """Runs the function that publishes on a topic; the first exception is logged in a line, and the topic is off.

    Messages are made from robot files and plug-ins, whose mistakes must not end a match.

    Attributes:
        blown: whether the topic is off.
    """

    def __init__(self, node: Node, topic: str) -> None:
        self._node, self._topic = node, topic
        self.blown = False

    def run(self, work: Callable[[], object]) -> None:
        """Do the work, unless the topic is off."""
        if self.blown:
            return
        try:
            work()
        # Nothing is known about the kind of mistake.
        except Exception as error:
            self.blown = True
            reason = in_a_line(f"{type(error).__name__}: {error}")
            self._node.get_logger().error(f"topic '{self._topic}' is switched off: {reason}")


RELIABLE = QoSProfile(depth=10)
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class TopicError(Exception):
    """A topic cannot be made; the message says why and what to do."""


class MissingMessagesError(TopicError):
    """The package of a topic's messages is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"the package '{package}' is not installed")
        self.package = package


def frame_prefix(namespace: str, tf: str) -> str:
    """Start of all frame ids of a robot, by the namespace of its topics and the parameter `tf`."""
    name = namespace.strip("/")
    return f"{name}/" if name and tf == "global" else ""


@dataclass(frozen=True)
class RobotEntry:
    """A robot that has topics, with their namespace and the mode of its transforms (parameter `tf`).

    `generation` is the generation of the handle's world; `localized` = the transforms give the robot's pose in `map`.
    """

    handle: int
    name: str
    namespace: str
    description: RobotDescription = field(compare=False)
    tf: str
    generation: int = 0
    localized: bool = True

    @property
    def prefix(self) -> str:
        """Start of all its frame ids: empty, unless transforms of all robots share `/tf`."""
        return frame_prefix(self.namespace, self.tf)

    @property
    def base_frame(self) -> str:
        """Frame id of its base."""
        return self.prefix + base_frame(self.description.model)[0]

    def frame(self, link: str) -> str:
        """Frame id of a link; of the base link for an empty name."""
        return self.prefix + (link or self.description.model.base.name)

    def topic(self, name: str) -> str:
        """Full name of one of its topics; a name that begins with a slash stays as it is."""
        return name if name.startswith("/") else f"{self.namespace.rstrip('/')}/{name}"

    def perceptors(self, kind: str) -> list[PerceptorSpec]:
        """Its perceptors of a kind."""
        return [spec for spec in self.description.perceptors if spec.kind == kind]

    def perceptor(self, kind: str, name: str) -> PerceptorSpec:
        """One of its perceptors."""
        return next(spec for spec in self.perceptors(kind) if spec.name == name)


class TopicPublisher:
    """One topic: its message is filled and sent in the cycles in which it has subscribers.

    A subclass is one kind of topic. It makes its message once and writes what never changes (frames, names,
    covariances) there; `fill` writes the rest in each cycle. `open` and `close` belong to the executor's thread,
    everything else to the simulation's.

    Attributes:
        topic: name, relative to the node's namespace.
        message: the message that `fill` writes and `send` sends; its header, if any, carries the stamp of the cycle.
        active: whether the topic has subscribers, as of the last `refresh`.
        qos: reliable with depth 10, unless a subclass says otherwise.
        perceptor: the perceptor sensed on demand for this topic, or None.
        interval: cycles between two messages.
    """

    qos: QoSProfile = RELIABLE
    perceptor: MountKey | None = None
    interval: int = 1

    def __init__(self, topic: str, message: Any, cycle: Cycle, frame: str = "") -> None:
        self.topic, self.message, self.cycle = topic, message, cycle
        self.active = False
        self.published = 0
        self._publisher: Any = None
        self._fuse: Fuse | None = None
        if hasattr(message, "header"):
            message.header.stamp = cycle.stamp
            message.header.frame_id = frame

    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Cycle) -> Sequence[TopicPublisher]:
        """The topics of this kind that a robot has.

        Raises:
            TopicError: one cannot be made.
        """
        raise NotImplementedError

    def adjust(self, robot: RobotEntry) -> None:
        """Take the parameters of the robot's perceptors, which may have changed; in the simulation's thread."""

    def bind(self) -> None:
        """Look up places in the arrays of the cycle: the set of robots has changed."""

    def fill(self) -> bool:
        """Write this cycle's values into the message; False = there is nothing to send in this cycle."""
        raise NotImplementedError

    def publish(self) -> None:
        """Fill and send the message of this cycle; for more than one a cycle, override it and call `send` for each."""
        if self.fill():
            self.send()

    def run_or_switch_off(self, work: Callable[[], object]) -> None:
        """Run the topic's `publish` or `bind` in the cycle; an exception is logged and turns the topic off."""
        if self._fuse is None:
            work()
        else:
            self._fuse.run(work)

    def send(self) -> None:
        """Send the message as it is."""
        self._publisher.publish(self.message)
        self.published += 1

    def open(self, node: Node) -> None:
        """Create the publisher."""
        self._fuse = Fuse(node, self.topic)
        self._publisher = create_publisher(node, type(self.message), self.topic, self.qos)

    def refresh(self) -> None:
        """Ask whether there are subscribers (about 2 us, so not in every cycle)."""
        is_on = self._fuse is None or not self._fuse.blown
        self.active = is_on and self._publisher.get_subscription_count() > 0

    def close(self, node: Node) -> None:
        """Destroy the publisher. The simulation must not use it any more."""
        node.destroy_publisher(self._publisher)


def below(spec: PerceptorSpec, topic: str) -> str:
    """A topic of a sensor; below the sensor's name if it has one of its own, other than the topic's."""
    return topic if spec.name in (spec.kind, topic) else f"{spec.name}/{topic}"


def interval_of(specs: Iterable[PerceptorSpec]) -> int:
    """Cycles between two messages with readings of perceptors with `TopicParameters`: their least interval."""
    return min((int(spec.parameters.get("interval", 1)) for spec in specs), default=1)


def message_type(name: str) -> type[Any]:
    """The class of a message, e.g. `sensor_msgs/msg/Range`.

    Raises:
        MissingPackageError, TopicError: its package is not installed, or has no such message.
    """
    package, is_message, message = name.partition("/msg/")
    if not is_message:
        raise TopicError(f"a type of messages is PACKAGE/msg/NAME, not '{name}'")
    try:
        found: type[Any] = getattr(import_module(f"{package}.msg"), message)
    except ImportError:
        raise MissingMessagesError(package) from None
    except (AttributeError, ValueError):
        raise TopicError(f"there is no message '{name}'") from None
    return found
