"""The topics of one robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from simspark_ros.configuration.errors import cut
from simspark_ros.perceptors.base import MountKey
from simspark_ros.ros.conversions import seconds_of, set_stamp
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.endpoints import create_publisher, create_subscription
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topics.commands.effectors import EffectorTopics, Reject, commanded_by_topics
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION, TrajectoryAction
from simspark_ros.ros.topics.commands.joint_command import CommandInbox, JointCommandError, check_command
from simspark_ros.ros.topics.commands.joint_trajectory import Motion, TrajectoryInbox, check_start, check_trajectory
from simspark_ros.ros.topics.nao_lola import DriverTopics
from simspark_ros.ros.topics.publisher import LATCHED, RELIABLE, RobotEntry, TopicError, TopicPublisher
from simspark_ros.ros.topics.registry import publishers_of
from simspark_ros.ros.topics.ros2_control import with_ros2_control
from simspark_ros.ros.topics.transforms import static_transforms, transform_message

_DESCRIPTION = "robot_description"
_TRAJECTORY = "joint_trajectory_controller/joint_trajectory"
"""Where clients of ros2_control's controller look for it."""

_COMMANDS = ("joint_command", "joint_commands")
"""Two names for one thing: ros2_control's JointStateTopicSystem has had both as the last word of its default."""


def check_topics(node: Node, entry: RobotEntry) -> None:
    """Raise TopicError if a topic of a robot has a name that ROS or DDS does not take."""
    publishers = publishers_of(entry, Cycle(), lambda text: None)
    effectors = (topic.name or effector.kind for effector, topic in commanded_by_topics(entry.description))
    own = (entry.topic(name) for name in (_DESCRIPTION, _TRAJECTORY, ACTION, *_COMMANDS, "tf_static", *effectors))
    for name in (*own, *(publisher.topic for publisher in publishers)):
        try:
            validate_full_topic_name(node.resolve_topic_name(name))
        # rclpy has several exceptions for that.
        except Exception as error:
            problem = str(error).splitlines()[0]
            raise TopicError(f"the topic '{cut(name, 80)}' is not possible: {cut(problem, 120)}") from None


class RobotTopics:
    """All topics of one robot. Made, refreshed and destroyed by the executor's thread, filled by the simulation's.

    `time` returns the simulated time, s; `reject` is called for refused commands, `warn` with a text for topics that
    cannot be made. With the option `ros2_control` the description has a tag of that name, and trajectories are left to
    a controller. `actions` is the node of its action, None = `node`.

    Attributes:
        inbox: joint commands that wait for the next cycle.
        trajectory: that is followed.
        publishers: of the cycle's data.
        active: those that have subscribers.
        demanded: perceptors of those.
        first_joint: index of its first joint in the world's flat joint arrays, -1 before the robot's first cycle.
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
        self._node, self._reject, self._time = node, reject, time
        self._most_points = options.max_trajectory_points
        self._index_of = {joint.name: i for i, joint in enumerate(entry.description.model.joints)}
        made = publishers_of(entry, cycle, warn)
        self.publishers = [publisher for publisher in made if self._opened(publisher)]
        self._latched = [self._latch(_DESCRIPTION, String(data=self._description(options.ros2_control)))]
        tf = transform_message()
        if entry.tf != "none" and tf is not None:
            self._latched.append(self._latch_transforms(tf(), time()))
        self._subscriptions = [
            create_subscription(node, JointState, entry.topic(name), self._on_command, RELIABLE) for name in _COMMANDS
        ]
        self._action: TrajectoryAction | None = None
        if not options.ros2_control:
            self._action = TrajectoryAction(actions or node, entry, self.trajectory, reject, self._motion)
            topic = entry.topic(_TRAJECTORY)
            self._subscriptions.append(create_subscription(node, JointTrajectory, topic, self._on_trajectory, RELIABLE))
        self.effectors = EffectorTopics(node, entry, reject, options.stamped_cmd_vel)
        self.driver = DriverTopics(node, entry, reject, warn)
        self.active: tuple[TopicPublisher, ...] = ()
        self.demanded: tuple[MountKey, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        """Find out which topics have subscribers."""
        for publisher in self.publishers:
            publisher.refresh()
        self.active = tuple(publisher for publisher in self.publishers if publisher.active)
        self.demanded = tuple(publisher.perceptor for publisher in self.active if publisher.perceptor)

    def bind(self, cycle: Cycle) -> None:
        """Look up the robot's places in the arrays, after a change of the set of robots."""
        self.first_joint = cycle.joints(self.entry.handle).start
        for publisher in self.publishers:
            publisher.bind()

    def publish(self) -> None:
        """Publish what has subscribers."""
        for publisher in self.active:
            publisher.publish()

    def destroy(self) -> None:
        """Take the topics away. The simulation must not use them any more."""
        self.trajectory.close("the robot or its topics are gone")
        if self._action is not None:
            self._action.destroy()
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self.effectors.destroy()
        self.driver.destroy()
        for publisher in self.publishers:
            publisher.close(self._node)
        for latched in self._latched:
            self._node.destroy_publisher(latched)

    def _opened(self, publisher: TopicPublisher) -> bool:
        """Open a publisher; one that cannot be opened is reported and left out."""
        try:
            publisher.open(self._node)
        except Exception as error:
            self._node.get_logger().warning(f"robot '{self.entry.name}': no topic '{publisher.topic}': {error}")
            return False
        return True

    def _description(self, ros2_control: bool) -> str:
        if not ros2_control:
            return self.entry.description.urdf
        # As they are after renaming: a controller_manager may run in any namespace.
        commands, states = (
            self._node.resolve_topic_name(self.entry.topic(name)) for name in (_COMMANDS[1], "joint_states")
        )
        return with_ros2_control(self.entry, commands, states)

    def _latch_transforms(self, message: Any, time: float) -> Any:
        # The cycle is not kept up to date while nothing has subscribers.
        now = Time()
        set_stamp(now, time)
        message.transforms = static_transforms(now, self.entry)
        return self._latch("/tf_static" if self.entry.tf == "global" else "tf_static", message)

    def _latch(self, topic: str, message: Any) -> Any:
        publisher = create_publisher(self._node, type(message), self.entry.topic(topic), LATCHED)
        publisher.publish(message)
        return publisher

    def _on_command(self, message: Any) -> None:
        try:
            self.inbox.put(
                check_command(self._index_of, message.name, message.position, message.velocity, message.effort)
            )
        except JointCommandError as error:
            self._reject(self.entry.name, error.reason, str(error))

    def _on_trajectory(self, message: Any) -> None:
        try:
            self.trajectory.put(self._motion(message), "another trajectory took its place")
        except JointCommandError as error:
            self._reject(self.entry.name, error.reason, str(error), _TRAJECTORY)

    def _motion(self, message: Any) -> Motion | None:
        trajectory = check_trajectory(self._index_of, message, self._most_points)
        if trajectory is None:
            return None
        start = seconds_of(message.header.stamp) or None
        if start is not None:
            check_start(trajectory, start, self._time())
        return Motion(trajectory, start)
