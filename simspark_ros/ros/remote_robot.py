"""A robot for a program on a network: sensors and effectors by topics, of a simulator or of drivers of a real one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from simspark_ros.configuration.errors import UserError, shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.exchange import Argument
from simspark_ros.perceptors.base import Topic
from simspark_ros.perceptors.sight_features import features_of_sight
from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.services.spawn_client import CallError, call_standard, delete
from simspark_ros.ros.services.standard import set_resource
from simspark_ros.ros.topics.commands.effectors import MessageWriter, commanded_by_topics
from simspark_ros.ros.topics.publisher import message_type
from simspark_ros.sensors.access import RobotRefusedError
from simspark_ros.sensors.container import SensorContainer, SensorData
from simspark_ros.simulation.registry import perceptor_types
from simspark_ros.simulation.simulated_sensors import sensor_data
from simspark_ros.simulation.spawning import SpawnError, find_resource
from simspark_ros.worlds.errors import CommandRejectedError

IDLE = 1.0
"""Seconds after which what was not asked for again has no subscription any more, s."""

_Values = Mapping[str, Array]
"""Of features, by name."""


class RemoteRobot:
    """A `RobotAccess` by ROS topics. Only what its program asks for is subscribed to, and so measured.

    Args:
        node: of the program, which no executor serves.
        configuration: text of the robot's file.
        name: of the robot, the namespace of its topics.
        spawned: whether a simulator is to build it, which `spawn_entity` asks for; a real robot is there already.
        timeout: s that the simulator has for that.
        limits: on the file; None = the default ones.

    Raises:
        RobotRefusedError: it cannot be built; the message has the reason.
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
        self._types = perceptor_types()
        self._specs = {(spec.kind, spec.name): spec for spec in description.perceptors}
        data = sensor_data(description, lambda spec: self._types[spec.kind].features_of(spec))
        self.sensors = SensorContainer(data, self._fill)
        self._listening: dict[tuple[str, str], _Listener] = {}
        self._commands = _command_publishers(node, self.name, description)

    def command(self, kind: str, *arguments: Argument) -> None:
        """See `RobotAccess.command`; the simulator's log says if it is refused there."""
        if kind not in self._commands:
            raise UserError(f"there is no topic for effector {shown(kind)}; there are: {', '.join(self._commands)}")
        writer, publisher = self._commands[kind]
        try:
            publisher.publish(writer.write(arguments))
        except CommandRejectedError as error:
            raise UserError(str(error)) from None

    def close(self) -> None:
        """End the subscriptions, and delete the robot if it was spawned."""
        for key in list(self._listening):
            self._node.destroy_subscription(self._listening.pop(key).subscription)
        for _, publisher in self._commands.values():
            self._node.destroy_publisher(publisher)
        if self._spawned:
            delete(self._node, "", self.name)

    def _fill(self, wanted: Sequence[SensorData], patience: float) -> None:
        now = time.monotonic()
        for data in wanted:
            self._listen(data.type, data.name).asked = now
        for key in [key for key, one in self._listening.items() if now - one.asked > IDLE]:
            self._node.destroy_subscription(self._listening.pop(key).subscription)
        before = [data.stamp for data in wanted]
        self._executor.add_node(self._node)
        while True:
            left = now + patience - time.monotonic()
            self._executor.spin_once(timeout_sec=max(left, 0.0))
            for data in wanted:
                self._listening[data.type, data.name].hand_over(data)
            if left <= 0.0 or all(data.stamp != stamp for data, stamp in zip(wanted, before, strict=True)):
                return

    def _listen(self, kind: str, name: str) -> _Listener:
        if (kind, name) not in self._listening:
            self._listening[kind, name] = _Listener(self._node, self.name, self._specs[kind, name], self._types[kind])
        return self._listening[kind, name]


class _Listener:
    """A subscription to the topic of a sensor.

    Attributes:
        asked: when a program last asked for it, s.
    """

    def __init__(self, node: Node, robot: str, spec: PerceptorSpec, perceptor: Any) -> None:
        kind, topic, self._read = _source(spec, perceptor)
        self._newest: Any = None
        self._features = perceptor.features_of(spec)
        self.asked = 0.0
        self.subscription = node.create_subscription(message_type(kind), f"{robot}/{topic}", self._take, 10)

    def hand_over(self, data: SensorData) -> None:
        """Fill data from the newest message, if there is any."""
        if self._newest is not None and data.stamp != (stamp := seconds_of(self._newest.header.stamp)):
            data.set_data(self._read(self._newest)[data.feature.name], stamp)

    def _take(self, message: Any) -> None:
        self._newest = message


def _source(spec: PerceptorSpec, perceptor: Any) -> tuple[str, str, Callable[[Any], _Values]]:
    """Type and name of a sensor's topic, and what reads its messages.

    Raises:
        UserError: it has none.
    """
    below = "" if spec.name == spec.kind else f"{spec.name}/"
    if spec.kind == "restricted_vision":
        return "simspark_ros/msg/SeenObjects", "seen_objects", _of_sight
    if spec.kind == "odometry":
        return "nav_msgs/msg/Odometry", f"{below}odometry", _of_odometry
    for topic in perceptor.topics_of(spec):
        if topic.fields:
            name = topic.name.format(name=spec.name, link=spec.link)
            return topic.type, name, partial(_of_declared, topic, perceptor.features_of(spec))
    raise UserError(f"sensor {spec.kind} '{spec.name}' has no topic of its own")


def _of_declared(topic: Topic, features: Sequence[Any], message: Any) -> _Values:
    """The columns of features from the fields of a message."""
    columns: dict[str, float] = {}
    for path, names in topic.fields.items():
        value = message
        for step in path.split("."):
            value = getattr(value, step)
        factor = topic.factors.get(path, 1.0)
        several = (names, value) if isinstance(names, tuple) else ((names,), (value,))
        columns.update((name, one / factor) for name, one in zip(*several, strict=False))
    return {one.name: np.array([columns.get(name, math.nan) for name in one.columns]) for one in features}


def _of_odometry(message: Any) -> _Values:
    pose, twist = message.pose.pose, message.twist.twist
    heading = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
    return {
        "odometry_pose": np.array([pose.position.x, pose.position.y, math.remainder(heading, 2.0 * math.pi)]),
        "odometry_velocity": np.array([twist.linear.x, twist.linear.y, twist.angular.z]),
    }


def _of_sight(message: Any) -> _Values:
    polar = zip(message.ranges, message.bearings, message.elevations, strict=True)
    return features_of_sight(dict(zip(message.names, polar, strict=True)))


def _ask_for(name: str, configuration: str, request: Any) -> None:
    request.name, request.allow_renaming = name, True
    set_resource(request, "", configuration)


def _command_publishers(node: Node, robot: str, description: RobotDescription) -> dict[str, tuple[MessageWriter, Any]]:
    made = {}
    for effector, topic in commanded_by_topics(description):
        writer = MessageWriter(effector, topic)
        made[effector.kind] = writer, node.create_publisher(writer.type, f"{robot}/{topic.name or effector.kind}", 10)
    return made
