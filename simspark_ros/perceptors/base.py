"""Base of perceptor plug-ins: one object per kind senses all robots that carry it in one vectorised pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.soccer.world import Robot, World

P = TypeVar("P")


@dataclass(frozen=True)
class Mount:
    """One instance of a perceptor on one robot.

    Attributes:
        robot: that carries it.
        row: of the robot in the arrays of the engine's state.
        spec: from the robot's YAML.
        start: index of its first value in the value vector.
        flag: index in the presence vector.
    """

    robot: Robot
    row: int
    spec: PerceptorSpec
    start: int
    flag: int


@dataclass(frozen=True)
class Topic:
    """A ROS topic of one instance of a perceptor, declared without ROS.

    The message is sent in each cycle in which the instance has something to report. A header gets the cycle's stamp,
    and the link that carries the perceptor as its frame.

    Attributes:
        type: of the message, e.g. `sensor_msgs/msg/Range`. Where its package is not installed there is no topic.
        name: of the topic, below the robot's namespace; `{name}` and `{link}` are those of the instance.
        fields: field of the message -> the column that fills it, or several columns for a field that is an array.
            `a.b` is field b of field a. A bool is True for all values but 0; integers are rounded.
        factors: field -> what its column is multiplied by, where the units differ.
        constants: field -> value that never changes.
    """

    type: str
    name: str
    fields: Mapping[str, str | tuple[str, ...]]
    factors: Mapping[str, float] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)


class Perceptor:
    """Base of perceptor plug-ins. Kinds that only mark a place in the message (time, hear) need nothing more.

    Attributes:
        random: the only source of randomness that a perceptor may use.
        columns: names of the values of one instance.
        options: dataclass of its parameters, None if it takes any.
        needs_link: whether its entry in a robot's file has to name the link that carries it.
        message: classic message of a plug-in of another distribution: text with `{name}` for the name of the instance
            and `{}` for each value, as in a protocol profile. A profile's format for the kind takes precedence. Empty =
            it is not sent without one.
        message_values: `[-]column [unit]` for each `{}` of the message, as in a protocol profile.
        topics: ROS topics of each instance. A kind for which a declaration is not enough has a publisher class in the
            entry-point group `simspark_ros.topics`.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[type[Any] | None] = None
    needs_link: ClassVar[bool] = False
    message: ClassVar[str] = ""
    message_values: ClassVar[tuple[str, ...]] = ()
    topics: ClassVar[tuple[Topic, ...]] = ()

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random

    @classmethod
    def columns_of(cls, spec: PerceptorSpec) -> tuple[str, ...]:
        """Names of the values of one instance, where they depend on its parameters."""
        return cls.columns

    @classmethod
    def topics_of(cls, spec: PerceptorSpec) -> tuple[Topic, ...]:
        """ROS topics of one instance, where they depend on its parameters."""
        return cls.topics

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse an instance that cannot work before it exists, so that a running match cannot fail on it.

        Raises:
            ConfigurationError: unknown or ill-typed parameter, or a link that cannot carry it; names robot's file,
                perceptor and key.
        """
        if self.options is not None:
            build(self.options, dict(spec.parameters), description.place(spec))
        if self.needs_link and not spec.link:
            known = ", ".join(link.name for link in description.model.links)
            raise ConfigurationError(f"{description.place(spec)}: key 'link' is missing; there are: {known}")

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Prepare index arrays for a new set of mounts; memory of robots that stay is to be kept."""

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Write the readings of all mounts.

        Args:
            world: after this cycle's physics.
            values: (V,) value vector; a mount owns `start .. start + len(columns)`.
            present: (S,) set False where a mount has nothing to report; True on entry.
        """


def parameters(cls: type[P], mount: Mount) -> P:
    """The parameters of a mount as a dataclass.

    Raises:
        ConfigurationError: unknown or ill-typed parameter; names robot's file, perceptor and key.
    """
    return build(cls, dict(mount.spec.parameters), mount.robot.description.place(mount.spec))


def selection(indices: Sequence[int], size: int) -> IntArray | slice:
    """Index of some entries of an array of that size; a slice, which copies nothing, for all of them in order."""
    return slice(None) if list(indices) == list(range(size)) else np.array(indices, np.int64)
