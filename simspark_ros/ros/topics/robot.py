"""The topics of one robot, and publishers that know whether anybody listens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.robots.kinematics import base_frame
from simspark_ros.ros.conversions import set_stamp, tree_joints
from simspark_ros.ros.cycle_view import CycleView, RobotPlace
from simspark_ros.ros.events import PublisherEventCallbacks, SubscriptionEventCallbacks
from simspark_ros.ros.topics.joint_command import CommandInbox, JointCommandError, check_command
from simspark_ros.ros.topics.player import PlayerTopics, Reject
from simspark_ros.ros.topics.publishers import (
    Feed,
    Foot,
    FootContactsFeed,
    GroundTruthFeed,
    ImuFeed,
    JointStateFeed,
    TransformFeed,
    WrenchFeed,
    static_transforms,
)
from simspark_ros.ros.topics.vision import VISION_KINDS, SeenObjectsFeed

RELIABLE = QoSProfile(depth=10)
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Outlet:
    """A feed with its publisher.

    Attributes:
        active: whether it has subscribers, as of the last `refresh`.
        published: messages sent.
    """

    def __init__(self, node: Node, topic: str, feed: Feed) -> None:
        """Create the publisher."""
        # The default callbacks for QoS events would make every publisher one more thing the executor waits for.
        self.publisher = node.create_publisher(
            type(feed.message),
            topic,
            LATEST if feed.best_effort else RELIABLE,
            event_callbacks=PublisherEventCallbacks(use_default_callbacks=False),
        )
        self.feed = feed
        self.active = False
        self.published = 0

    def refresh(self) -> None:
        """Ask whether there are subscribers (about 2 us, so not in every cycle)."""
        self.active = self.publisher.get_subscription_count() > 0

    def publish(self, view: CycleView) -> None:
        """Fill and send the message, if there is something to tell."""
        if not self.feed.has_news(view):
            return
        self.feed.fill(view)
        self.publisher.publish(self.feed.message)
        self.published += 1


@dataclass(frozen=True)
class RobotEntry:
    """A robot that has topics.

    Attributes:
        handle: in the world.
        name: of the entity.
        namespace: of its topics.
        description: what it is.
        tf: mode of its transforms, see the parameter.
    """

    handle: int
    name: str
    namespace: str
    description: RobotDescription = field(compare=False)
    tf: str


class RobotTopics:
    """All topics of one robot. Made, refreshed and destroyed by the executor's thread, filled by the simulation's.

    Attributes:
        active: those that have subscribers.
    """

    def __init__(
        self, node: Node, entry: RobotEntry, view: CycleView, reject: Reject, transforms: type[Any] | None, time: float
    ) -> None:
        """Create publishers and the subscription.

        Args:
            node: that has them.
            entry: the robot.
            view: of the cycle.
            reject: called for refused commands.
            transforms: the message type tf2_msgs/TFMessage, None where it is not installed.
            time: simulated time now, s.
        """
        self.entry = entry
        self.inbox = CommandInbox(len(entry.description.model.joints))
        self._node, self._reject = node, reject
        self._index_of = {joint.name: i for i, joint in enumerate(entry.description.model.joints)}
        tf = transforms if entry.tf != "none" else None
        feeds = _feeds(entry, view, tf)
        self.outlets = [Outlet(node, _topic(entry, feed.topic), feed) for feed in feeds]
        self._latched = [self._latch(String, "robot_description", String(data=entry.description.urdf))]
        if tf is not None:
            # The view is not kept up to date while nobody subscribes.
            now = Time()
            set_stamp(now, time)
            static = static_transforms(now, _prefix(entry), tree_joints(entry.description.urdf))
            topic = "/tf_static" if entry.tf == "global" else "tf_static"
            self._latched.append(self._latch(tf, topic, tf(transforms=static)))
        self._subscription = node.create_subscription(
            JointState,
            _topic(entry, "joint_command"),
            self._on_command,
            RELIABLE,
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
        )
        base = _prefix(entry) + base_frame(entry.description.model)[0]
        self.player = PlayerTopics(node, lambda topic: _topic(entry, topic), entry.name, base, reject)
        self.active: tuple[Outlet, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        """Find out which topics have subscribers."""
        for outlet in self.outlets:
            outlet.refresh()
        self.player.refresh()
        self.active = tuple(outlet for outlet in self.outlets if outlet.active)

    def bind(self, place: RobotPlace) -> None:
        """The robot's place in the arrays has changed."""
        self.first_joint = place.joints.start
        for outlet in self.outlets:
            outlet.feed.bind(place)

    def publish(self, view: CycleView) -> None:
        """Publish what has subscribers."""
        for outlet in self.active:
            outlet.publish(view)

    def destroy(self) -> None:
        """Take the topics away. The simulation must not use them any more."""
        self._node.destroy_subscription(self._subscription)
        self.player.destroy()
        for publisher in (*self._latched, *(outlet.publisher for outlet in self.outlets)):
            self._node.destroy_publisher(publisher)

    def _latch(self, kind: type[Any], topic: str, message: Any) -> Any:
        publisher = self._node.create_publisher(
            kind,
            _topic(self.entry, topic),
            LATCHED,
            event_callbacks=PublisherEventCallbacks(use_default_callbacks=False),
        )
        publisher.publish(message)
        return publisher

    def _on_command(self, message: Any) -> None:
        try:
            targets = check_command(self._index_of, message.name, message.position, message.velocity, message.effort)
        except JointCommandError as error:
            self._reject(self.entry.name, error.reason, str(error))
            return
        if targets is not None:
            self.inbox.put(targets)


def _topic(entry: RobotEntry, topic: str) -> str:
    return topic if topic.startswith("/") else f"{entry.namespace.rstrip('/')}/{topic}"


def _prefix(entry: RobotEntry) -> str:
    name = entry.namespace.strip("/")
    return f"{name}/" if name and entry.tf == "global" else ""


def _feeds(entry: RobotEntry, view: CycleView, tf: type[Any] | None) -> list[Feed]:
    description, prefix = entry.description, _prefix(entry)
    base = prefix + base_frame(description.model)[0]
    feeds: list[Feed] = [JointStateFeed(view, description), GroundTruthFeed(view, base)]
    gyroscope, accelerometer = _first(description, "gyroscope"), _first(description, "accelerometer")
    if gyroscope is not None and accelerometer is not None:
        frame = prefix + description.model.base.name
        feeds += [ImuFeed(view, frame, gyroscope, accelerometer, oriented) for oriented in (False, True)]
    feet = [Foot(description, spec) for spec in description.perceptors if spec.kind == "force_resistance"]
    if feet:
        feeds.append(FootContactsFeed(view, base, feet))
        feeds += [WrenchFeed(view, prefix + foot.link, foot) for foot in feet]
    eyes = next(filter(None, (_first(description, kind) for kind in VISION_KINDS)), None)
    if eyes is not None:
        feeds.append(SeenObjectsFeed(view, prefix + eyes.link))
    if tf is not None:
        names = [joint.name for joint in description.model.joints]
        tree = tree_joints(description.urdf)
        feeds.append(TransformFeed(view, tf(), prefix, base_frame(description.model)[0], tree, names))
    return feeds


def _first(description: RobotDescription, kind: str) -> PerceptorSpec | None:
    return next((spec for spec in description.perceptors if spec.kind == kind), None)
