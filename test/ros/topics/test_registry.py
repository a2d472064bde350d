"""Every kind of perceptor has a topic or a stated reason, and a declared topic carries what its perceptor reads."""

import math
from dataclasses import replace
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from simspark_ros.configuration import entry_points
from simspark_ros.exchange import Slot
from simspark_ros.perceptors.base import Perceptor, Topic
from simspark_ros.robots.catalogue import load_robot, with_more
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics import registry
from simspark_ros.ros.topics.odometry import has_odometry
from simspark_ros.ros.topics.publisher import RobotEntry, TopicError, below
from simspark_ros.ros.topics.registry import BY_PERCEPTOR, EVERY_ROBOT, DeclaredPublisher, publishers_of
from simspark_ros.ros.topics.sensors.ground_truth import GroundTruthPublisher
from simspark_ros.simulation.registry import PERCEPTORS


def robot_with(*specs: PerceptorSpec) -> RobotEntry:
    nao = load_robot("nao")
    return RobotEntry(7, "r", "r", replace(nao, perceptors=(*nao.perceptors, *specs)), "robot")


def a_cycle(spec: PerceptorSpec, columns: tuple[str, ...], values: list[float]) -> Any:
    percepts = SimpleNamespace(values=np.array([0.0, *values]), present=np.array([False, True]))
    slot = Slot(spec.kind, spec.name, columns, 1)
    return SimpleNamespace(stamp=Time(), resets=0, odometry={}, percepts=percepts, slot=lambda *key: (slot, 1))


def message_of(kind: str, values: list[float], **parameters: Any) -> list[Any]:
    """The messages of a perceptor that reports these values, by topic."""
    spec = PerceptorSpec(kind, "p", "torso", parameters)
    perceptor = PERCEPTORS[kind]
    made = []
    for topic in perceptor.topics_of(spec):
        cycle = a_cycle(spec, perceptor.columns_of(spec), values)
        publisher = DeclaredPublisher(robot_with(spec), cycle, spec, topic, perceptor)
        publisher.bind()
        assert publisher.fill()
        cycle.percepts.present[1] = False
        assert not publisher.fill()
        made.append((publisher.topic, publisher.message))
    return made


def test_every_kind_of_perceptor_has_a_topic_of_the_conventions_but_those_of_others() -> None:
    declared = {kind for kind, perceptor in PERCEPTORS.items() if perceptor.topics_of(PerceptorSpec(kind, kind))}
    # Texts, of the robot's identity, are no columns, nor is what robots with realistic motors alone have.
    assert declared & BY_PERCEPTOR.keys() == {"lola", "agent_state"}
    # Poses of frames are in the ground truth and in tf.
    of_frames = {"frame_position", "frame_orientation"}
    others = PERCEPTORS.keys() - declared - BY_PERCEPTOR.keys()
    assert others == {"time", "game_state", "camera", "ground_truth", *of_frames}
    assert GroundTruthPublisher in EVERY_ROBOT
    nao = load_robot("nao_sensors")
    topics = {publisher.topic for publisher in publishers_of(RobotEntry(7, "r", "r", nao, "none"), Cycle(), print)}
    assert {"r/scan", "r/sonar_left/range", "r/sonar_right/range", "r/imu/mag", "r/l_ankle/wrench"} <= topics


def test_sensors_of_contacts_on_any_link_have_topics_but_a_base_that_feels_the_ground_is_no_foot() -> None:
    hand = {"kind": "force_resistance", "name": "hand", "link": "rlowerarm"}
    bumper = {"kind": "touch", "name": "bumper", "link": "torso"}
    robot = RobotEntry(7, "r", "r", with_more("nao", 0, {"perceptors": [hand, bumper]}), "robot")
    made = {publisher.topic: publisher.message for publisher in publishers_of(robot, Cycle(), lambda text: None)}
    assert made["r/wrench/rlowerarm"].header.frame_id == "rlowerarm"
    assert [contact.name for contact in made["r/foot_contacts"].contacts] == ["rf", "lf", "hand"]
    assert made["r/touch/bumper"].data is False
    feeling = {"perceptors": [{"kind": "force_resistance", "link": "body"}, {"kind": "gyroscope", "link": "body"}]}
    assert not has_odometry(RobotEntry(7, "r", "r", with_more("sphere", 0, feeling), "robot"))
    assert has_odometry(RobotEntry(7, "r", "r", load_robot("nao"), "robot"))


def test_touch_temperature_and_range_finders_have_topics_of_standard_types_with_their_limits() -> None:
    ((topic, touch),) = message_of("touch", [1.0])
    assert (topic, touch.data) == ("r/touch/p", True)
    ((topic, temperature),) = message_of("agent_state", [23.0, 80.0])
    assert (topic, temperature.temperature, temperature.header.frame_id) == ("r/temperature", 23.0, "torso")
    parameters = {"beams": 3, "angle_min_deg": -90, "angle_max_deg": 90.0, "range_min": 0.5, "range_max": 8.0}
    ((topic, scan),) = message_of("laser", [0.1, 1.0, math.inf, -math.inf], **parameters)
    assert (topic, scan.header.frame_id) == ("r/p/scan", "torso")
    assert list(scan.ranges) == [1.0, math.inf, -math.inf]
    angles = (scan.angle_min, scan.angle_max, scan.angle_increment)
    assert angles == pytest.approx((-math.pi / 2, math.pi / 2, math.pi / 2))
    assert (scan.range_min, scan.range_max, scan.scan_time) == pytest.approx((0.5, 8.0, 0.1))
    ((topic, cone),) = message_of("range", [math.inf], field_of_view_deg=60.0, radiation="infrared")
    assert (topic, cone.range, cone.radiation_type) == ("r/p/range", math.inf, cone.INFRARED)
    assert (cone.field_of_view, cone.max_range) == pytest.approx((math.pi / 3, 4.0))
    ((topic, field),) = message_of("magnetometer", [1e-5, 2e-5, -3e-5], noise=1e-7)
    assert (topic, field.magnetic_field.y) == ("r/imu/p/mag", 2e-5)
    assert field.magnetic_field_covariance[4] == pytest.approx(1e-14)


@pytest.mark.parametrize(("kind", "topic"), [("laser", "scan"), ("force_torque", "wrench")])
def test_a_sensor_named_as_its_topic_has_that_name_once(kind: str, topic: str) -> None:
    spec = PerceptorSpec(kind, topic, "torso")
    assert [declared.name_of(spec) for declared in PERCEPTORS[kind].topics_of(spec)] == [topic]
    assert below(replace(spec, name="laser_pose"), "laser_pose") == "laser_pose"


def with_columns(columns: tuple[str, ...]) -> type[Perceptor]:
    return type("Sonar", (Perceptor,), {"columns": columns})


DISTANCE = PerceptorSpec("sonar", "front", "torso", {})


def declare(topic: Topic, columns: tuple[str, ...] = ("x", "y", "n")) -> DeclaredPublisher:
    cycle = a_cycle(DISTANCE, columns, [1.0, 2.5, 2.6])
    publisher = DeclaredPublisher(robot_with(DISTANCE), cycle, DISTANCE, topic, with_columns(columns))
    publisher.bind()
    publisher.fill()
    return publisher


def test_columns_fill_nested_fields_integers_and_arrays_but_not_those_of_another_number() -> None:
    scan = declare(Topic("sensor_msgs/msg/LaserScan", "s/{name}", {"ranges": ("y", "x")}, constants={"range_max": 4.0}))
    assert (scan.topic, list(scan.message.ranges), scan.message.range_max) == ("r/s/front", [2.5, 1.0], 4.0)
    field = {"twist.linear.x": "y", "twist.angular.z": "x"}
    twist = declare(Topic("geometry_msgs/msg/TwistStamped", "t", field, factors={"twist.linear.x": 2.0}))
    assert (twist.message.twist.linear.x, twist.message.twist.angular.z) == (5.0, 1.0)
    assert declare(Topic("std_msgs/msg/Int32", "count", {"data": "n"})).message.data == 3
    spec = PerceptorSpec("touch", "p", "torso")
    touch = PERCEPTORS["touch"]
    publisher = DeclaredPublisher(robot_with(spec), a_cycle(spec, ("a", "b"), [1.0, 1.0]), spec, touch.topics[0], touch)
    publisher.bind()
    assert not publisher.fill()


@pytest.mark.parametrize(
    ("topic", "trouble"),
    [
        (Topic("no_such_msgs/msg/Sonar", "s", {}), "the package 'no_such_msgs' is not installed"),
        (Topic("std_msgs/msg/Sonar", "s", {}), "no message 'std_msgs/msg/Sonar'"),
        (Topic("std_msgs/msg/Bool", "s", {"value": "x"}), "no field 'value'; at 'value' there are: data"),
        (Topic("std_msgs/msg/Bool", "s", {"data": "z"}), "no column 'z'; use one of: x, y, n"),
        (Topic("std_msgs/msg/String", "s", {"data": "x"}), "a field of type string cannot be filled with one column"),
        (Topic("std_msgs/msg/Bool", "s", {"data": ("x", "y")}), "field of type boolean cannot be filled with several"),
        (Topic("std_msgs/msg/Bool", "s", {}, constants={"data": 3}), "data: the constant must be a bool, not 3"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused(topic: Topic, trouble: str) -> None:
    with pytest.raises(TopicError, match=trouble):
        declare(topic)


def test_a_topic_that_cannot_be_made_is_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = type("Sonar", (Perceptor,), {"topics": (Topic("std_msgs/msg/Bool", "s", {"data": "z"}),)})
    monkeypatch.setattr(registry, "perceptor_types", lambda: {**PERCEPTORS, "sonar": wrong})
    warnings: list[str] = []
    cycle: Any = SimpleNamespace(stamp=Time(), resets=0, odometry={})
    topics = {publisher.topic for publisher in publishers_of(robot_with(DISTANCE), cycle, warnings.append)}
    assert {"r/joint_states", "r/imu/data", "r/ground_truth", "r/hear", "r/seen_objects", "r/wrench/lfoot"} <= topics
    (warning,) = warnings
    assert "robot 'r': perceptor sonar 'front' gets no topic: there is no column 'z'" in warning


class SonarPublisher(DeclaredPublisher):
    @classmethod
    def of_robot(cls, robot: RobotEntry, cycle: Any) -> list[Any]:
        topic = Topic("std_msgs/msg/Float64", "own/{name}", {"data": "x"})
        return [cls(robot, cycle, spec, topic, with_columns(("x",))) for spec in robot.perceptors("sonar")]


def test_another_distribution_has_a_publisher_class_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sonar", SimpleNamespace(SonarPublisher=SonarPublisher))
    point = EntryPoint("sonar", "sonar:SonarPublisher", "simspark_ros.topics")
    monkeypatch.setattr(entry_points, "entry_points", lambda group: [point] if group == point.group else [])
    monkeypatch.setattr(registry, "perceptor_types", lambda: {**PERCEPTORS, "sonar": Perceptor})
    made = publishers_of(robot_with(DISTANCE), SimpleNamespace(stamp=Time(), resets=0, odometry={}), pytest.fail)  # type: ignore[arg-type]
    assert "r/own/front" in {publisher.topic for publisher in made}
