"""A robot for a program on a network: sensors and effectors by topics, of a simulator or of drivers of a real one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from simspark_ros.configuration.errors import UserError, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.effectors.hinge import hinge, universal
from simspark_ros.exchange import Argument
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.clocks.comparison import ClockComparison, ClockExchange, ClockName
from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.sensor_sources import TopicSource, source_of
from simspark_ros.ros.services.spawn_client import CallError, call_standard, delete
from simspark_ros.ros.services.standard import set_resource
from simspark_ros.ros.topics.commands.effectors import JointWriter, MessageWriter, commanded_by_topics
from simspark_ros.ros.topics.publisher import message_type
from simspark_ros.sensors.access import RobotRefusedError
from simspark_ros.sensors.container import SensorContainer, SensorData
from simspark_ros.simulation.loading.robot_resources import SpawnError, find_resource
from simspark_ros.simulation.registry import perceptor_types
from simspark_ros.simulation.senses.simulated_sensors import sensor_data
from simspark_ros.worlds.errors import CommandRejectedError

IDLE = 1.0
"""Time without a request after which the subscription to a sensor ends, s."""

_Commands = dict[str, tuple[MessageWriter | JointWriter, Any]]
"""Writers of messages and publishers, by kind of effector."""


class RemoteRobot:
    """A `RobotAccess` by ROS topics. Only sensors that its program asks for are subscribed to, and so measured.

    Args:
        node: the program's node, which no executor serves.
        configuration: the text of the robot's file.
        name: the robot's name, the namespace of its topics.
        spawned: whether a simulator is to build the robot, asked by `spawn_entity`; a real robot is there already.
        timeout: time that the simulator has to build the robot, s.
        limits: limits on the file; None = the default ones.

    Attributes:
        name: the robot's name, as the simulator gave it.
        sensors: the container of its sensors.

    Raises:
        RobotRefusedError: the robot cannot be built; the message has the reason.
    """

    def __init__(
        self,
        node: Node,
        configuration: str,
        name: str = "robot",
        spawned: bool = True,
        timeout: float = 60.0,
        limits: LimitSettings | None = None,
    ) -> None:
        self._node, self._spawned, self.name = node, spawned, name
        self._executor = SingleThreadedExecutor(context=node.context)
        try:
            description = find_resource("", configuration).load(limits or LimitSettings())
            if spawned:
                fill = partial(_ask_for, name, configuration)
                self.name = call_standard(node, "", "spawn_entity", fill, lambda: False, timeout).entity_name
        except (SpawnError, CallError) as error:
            raise RobotRefusedError(str(error)) from None
        types = perceptor_types()
        specs = {(spec.kind, spec.name): spec for spec in description.perceptors}
        data = sensor_data(description, lambda spec: types[spec.kind].features_of(spec))
        base = description.model.base.name
        self._sources = {
            one: source_of(specs[one.type, one.name], types[one.type], one.feature.name, base) for one in data
        }
        self.sensors = SensorContainer(data, self._fill)
        self._listening: dict[str, _Listener] = {}
        self._commands = _command_publishers(node, self.name, description)

    def command(self, kind: str, *arguments: Argument) -> None:
        """See `RobotAccess.command`; the simulator's log says if it is refused there."""
        if kind not in self._commands:
            raise UserError(f"there is no topic for effector {shown(kind)}; use one of: {', '.join(self._commands)}")
        writer, publisher = self._commands[kind]
        self._end_rows(kind)
        try:
            publisher.publish(writer.write(arguments))
        except CommandRejectedError as error:
            raise UserError(str(error)) from None

    def compare_clocks(
        self, clock: ClockName = "simulated", samples: int = 8, patience: float = 5.0
    ) -> ClockComparison:
        """Compare the simulator's clock, of simulated time or of its machine, with `time.time` here.

        `here` of the result turns stamps of sensors into times of this clock. A comparison with simulated time holds
        while the simulation keeps its speed: real time, as a rule.

        Raises:
            UserError: not one answer came within `patience`, s.
        """
        exchange = ClockExchange(self._node, self._spin)
        try:
            return exchange.compare(clock, samples, patience)
        finally:
            exchange.close()

    def close(self) -> None:
        """End the subscriptions, and delete the robot if it was spawned."""
        for key in list(self._listening):
            self._node.destroy_subscription(self._listening.pop(key).subscription)
        for publisher in {publisher for _, publisher in self._commands.values()}:
            self._node.destroy_publisher(publisher)
        if self._spawned:
            delete(self._node, "", self.name)

    def _spin(self, seconds: float) -> None:
        """Serve the node for at most a time, s."""
        self._executor.add_node(self._node)
        self._executor.spin_once(timeout_sec=max(seconds, 0.0))

    def _end_rows(self, kind: str = "") -> None:
        """Stop commanding the joints commanded before; commands of a kind may go on."""
        for other, (writer, _) in self._commands.items():
            if isinstance(writer, JointWriter) and other != kind:
                writer.end_row()

    def _fill(self, wanted: Sequence[SensorData], patience: float) -> None:
        self._end_rows()
        now = time.monotonic()
        for data in wanted:
            self._listen(data).asked = now
        for key in [key for key, one in self._listening.items() if now - one.asked > IDLE]:
            self._node.destroy_subscription(self._listening.pop(key).subscription)
        before = [data.stamp for data in wanted]
        while True:
            left = now + patience - time.monotonic()
            self._spin(left)
            for data in wanted:
                self._listen(data).hand_over(data)
            if left <= 0.0 or all(data.stamp != stamp for data, stamp in zip(wanted, before, strict=True)):
                return

    def _listen(self, data: SensorData) -> _Listener:
        source = self._sources[data]
        if source is None:
            raise UserError(f"sensor {data.type} '{data.name}' has no topic with its {data.feature.name}")
        if source.topic not in self._listening:
            self._listening[source.topic] = _Listener(self._node, f"{self.name}/{source.topic}", source)
        return self._listening[source.topic]


class _Listener:
    """A subscription to the topic of a sensor.

    Attributes:
        asked: time at which the program last asked for the sensor, s.
    """

    def __init__(self, node: Node, topic: str, source: TopicSource) -> None:
        self._read, self._newest, self.asked = source.read, None, 0.0
        self.subscription = node.create_subscription(message_type(source.kind), topic, self._take, 10)

    def hand_over(self, data: SensorData) -> None:
        """Fill data from the newest message, if there is any."""
        message: Any = self._newest
        if message is not None and data.stamp != (stamp := seconds_of(message.header.stamp)):
            data.set_data(self._read(message)[data.feature.name], stamp)

    def _take(self, message: Any) -> None:
        self._newest = message


def _ask_for(name: str, configuration: str, request: Any) -> None:
    request.name, request.allow_renaming = name, True
    set_resource(request, "", configuration)


def _command_publishers(node: Node, robot: str, description: RobotDescription) -> _Commands:
    made: _Commands = {}
    for effector, topic in commanded_by_topics(description):
        writer = MessageWriter(effector, topic)
        made[effector.kind] = writer, node.create_publisher(writer.type, f"{robot}/{topic.name or effector.kind}", 10)
    of_joints = [one for one in (hinge, universal) if description.has_effector(one.kind)]
    if of_joints:
        publisher = node.create_publisher(JointWriter.type, f"{robot}/joint_command", 10)
        joints = [joint.name for joint in description.model.joints]
        made |= {one.kind: (JointWriter(one, joints), publisher) for one in of_joints}
    return made
