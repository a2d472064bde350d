"""Topics of a robot: by kind of perceptor, and topics of every robot.

A distribution adds a publisher class for its own kind of perceptor with an entry point in the group
`simspark_ros.topics`: name = kind, value = subclass of `TopicPublisher`. Kinds for which a declaration is enough
(`Perceptor.topics`) need none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from simspark_ros.configuration.entry_points import Group
from simspark_ros.perceptors.base import Perceptor, Topic, TopicParameters
from simspark_ros.physics.engine import IntArray
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.joints import BatteryPublisher, JointStatePublisher, MotorPublisher
from simspark_ros.ros.topics.odometry import OdometryPublisher, OdometrySensorPublisher
from simspark_ros.ros.topics.publisher import (
    MissingMessagesError,
    RobotEntry,
    TopicError,
    TopicPublisher,
    interval_of,
    message_type,
)
from simspark_ros.ros.topics.sensors.contacts import FootContactsPublisher, WrenchPublisher
from simspark_ros.ros.topics.sensors.ground_truth import GroundTruthPublisher
from simspark_ros.ros.topics.sensors.hear import HearPublisher
from simspark_ros.ros.topics.sensors.imu import ImuPublisher
from simspark_ros.ros.topics.sensors.laser_objects import LaserPosePublisher, LaserRobotsPublisher
from simspark_ros.ros.topics.sensors.nao_lola import RobotConfigPublisher
from simspark_ros.ros.topics.transforms import TransformPublisher
from simspark_ros.ros.topics.vision.levels import LevelPublisher
from simspark_ros.ros.topics.vision.seen import SeenLinesPublisher, SeenObjectsPublisher
from simspark_ros.simulation.registry import perceptor_types


@dataclass
class _Field:
    """One field of a message, or of a nested one, and the columns that fill it.

    Attributes:
        columns: indices of the field's columns among the perceptor's columns.
        convert: function from a number, or a list of numbers, to a value of the field.
        index: indices of the columns in `Percepts.values`.
    """

    owner: Any
    attribute: str
    columns: IntArray | int
    factor: float
    convert: Callable[[Any], Any]
    index: IntArray | int = 0


class DeclaredPublisher(TopicPublisher):
    """A topic that a perceptor's kind declares: columns of the perceptor become fields of the message.

    Raises:
        TopicError: there is no such message, or it has no such field, or the perceptor no such column.
    """

    def __init__(
        self, robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec, declared: Topic, perceptor: type[Perceptor]
    ) -> None:
        topic, frame = robot.topic(declared.name_of(spec)), robot.frame(spec.link)
        super().__init__(topic, message_type(declared.type)(), cycle, frame)
        self.perceptor = self._key = robot.handle, spec.kind, spec.name
        self._type, self._fits = perceptor, False
        self._declare(spec, declared)

    def adjust(self, robot: RobotEntry) -> None:
        spec = robot.perceptor(*self._key[1:])
        for declared in self._type.topics_of(spec):
            if robot.topic(declared.name_of(spec)) == self.topic:
                self._declare(spec, declared)

    def _declare(self, spec: PerceptorSpec, declared: Topic) -> None:
        """Write the constants, and find out which columns fill which fields."""
        # A parameter `interval` of other kinds may mean something else.
        self.interval = interval_of([spec]) if issubclass(self._type.options or object, TopicParameters) else 1
        self._columns = columns = self._type.columns_of(spec)
        for path, value in declared.constants.items():
            owner, attribute = _owner(self.message, path, declared)
            setattr(owner, attribute, _constant(getattr(owner, attribute), value, f"{declared.type} {path}"))
        # A scan has thousands of columns.
        places = {column: place for place, column in enumerate(columns)}
        self._fields = []
        for path, column in declared.fields.items():
            owner, attribute = _owner(self.message, path, declared)
            several = isinstance(column, tuple)
            index = np.array([_index(c, places) for c in column]) if several else _index(str(column), places)
            convert = _converter(owner, attribute, several, f"{declared.type} {path}")
            self._fields.append(_Field(owner, attribute, index, declared.factors.get(path, 1.0), convert))

    def bind(self) -> None:
        slot, self._flag = self.cycle.slot(*self._key)
        # A profile may replace the parameters that the columns depend on.
        self._fits = slot.columns == self._columns
        for field in self._fields:
            field.index = field.columns + slot.start

    def fill(self) -> bool:
        percepts = self.cycle.percepts
        if not (self._fits and percepts.present[self._flag]):
            return False
        for field in self._fields:
            setattr(field.owner, field.attribute, field.convert((percepts.values[field.index] * field.factor).tolist()))
        return True


def _owner(message: Any, path: str, declared: Topic) -> tuple[Any, str]:
    """The message that has the last field of a path, and that field's name."""
    *nested, attribute = path.split(".")
    owner = message
    for name in (*nested, attribute):
        fields: dict[str, str] = getattr(owner, "get_fields_and_field_types", dict)()
        if name not in fields:
            raise TopicError(f"{declared.type} has no field '{path}'; at '{name}' there are: {', '.join(fields)}")
        if name is not attribute:
            owner = getattr(owner, name)
    return owner, attribute


def _index(column: str, places: Mapping[str, int]) -> int:
    if column not in places:
        raise TopicError(f"there is no column '{column}'; use one of: {', '.join(places)}")
    return places[column]


def _converter(owner: Any, attribute: str, several: bool, where: str) -> Callable[[Any], Any]:
    """How a number, or a list of several, becomes a value of a field. Messages need not check what they are given."""
    kind = owner.get_fields_and_field_types()[attribute]
    element = re.fullmatch(r"(?:sequence<)?(boolean|float|double|u?int\d+)(?:, \d+)?(>|\[\d+\])?", kind)
    if element is None or bool(element[2]) is not several:
        wanted = "several columns" if several else "one column"
        raise TopicError(f"{where}: a field of type {kind} cannot be filled with {wanted}")
    convert = {"boolean": bool, "float": float, "double": float}.get(element[1], round)
    return (lambda values: [convert(value) for value in values]) if several else convert


def _constant(current: Any, value: Any, where: str) -> Any:
    """A constant fit for a field, by the field's current value."""
    if isinstance(current, float) and isinstance(value, int):
        return float(value)
    if isinstance(current, (bool, int, float, str, bytes)) and type(value) is not type(current):
        raise TopicError(f"{where}: the constant must be a {type(current).__name__}, not {value!r}")
    return value


T = TypeVar("T")
PublisherTypes = tuple[type[TopicPublisher], ...]

EVERY_ROBOT: PublisherTypes = (
    JointStatePublisher,
    GroundTruthPublisher,
    OdometryPublisher,
    TransformPublisher,
    HearPublisher,
    MotorPublisher,
)

BY_PERCEPTOR: dict[str, PublisherTypes] = {
    "hinge_joint": (JointStatePublisher,),
    "universal_joint": (JointStatePublisher,),
    "gyroscope": (ImuPublisher,),
    "accelerometer": (ImuPublisher,),
    "force_resistance": (FootContactsPublisher, WrenchPublisher),
    "restricted_vision": (SeenObjectsPublisher, SeenLinesPublisher),
    "hear": (HearPublisher,),
    "agent_state": (BatteryPublisher,),
    "lola": (RobotConfigPublisher,),
    "detections": (LevelPublisher,),
    "odometry": (OdometrySensorPublisher,),
    "laser_objects": (LaserRobotsPublisher, LaserPosePublisher),
}

GROUP = Group("simspark_ros.topics", TopicPublisher, built_in=BY_PERCEPTOR)


def publishers_of(
    robot: RobotEntry,
    cycle: Cycle,
    warn: Callable[[str], object],
    lacks: Callable[[str], object] = lambda package: None,
) -> Iterator[TopicPublisher]:
    """All topics of a robot, not opened yet, one by one.

    `lacks` receives the package of messages that are not installed, `warn` a text for other topics that cannot be made.
    """

    def of(place: str, make: Callable[[], Sequence[T]]) -> Sequence[T]:
        try:
            return make()
        except MissingMessagesError as error:
            lacks(error.package)
        # Third parties' classes may raise anything.
        except Exception as error:
            warn(f"robot '{robot.name}': {place} gets no topic: {error}")
        return ()

    by_perceptor = {**{kind: (publisher,) for kind, publisher in GROUP.plug_ins().items()}, **BY_PERCEPTOR}
    classes = dict.fromkeys(EVERY_ROBOT)
    for spec in robot.description.perceptors:
        classes.update(dict.fromkeys(by_perceptor.get(spec.kind, ())))
    for cls in classes:
        yield from of(cls.__name__, partial(cls.of_robot, robot, cycle))
    types = perceptor_types()
    for spec in robot.description.perceptors:
        # A robot with others is refused when it is added to the world, in words.
        if spec.kind in types:
            place, perceptor = f"perceptor {spec.kind} '{spec.name}'", types[spec.kind]
            for topic in of(place, partial(perceptor.topics_of, spec)):
                yield from of(place, partial(_declared, robot, cycle, spec, topic, perceptor))


def _declared(
    robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec, topic: Topic, perceptor: type[Perceptor]
) -> Sequence[TopicPublisher]:
    return [DeclaredPublisher(robot, cycle, spec, topic, perceptor)]
