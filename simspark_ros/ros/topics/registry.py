"""Topics of a robot: by kind of perceptor, and topics of every robot.

A distribution adds a publisher class for its own kind of perceptor with an entry point in the group
`simspark_ros.topics`: name = kind, value = subclass of `TopicPublisher`. Kinds that a declaration is enough for
(`Perceptor.topics`) need none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from simspark_ros.configuration.entry_points import Group
from simspark_ros.perceptors.base import Perceptor, Topic
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.declared import DeclaredPublisher
from simspark_ros.ros.topics.joints import BatteryPublisher, JointStatePublisher, MotorPublisher
from simspark_ros.ros.topics.odometry import OdometryPublisher
from simspark_ros.ros.topics.publisher import MissingMessagesError, RobotEntry, TopicPublisher
from simspark_ros.ros.topics.sensors.contacts import FootContactsPublisher, WrenchPublisher
from simspark_ros.ros.topics.sensors.ground_truth import GroundTruthPublisher
from simspark_ros.ros.topics.sensors.hear import HearPublisher
from simspark_ros.ros.topics.sensors.imu import ImuPublisher
from simspark_ros.ros.topics.sensors.laser_objects import LaserPosePublisher, LaserRobotsPublisher
from simspark_ros.ros.topics.sensors.nao_lola import RobotConfigPublisher
from simspark_ros.ros.topics.sensors.odometry_sensor import OdometrySensorPublisher
from simspark_ros.ros.topics.transforms import TransformPublisher
from simspark_ros.ros.topics.vision.levels import LevelPublisher
from simspark_ros.ros.topics.vision.seen import SeenLinesPublisher, SeenObjectsPublisher
from simspark_ros.simulation.registry import perceptor_types

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
            warn(f"robot '{robot.name}': {place}: no topic: {error}")
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
