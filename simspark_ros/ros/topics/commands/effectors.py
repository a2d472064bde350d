"""The topics by which a robot's effectors are commanded, as the effectors declare them (`CommandTopic`)."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from simspark_ros.effectors import CommandTopic, Effector
from simspark_ros.exchange import Argument
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.endpoints import create_subscription
from simspark_ros.ros.limits import MAX_COMMANDS
from simspark_ros.ros.topics.publisher import RELIABLE, RobotEntry, TopicError, message_type
from simspark_ros.simulation.registry import known_effectors
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

T = TypeVar("T")

_STEP = re.compile(r"(\w+)|\[(\d+)\]")


Reject = Callable[[str, str, str, str], object]
"""Counts and logs a refused command: the robot's name, a short reason, a text for people, and the topic."""


class _Fields:
    """The fields of messages that have the arguments of an effector; optional ones without a field are left out.

    Raises:
        TopicError: the declared message or one of its fields does not exist.
    """

    def __init__(self, effector: Effector[Any], declared: CommandTopic) -> None:
        self.type = message_type(declared.type)
        self._effector = effector
        parameters = effector.signature.parameters
        names = [one.name for one in parameters]
        for name in declared.fields:
            if name not in names:
                raise TopicError(f"there is no argument '{name}'; use one of: {', '.join(names)}")
        given = [one.name for one in parameters if one.required or _has_field(self.type, declared, one.name)]
        self._paths = [_steps(declared.path(name)) for name in given]
        for path in self._paths:
            _check_path(self.type(), path, declared.type)


class MessageReader(_Fields):
    """Reads the arguments of an effector from messages."""

    def read(self, message: Any) -> tuple[Argument, ...]:
        """The arguments in their order.

        Raises:
            CommandRejectedError: an array is too short.
        """
        try:
            return tuple(_follow(message, path) for path in self._paths)
        except IndexError:
            text = f"{self._effector.kind}: the message needs {len(self._paths)} values"
            raise CommandRejectedError(text) from None


class MessageWriter(_Fields):
    """Writes the arguments of an effector into messages, for programs that command one by its topic."""

    def write(self, arguments: Sequence[Argument]) -> Any:
        """The message of a command.

        Raises:
            CommandRejectedError: wrong arguments, or more than the message has fields for.
        """
        values = self._effector.signature.check(arguments)
        if len(values) > len(self._paths):
            raise CommandRejectedError(f"{self._effector.kind}: its topic takes {len(self._paths)} arguments")
        message = self.type()
        for path, value in zip(self._paths, values, strict=False):
            owner = message
            *way, last = path
            for step in way:
                owner = owner[step] if isinstance(step, int) else getattr(owner, step)
            if isinstance(last, int):
                owner.extend([0.0] * (last + 1 - len(owner)))
                owner[last] = value
            else:
                setattr(owner, last, value)
        return message


class JointWriter:
    """Writes the commands of `hinge` or `universal` into messages for `joint_command`.

    A message repeats the joints commanded earlier in a row, since a queue that overflows keeps only the newest message.

    Args:
        joints: names of the robot's joints, in the order of its model.
    """

    type = JointState

    def __init__(self, effector: Effector[Any], joints: Sequence[str]) -> None:
        self._effector, self._joints = effector, joints
        self._row: dict[str, float] = {}

    def write(self, arguments: Sequence[Argument]) -> Any:
        """The message of a command.

        Raises:
            CommandRejectedError: wrong arguments, or there is no such joint.
        """
        joint, velocity = self._effector.signature.check(arguments)
        if not 0 <= joint < len(self._joints):
            raise CommandRejectedError(
                f"{self._effector.kind}: there is no joint {joint}; they are 0 to {len(self._joints) - 1}"
            )
        self._row[self._joints[joint]] = velocity
        return JointState(name=list(self._row), velocity=list(self._row.values()))

    def end_row(self) -> None:
        """Stop repeating earlier commands, as something else happens."""
        self._row.clear()


class CommandTopics(Generic[T]):
    """Subscriptions to messages that command one robot, from which its next cycle takes the commands.

    Made and destroyed by the executor's thread, used by the simulation's. `reject` is called for refused commands.

    Args:
        most: most commands that wait for a cycle.

    Attributes:
        waiting: commands to be carried out, each with its topic.
    """

    def __init__(self, node: Node, robot: RobotEntry, reject: Reject, most: int) -> None:
        self._node, self._robot, self._reject, self._most = node, robot, reject, most
        self._lock = threading.Lock()
        self.waiting: list[tuple[str, T]] = []
        self._subscriptions: list[Any] = []

    def subscribe(self, kind: type[Any], topic: str, read: Callable[[Any], T]) -> None:
        """Take messages of a topic; `read` makes a command of one, or raises CommandRejectedError."""
        take = partial(self._received, topic, read)
        self._subscriptions.append(create_subscription(self._node, kind, self._robot.topic(topic), take, RELIABLE))

    def destroy(self) -> None:
        """Take the topics away. The simulation must not use them any more."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _taken(self) -> list[tuple[str, T]]:
        """The commands received since the last call."""
        if not self.waiting:
            return []
        with self._lock:
            waiting, self.waiting = self.waiting, []
        return waiting

    def _received(self, topic: str, read: Callable[[Any], T], message: Any) -> None:
        try:
            command = read(message)
        except CommandRejectedError as error:
            self._refuse(topic, error)
            return
        with self._lock:
            if len(self.waiting) < self._most:
                self.waiting.append((topic, command))
                return
        self._reject(self._robot.name, "too many", f"more than {self._most} commands in one cycle", topic)

    def _refuse(self, topic: str, error: CommandRejectedError) -> None:
        self._reject(self._robot.name, "refused", str(error), topic)


class EffectorTopics(CommandTopics[tuple[Effector[Any], tuple[Argument, ...]]]):
    """The topics of one robot's effectors; one that cannot be made is reported and left out.

    `stamped` = use types with a header, where there are any.
    """

    def __init__(self, node: Node, robot: RobotEntry, reject: Reject, stamped: bool = False) -> None:
        super().__init__(node, robot, reject, MAX_COMMANDS)
        for effector, topic in commanded_by_topics(robot.description):
            name = topic.name or effector.kind
            try:
                reader = MessageReader(effector, topic.with_header() if stamped else topic)
                self.subscribe(reader.type, name, partial(_command_of, effector, reader))
            # ROS and DDS have several errors for names that they do not take.
            except Exception as error:
                node.get_logger().warning(f"robot '{robot.name}': {effector.kind} gets no topic '{name}': {error}")

    def apply(self, world: World, robot: Robot, note: Callable[[str, tuple[Argument, ...]], None]) -> None:
        """Carry out the commands received since the last cycle; `note` takes kind and arguments of each."""
        for topic, (effector, arguments) in self._taken():
            note(effector.kind, arguments)
            try:
                effector.act(world, robot, arguments)
            except CommandRejectedError as error:
                self._refuse(topic, error)


def _command_of(
    effector: Effector[Any], reader: MessageReader, message: Any
) -> tuple[Effector[Any], tuple[Argument, ...]]:
    return effector, reader.read(message)


def commanded_by_topics(description: RobotDescription) -> list[tuple[Effector[Any], CommandTopic]]:
    """Effectors of a robot that declare a topic: the ones in its file, and the ones of every robot."""
    listed = {spec.kind for spec in description.effectors}
    effectors = [effector for effector in known_effectors().values() if effector.kind in listed or not effector.mounted]
    return [(effector, effector.topic) for effector in effectors if effector.topic is not None]


def _has_field(message: Any, declared: CommandTopic, argument: str) -> bool:
    body = getattr(message(), declared.inside) if declared.inside else message
    return argument in declared.fields or hasattr(body, argument)


def _steps(path: str) -> list[str | int]:
    """The fields and indices on the way to a value: `a.b[1]` is a, b, 1."""
    return [int(index) if index else name for name, index in _STEP.findall(path)]


def _check_path(message: Any, path: list[str | int], kind: str) -> None:
    """Raise TopicError for a path that no message of a type has."""
    for step in path:
        if isinstance(step, int):
            # Elements of arrays exist in real messages only.
            return
        fields: dict[str, str] = getattr(message, "get_fields_and_field_types", dict)()
        if step not in fields:
            raise TopicError(f"{kind} has no field '{step}'; use one of: {', '.join(fields)}")
        message = getattr(message, step)


def _follow(message: Any, path: list[str | int]) -> Argument:
    for step in path:
        message = message[step] if isinstance(step, int) else getattr(message, step)
    found: Argument = message.item() if isinstance(message, np.generic) else message
    return found
