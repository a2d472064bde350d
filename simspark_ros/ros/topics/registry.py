"""Which topics a robot has: by kind of perceptor, and those of every robot.

A distribution adds a publisher class for its own kind of perceptor with an entry point in the group
`simspark_ros.topics`: name = kind, value = subclass of `TopicPublisher`. Kinds that a declaration is enough for
(`Perceptor.topics`) need none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from simspark_ros.configuration.entry_points import third_party
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.contacts import FootContactsPublisher, WrenchPublisher
from simspark_ros.ros.topics.declared import DeclaredPublisher
from simspark_ros.ros.topics.ground_truth import GroundTruthPublisher
from simspark_ros.ros.topics.hear import HearPublisher
from simspark_ros.ros.topics.imu import ImuPublisher
from simspark_ros.ros.topics.joint_state import JointStatePublisher
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher
from simspark_ros.ros.topics.transforms import TransformPublisher
from simspark_ros.ros.topics.vision import SeenLinesPublisher, SeenObjectsPublisher
from simspark_ros.simulation.registry import perceptor_types

PublisherTypes = tuple[type[TopicPublisher], ...]

EVERY_ROBOT: PublisherTypes = (JointStatePublisher, GroundTruthPublisher, TransformPublisher, HearPublisher)

BY_PERCEPTOR: dict[str, PublisherTypes] = {
    "hinge_joint": (JointStatePublisher,),
    "universal_joint": (JointStatePublisher,),
    "gyroscope": (ImuPublisher,),
    "accelerometer": (ImuPublisher,),
    "force_resistance": (FootContactsPublisher, WrenchPublisher),
    "restricted_vision": (SeenObjectsPublisher, SeenLinesPublisher),
    "hear": (HearPublisher,),
}

ELSEWHERE: dict[str, str] = {
    "time": "`/clock` and the stamp of every header",
    "game_state": "`game/state`, which is the same for all robots",
    "camera": "`camera/image_raw` and `camera/camera_info`, from the camera process",
}
"""Kinds of perceptors whose readings are no topic of the robot from this process: where they are instead."""


def publishers_of(robot: RobotEntry, cycle: Cycle, warn: Callable[[str], object]) -> list[TopicPublisher]:
    """All topics of a robot, not opened yet.

    Args:
        robot: that has them.
        cycle: that is published.
        warn: receives a text for each topic that cannot be made; the others are not affected.
    """
    made: list[TopicPublisher] = []

    def add(place: str, make: Callable[[], Sequence[TopicPublisher]]) -> None:
        try:
            made.extend(make())
        # Third parties' classes may raise anything.
        except Exception as error:
            warn(f"robot '{robot.name}': {place}: no topic: {error}")

    by_perceptor = {**_third_party(), **BY_PERCEPTOR}
    classes = dict.fromkeys(EVERY_ROBOT)
    for spec in robot.description.perceptors:
        classes.update(dict.fromkeys(by_perceptor.get(spec.kind, ())))
    for cls in classes:
        add(cls.__name__, partial(cls.of_robot, robot, cycle))
    types = perceptor_types()
    for spec in robot.description.perceptors:
        perceptor = types[spec.kind]
        place = f"perceptor {spec.kind} '{spec.name}'"
        add(place, partial(_declared, robot, cycle, spec, perceptor))
    return made


def _declared(
    robot: RobotEntry, cycle: Cycle, spec: PerceptorSpec, perceptor: type[Perceptor]
) -> Sequence[TopicPublisher]:
    columns = perceptor.columns_of(spec)
    return [DeclaredPublisher(robot, cycle, spec, topic, columns) for topic in perceptor.topics_of(spec)]


def _third_party() -> dict[str, PublisherTypes]:
    found = third_party("simspark_ros.topics", TopicPublisher)
    return {kind: (publisher,) for kind, publisher in found.items()}
