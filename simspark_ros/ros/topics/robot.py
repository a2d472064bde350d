"""The topics of one robot."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from simspark_ros.perceptors.base import MountKey
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.conversions import seconds_of, set_stamp
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.endpoints import create_publisher, create_subscription
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topics.commands.effectors import EffectorTopics, Reject
from simspark_ros.ros.topics.commands.follow_joint_trajectory import TrajectoryAction
from simspark_ros.ros.topics.commands.joint_command import CommandInbox, JointCommandError, check_command, check_gains
from simspark_ros.ros.topics.commands.joint_trajectory import (
    FollowedTrajectory,
    TrajectoryInbox,
    check_start,
    check_trajectory,
)
from simspark_ros.ros.topics.names import COMMANDS, DESCRIPTION, GAINS, STATIC_TRANSFORMS, TRAJECTORY, has_gains
from simspark_ros.ros.topics.publisher import LATCHED, RELIABLE, RobotEntry, TopicPublisher
from simspark_ros.ros.topics.registry import publishers_of
from simspark_ros.ros.topics.ros2_control import with_ros2_control
from simspark_ros.ros.topics.sensors.nao_lola import DriverTopics
from simspark_ros.ros.topics.transforms import static_transforms, transform_message


class RobotTopics:
    """All topics of one robot. Made, refreshed and destroyed by the executor's thread, filled by the simulation's.

    `time` returns the simulated time, s; `reject` is called for refused commands, `warn` with a text for topics that
    cannot be made. With the option `ros2_control` the description has a tag of that name, and trajectories are left to
    a controller. `actions` is the node of its action, None = `node`.

    Attributes:
        inbox: joint commands that wait for the next cycle.
        trajectory: inbox with the joint trajectory being followed.
        publishers: publishers of the cycle's data.
        active: the publishers that have subscribers.
        demanded: perceptors sensed on demand for the active publishers.
        lacking: packages not installed whose messages would give the robot more topics.
        first_joint: index of the robot's first joint in the world's flat joint arrays, -1 before its first cycle.
    """

    def __init__(
        self,
        node: Node,
        entry: RobotEntry,
        cycle: Cycle,
        reject: Reject,
        time: Callable[[], float],
        warn: Callable[[str], object],
        options: NodeOptions,
        actions: Node | None = None,
    ) -> None:
        self.entry = entry
        self.inbox = CommandInbox(len(entry.description.model.joints))
        self.trajectory = TrajectoryInbox()
        self.first_joint = -1
        self._node, self._reject, self._time, self._cycle = node, reject, time, cycle
        self._most_points = options.max_trajectory_points
        self._index_of = {joint.name: i for i, joint in enumerate(entry.description.model.joints)}
        self.publishers: list[TopicPublisher] = []
        self.active: tuple[TopicPublisher, ...] = ()
        self.demanded: tuple[MountKey, ...] = ()
        self.lacking: set[str] = set()
        self._perceptors: tuple[PerceptorSpec, ...] = ()
        with ExitStack() as made:
            self._made = made
            self._publish_all(publishers_of(entry, cycle, warn, self.lacking.add), options.ros2_control)
            for name in COMMANDS:
                self._subscribe(JointState, name, self._on_command)
            if has_gains(entry):
                self._subscribe(JointState, GAINS, self._on_gains)
            if not options.ros2_control:
                action = TrajectoryAction(actions or node, entry, self.trajectory, reject, self._motion)
                made.callback(action.destroy)
                self._subscribe(JointTrajectory, TRAJECTORY, self._on_trajectory)
            self.effectors = EffectorTopics(node, entry, reject, options.stamped_cmd_vel)
            made.callback(self.effectors.destroy)
            self.driver = DriverTopics(node, entry, reject, self.lacking.add)
            made.callback(self.driver.destroy)
            self.refresh()
            # Topics made before a failure do not stay.
            self._made = made.pop_all()

    def refresh(self) -> None:
        """Find out which topics have subscribers."""
        for publisher in self.publishers:
            publisher.refresh()
        self.active = tuple(publisher for publisher in self.publishers if publisher.active)
        self.demanded = tuple(publisher.perceptor for publisher in self.active if publisher.perceptor)

    def bind(self, cycle: Cycle, perceptors: tuple[PerceptorSpec, ...]) -> None:
        """Look up the robot's places in the arrays, after a change of the set of robots or of its perceptors."""
        self.first_joint = cycle.joints(self.entry.handle).start
        self._cycle = cycle
        if perceptors != self._perceptors:
            self._perceptors = perceptors
            entry = replace(self.entry, description=replace(self.entry.description, perceptors=perceptors))
            for publisher in self.publishers:
                publisher.run_or_switch_off(partial(publisher.adjust, entry))
        for publisher in self.publishers:
            publisher.run_or_switch_off(publisher.bind)

    def publish(self) -> None:
        """Publish the topics that have subscribers."""
        turn = self._cycle.percepts.cycle + self.entry.handle
        for publisher in self.active:
            if turn % publisher.interval == 0:
                publisher.run_or_switch_off(publisher.publish)

    def destroy(self) -> None:
        """Remove the topics. The simulation must not use them any more."""
        self.trajectory.close("the robot or its topics are gone")
        self._made.close()

    def _publish_all(self, publishers: Iterable[TopicPublisher], ros2_control: bool) -> None:
        for publisher in publishers:
            if self._opened(publisher):
                self.publishers.append(publisher)
                self._made.callback(publisher.close, self._node)
        self._latch(DESCRIPTION, String(data=self._description(ros2_control)))
        tf = transform_message()
        if self.entry.tf != "none" and tf is not None:
            self._latch_transforms(tf(), self._time())

    def _subscribe(self, kind: type[Any], topic: str, take: Callable[[Any], None]) -> None:
        made = create_subscription(self._node, kind, self.entry.topic(topic), take, RELIABLE)
        self._made.callback(self._node.destroy_subscription, made)

    def _opened(self, publisher: TopicPublisher) -> bool:
        """Open a publisher; one that cannot be opened is reported and left out."""
        try:
            publisher.open(self._node)
        except Exception as error:
            text = f"robot '{self.entry.name}': topic '{publisher.topic}' cannot be opened: {error}"
            self._node.get_logger().warning(text)
            return False
        return True

    def _description(self, ros2_control: bool) -> str:
        if not ros2_control:
            return self.entry.description.published
        # The names after remapping: a controller_manager may run in any namespace.
        commands, states = (
            self._node.resolve_topic_name(self.entry.topic(name)) for name in (COMMANDS[1], "joint_states")
        )
        return with_ros2_control(self.entry, commands, states)

    def _latch_transforms(self, message: Any, time: float) -> None:
        # The cycle is not kept up to date while nothing has subscribers.
        now = Time()
        set_stamp(now, time)
        message.transforms = static_transforms(now, self.entry)
        self._latch(f"/{STATIC_TRANSFORMS}" if self.entry.tf == "global" else STATIC_TRANSFORMS, message)

    def _latch(self, topic: str, message: Any) -> None:
        publisher = create_publisher(self._node, type(message), self.entry.topic(topic), LATCHED)
        self._made.callback(self._node.destroy_publisher, publisher)
        publisher.publish(message)

    def _on_command(self, message: Any) -> None:
        try:
            self.inbox.put(
                check_command(self._index_of, message.name, message.position, message.velocity, message.effort)
            )
        except JointCommandError as error:
            self._reject(self.entry.name, error.reason, str(error), COMMANDS[0])

    def _on_gains(self, message: Any) -> None:
        try:
            self.inbox.set_gains(*check_gains(self._index_of, message.name, message.position, message.velocity))
        except JointCommandError as error:
            self._reject(self.entry.name, error.reason, str(error), GAINS)

    def _on_trajectory(self, message: Any) -> None:
        try:
            self.trajectory.put(self._motion(message), "another trajectory took its place")
        except JointCommandError as error:
            self._reject(self.entry.name, error.reason, str(error), TRAJECTORY)

    def _motion(self, message: Any) -> FollowedTrajectory | None:
        trajectory = check_trajectory(self._index_of, message, self._most_points)
        if trajectory is None:
            return None
        start = seconds_of(message.header.stamp) or None
        if start is not None:
            check_start(trajectory, start, self._time())
        return FollowedTrajectory(trajectory, start)
