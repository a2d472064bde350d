"""Base of perceptor plug-ins: one object per kind senses all robots that carry it in one vectorised pass."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, build, declarations
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.model import ZERO, ArticulatedModel
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.sensors.feature import Feature
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

P = TypeVar("P")


class Mount(NamedTuple):
    """One instance of a perceptor on one robot.

    Attributes:
        robot: the robot that carries it.
        row: row of the robot in the arrays of the engine's state.
        spec: its entry in the robot's YAML.
        start: index of its first value in the value vector.
        flag: index of its flag in the presence vector.
    """

    robot: Robot
    row: int
    spec: PerceptorSpec
    start: int
    flag: int

    @property
    def key(self) -> MountKey:
        """Handle of its robot, kind and name."""
        return self.robot.handle, self.spec.kind, self.spec.name


MountKey = tuple[int, str, str]
"""A perceptor of a robot: handle, kind, name."""


@dataclass(frozen=True)
class Topic:
    """A ROS topic of one instance of a perceptor, declared without ROS.

    The message is sent in each cycle in which the instance has something to report. A header gets the cycle's stamp,
    and the link that carries the perceptor as its frame.

    Attributes:
        type: type of the message, e.g. `sensor_msgs/msg/Range`. Where its package is not installed there is no topic.
        name: name of the topic, below the robot's namespace; `{name}` and `{link}` stand for the instance's own. An
            instance with the name of its topic has that once: `scan`, not `scan/scan`.
        fields: field of the message -> the column that fills it, or several columns for a field that is an array.
            `a.b` is field b of field a. A bool is True for all values but 0; integers are rounded.
        factors: field -> factor of its column, where the units differ.
        constants: field -> value that never changes.
    """

    type: str
    name: str
    fields: Mapping[str, str | tuple[str, ...]]
    factors: Mapping[str, float] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)

    def name_of(self, spec: PerceptorSpec) -> str:
        """Name of the topic of an instance, below the robot's namespace."""
        name = self.name.removeprefix("{name}/") if self.name == f"{{name}}/{spec.name}" else self.name
        return name.format(name=spec.name, link=spec.link)


@dataclass(frozen=True)
class TopicParameters(Checked):
    """Parameters of kinds that sense in every cycle, but may send messages on their topics less often.

    Attributes:
        interval: cycles between two messages; robots take turns. Agents get every reading.
    """

    interval: Annotated[int, Range(1, 10_000, "cycles")] = 1


class Perceptor:
    """Base of perceptor plug-ins. Kinds that only mark a place in the message (time, hear) need nothing more.

    Attributes:
        random: the only source of randomness that a perceptor may use.
        demanded: perceptors that somebody reads: subscribers of ROS topics, drivers, monitors that look into robots.
            A kind that takes long to sense may leave out all others.
        columns: names of the values of one instance.
        optional_columns: names of values that an instance has if its parameters ask for them, see `columns_of`.
        options: dataclass of its parameters, None if it takes any. `Error` marks a parameter that makes readings wrong.
        tunable: whether ROS parameters may change its parameters (`options`) while robots carry it.
        needs_link: whether its entry in a robot's file has to name the link that carries it.
        on_frames: whether a frame may carry it, too; a link or frame that the robot does not have is refused.
        message: classic message for agents of every profile: text with `{name}` for the name of the instance and `{}`
            for each value, as in a protocol profile. A profile's format for the kind takes precedence. Empty = only
            agents whose profile has a format get a message, as for the kinds of certain years.
        message_values: `[-]column [unit]` for each `{}` of the message, as in a protocol profile.
        topics: ROS topics of each instance. A kind for which a declaration is not enough has a publisher class in the
            entry-point group `simspark_ros.topics`.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    optional_columns: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[type[Any] | None] = None
    tunable: ClassVar[bool] = True
    needs_link: ClassVar[bool] = False
    on_frames: ClassVar[bool] = False
    message: ClassVar[str] = ""
    message_values: ClassVar[tuple[str, ...]] = ()
    topics: ClassVar[tuple[Topic, ...]] = ()

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.demanded: Collection[MountKey] = ()

    @classmethod
    def columns_of(cls, spec: PerceptorSpec) -> tuple[str, ...]:
        """Names of the values of one instance, where they depend on its parameters."""
        return cls.columns

    @classmethod
    def topics_of(cls, spec: PerceptorSpec) -> tuple[Topic, ...]:
        """ROS topics of one instance, where they depend on its parameters."""
        return cls.topics

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """Its features in the container of sensors; by default one feature of the kind's name with all values."""
        columns = cls.columns_of(spec)
        return (Feature(spec.kind, columns),) if columns else ()

    @classmethod
    def exact(cls, spec: PerceptorSpec) -> PerceptorSpec:
        """The same instance without errors, sensing in every cycle: programs learn from it which values to expect."""
        declared = declarations(cls.options) if cls.options is not None else ()
        errors = {one.name: one.error.neutral for one in declared if one.error is not None}
        rhythm = {one.name: 1 for one in declared if one.name == "interval"}
        return replace(spec, parameters={**spec.parameters, **errors, **rhythm})

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse an instance that cannot work before it exists, so that a running match cannot fail on it.

        Raises:
            ConfigurationError: unknown or ill-typed parameter, or a link that cannot carry it; the message names the
                robot's file, the perceptor and the key.
        """
        if self.options is not None:
            build(self.options, dict(spec.parameters), description.place(spec))
        if self.needs_link and not spec.link:
            known = ", ".join(link.name for link in description.model.links)
            raise ConfigurationError(f"{description.place(spec)}: key 'link' is missing; name one of: {known}")
        if self.on_frames:
            check_place(spec, description)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Prepare index arrays for a new set of mounts; keep the memory of robots that stay."""

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Write the readings of all mounts.

        Args:
            world: the world after this cycle's physics.
            values: (V,) value vector; a mount owns `start .. start + len(columns)`.
            present: (S,) presence vector, all True; set False where a mount has nothing to report.
        """


def parameters(cls: type[P], mount: Mount) -> P:
    """The parameters of a mount as a dataclass; errors as in `parameters_of`."""
    return parameters_of(cls, mount.spec, mount.robot.description)


def parameters_of(cls: type[P], spec: PerceptorSpec, description: RobotDescription | None = None) -> P:
    """The parameters of a perceptor as a dataclass.

    Raises:
        ConfigurationError: unknown or ill-typed parameter; the message names perceptor and key, and the robot's file if
            its description is given.
    """
    # Kept with the entry, as mounts are bound again with each robot that comes; not even a frozen one minds.
    kept: dict[type[Any], Any] = vars(spec).setdefault("_built", {})
    if cls not in kept:
        kept[cls] = build(cls, dict(spec.parameters), spec.name if description is None else description.place(spec))
    found: P = kept[cls]
    return found


def reading_random(seed: int, mount: Mount, cycle: int) -> np.random.Generator:
    """Randomness of one reading: it depends on seed, robot, perceptor and cycle alone, not on other readings."""
    return stream(seed, mount.robot.handle, mount.spec.name, cycle)


def stream(seed: int, handle: int, name: str, cycle: int) -> np.random.Generator:
    """Randomness of something of that name on a robot in a cycle."""
    key = np.array([seed, handle], np.uint64)
    counter = np.array([0, 0, zlib.crc32(name.encode()), cycle], np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=counter))


def check_place(spec: PerceptorSpec, description: RobotDescription) -> None:
    """Refuse a link or frame that the robot does not have; empty = the base.

    Raises:
        ConfigurationError: the message names the robot's file, the perceptor and all places.
    """
    model = description.model
    places = [*(link.name for link in model.links), *(frame.name for frame in model.frames)]
    if spec.link and spec.link not in places:
        raise ConfigurationError(
            f"{description.place(spec)}: unknown link or frame '{spec.link}'; use one of: {', '.join(places)}"
        )


def origin_of(model: ArticulatedModel, place: str) -> Array:
    """Origin (3,) of the TF frame of a link or frame, seen from its point of `link_poses`, in its axes, m."""
    centres = {link.name: link.centre for link in model.links}
    return -np.array(centres.get(place, ZERO))


def selection(indices: Sequence[int], size: int) -> IntArray | None:
    """Index of some entries of an array of that size; None for all of them in order, which needs no new array."""
    return None if list(indices) == list(range(size)) else np.array(indices, np.int64)
