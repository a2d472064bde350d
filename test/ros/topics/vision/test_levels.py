"""The topics of detectors, under messages made of our own definitions or under stand-ins for the packages' own."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseWithCovariance, TwistWithCovariance, Vector3
from std_msgs.msg import Header

from simspark_ros.configuration.resources import resource
from simspark_ros.perceptors.detection.features import DETECTION_FEATURES, features_of_detections
from simspark_ros.perceptors.readings import Crossing, Detected, Detections, Ellipse, Markings
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.sensor_sources import source_of_detections
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.vision.levels import LevelPublisher

PACKAGES = {"soccer_vision_2d_msgs": "Vision2d", "soccer_vision_3d_msgs": "Vision3d", "soccer_model_msgs": "Model"}
COMMON = {
    "Goalpost": "bb attributes confidence",
    "Robot": "bb attributes confidence",
    "BallArray": "header balls",
    "GoalpostArray": "header posts",
    "RobotArray": "header robots",
    "MarkingArray": "header ellipses intersections segments",
    "MarkingSegment": "start end confidence",
}
STANDARD_FIELDS = {
    "soccer_vision_2d_msgs": {
        **COMMON,
        "Ball": "bb center confidence",
        "MarkingIntersection": "center num_rays heading_rays confidence",
        "MarkingEllipse": "bb center confidence",
    },
    "soccer_vision_3d_msgs": {
        **COMMON,
        "Ball": "center confidence",
        "MarkingIntersection": "center num_rays rays confidence",
        "MarkingEllipse": "diameter center confidence",
    },
    "soccer_model_msgs": {
        "Ball": "header point twist",
        "Robot": "pose twist attributes",
        "RobotArray": "header robots",
    },
}
"""Fields of the messages of release 1.0 of the packages."""

KNOWN: dict[str, Callable[[], Any]] = {
    "std_msgs/Header": Header,
    "geometry_msgs/Point": Point,
    "geometry_msgs/Pose": Pose,
    "geometry_msgs/Vector3": Vector3,
    "geometry_msgs/PoseWithCovariance": PoseWithCovariance,
    "geometry_msgs/TwistWithCovariance": TwistWithCovariance,
}


def fields_of(name: str) -> dict[str, str]:
    """Types of the fields of one of our messages by their names."""
    lines = Path(resource("msg", f"{name}.msg")).read_text().splitlines()
    declared = [line.split() for line in lines if line and not line.startswith("#") and "=" not in line]
    return {words[1]: words[0] for words in declared}


def stand_in(name: str) -> type[Any]:
    """A class with the fields of one of our messages, which takes no others; as rosidl would make it."""

    def start(self: Any) -> None:
        for field, kind in fields_of(name).items():
            value: Any = 0
            if kind.endswith("]"):
                value = []
            elif kind in KNOWN:
                value = KNOWN[kind]()
            elif kind[0].isupper():
                value = stand_in(kind)()
            setattr(self, field, value)

    return type(name, (), {"__slots__": tuple(fields_of(name)), "__init__": start})


@pytest.fixture(params=["standard", "own"])
def messages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    own = import_module("simspark_ros.msg")
    for package, prefix in PACKAGES.items():
        module = ModuleType(f"{package}.msg")
        for name in STANDARD_FIELDS[package]:
            made = stand_in(f"{prefix}{name}")
            if request.param == "standard":
                setattr(module, name, made)
            else:
                monkeypatch.setattr(own, f"{prefix}{name}", made, raising=False)
        installed = module if request.param == "standard" else None
        monkeypatch.setitem(sys.modules, package, installed)
        monkeypatch.setitem(sys.modules, f"{package}.msg", installed)
    return str(request.param)


def found() -> Detections:
    """A ball, a phantom of one, a post and a robot, and a line."""
    kinds = [Detected.BALL, Detected.BALL, Detected.GOALPOST, Detected.ROBOT]
    count = np.arange(4.0)
    return Detections(
        kind=np.array(kinds),
        team=np.array([0, 0, 1, 2]),
        number=np.array([0, 0, 2, 7]),
        state=np.array([0, 0, 0, 1]),
        facing=np.array([0, 0, 0, 4]),
        pixel=np.column_stack((count, count + 10.0)),
        box=np.column_stack((count, count + 1.0, count + 4.0, count + 8.0)),
        position=np.column_stack((count, count + 0.1, count + 0.2)),
        size=np.full((4, 3), 0.5),
        axes=np.eye(3),
        line_pixels=np.array([[[0.0, 1.0], [2.0, 3.0]]]),
        lines=np.array([[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]]),
        in_map=np.column_stack((count + 5.0, count, count)),
        covariance=np.full((4, 3, 3), 0.01),
        velocity=np.full((4, 3), 2.0),
        heading=np.array([0.0, 0.0, 0.0, np.pi]),
        pose=np.column_stack((np.eye(3), [1.0, 2.0, 3.0])),
    )


def published(detections: Detections | None) -> dict[str, Any]:
    robot = RobotEntry(7, "r", "r", load_robot("nao_sensors"), "namespaced")
    cycle: Any = SimpleNamespace(stamp=Time(sec=3), detections={})
    publishers = LevelPublisher.of_robot(robot, cycle)
    assert {publisher.perceptor for publisher in publishers} == {(7, "detections", "detections")}
    if detections is not None:
        cycle.detections = {(7, "detections", "detections"): detections}
    return {publisher.topic: publisher.message for publisher in publishers if publisher.fill()}


def test_each_level_has_its_messages_in_its_frame_with_what_was_found_once_there_is_a_picture(messages: str) -> None:
    made = published(found())
    things = ("balls", "goalposts", "robots", "markings")
    flat, solid = ([f"r/vision_{level}/{name}" for name in things] for level in ("2d", "3d"))
    model = ["r/model/ball", "r/model/robots", "r/model/pose"]
    assert sorted(made) == sorted([*flat, *solid, *model])
    for topics, frame in ((flat, "camera_optical"), (solid, "torso"), (model, "map")):
        assert {(made[topic].header.frame_id, made[topic].header.stamp.sec) for topic in topics} == {(frame, 3)}
    assert messages == "own" or type(made["r/vision_2d/balls"]).__name__ == "Vision2dBallArray"
    ball = made["r/vision_2d/balls"].balls[1]
    assert (ball.center.x, ball.center.y) == (1.0, 11.0)
    place, size = ball.bb.center.position, (ball.bb.size_x, ball.bb.size_y)
    assert (place.x, place.y, size) == (3.0, 5.5, (4.0, 7.0))
    (post,) = made["r/vision_3d/goalposts"].posts
    assert (post.attributes.side, post.attributes.team, post.bb.center.position.x) == (2, 1, 2.0)
    (robot,) = made["r/vision_3d/robots"].robots
    seen = robot.attributes
    assert (seen.player_number, seen.team, seen.state, seen.facing) == (7, 2, 1, 4)
    assert (robot.bb.size.z, robot.bb.center.orientation.w) == (0.5, 1.0)
    (line,) = made["r/vision_2d/markings"].segments
    assert (line.start.x, line.end.y) == (0.0, 3.0)
    (line,) = made["r/vision_3d/markings"].segments
    assert (line.start.z, line.end.x) == (2.0, 3.0)
    assert published(None) == {}


def test_programs_on_a_network_read_what_the_detector_has_found(messages: str) -> None:
    made, expected = published(found()), features_of_detections(found())
    spec = next(one for one in load_robot("nao_sensors").perceptors if one.kind == "detections")
    for feature in DETECTION_FEATURES:
        source = source_of_detections(spec, feature.name)
        read = source.read(made[f"r/{source.topic}"])[feature.name]
        assert len(read) == len(feature.columns), feature.name
        assert read == pytest.approx(expected[feature.name], nan_ok=True), feature.name


def test_crossings_and_the_circle_are_intersections_and_ellipses(messages: str) -> None:
    corner = Crossing(np.array([3.0, 4.0]), np.array([0.5, 2.0]), np.array([1.0, 2.0, 3.0]), np.eye(3)[:2])
    circle = Ellipse(np.array([5.0, 6.0]), np.array([1.0, 2.0, 9.0, 8.0]), np.array([4.0, 5.0, 6.0]), 4.0)
    made = published(found()._replace(markings=Markings((corner,), (circle,))))
    flat, deep = made["r/vision_2d/markings"], made["r/vision_3d/markings"]
    (crossing,), (ellipse,) = flat.intersections, flat.ellipses
    assert (crossing.center.x, crossing.num_rays, list(crossing.heading_rays)) == (3.0, 2, [0.5, 2.0])
    assert (ellipse.center.y, ellipse.bb.size_x, ellipse.bb.center.position.y) == (6.0, 8.0, 5.0)
    (crossing,), (ellipse,) = deep.intersections, deep.ellipses
    assert (crossing.center.z, crossing.num_rays, crossing.rays[1].y) == (3.0, 2, 1.0)
    assert (ellipse.center.position.x, ellipse.diameter, ellipse.center.orientation.w) == (4.0, 4.0, 1.0)


def test_the_model_has_one_ball_and_says_how_uncertain_it_is(messages: str) -> None:
    made = published(found())
    ball = made["r/model/ball"]
    assert ball.point.point.x == 5.0, "phantoms come after the true one"
    assert list(ball.point.covariance) == [0.01] * 9
    assert ball.twist.twist.linear.y == 2.0
    # nao_sensors: 0.1 m/s, 0.05 m, 2 degrees.
    assert ball.twist.covariance[7] == pytest.approx(0.01)
    (robot,) = made["r/model/robots"].robots
    assert (robot.pose.pose.position.x, robot.pose.pose.orientation.z) == (8.0, pytest.approx(1.0))
    assert robot.pose.covariance[1] == 0.01
    at = made["r/model/pose"].pose
    assert (at.pose.position.y, at.covariance[0], at.covariance[35]) == pytest.approx((2.0, 0.0025, 0.0012), rel=0.02)


@pytest.mark.parametrize("package", PACKAGES)
def test_our_messages_have_the_fields_of_the_packages(package: str) -> None:
    for name, fields in STANDARD_FIELDS[package].items():
        assert list(fields_of(PACKAGES[package] + name)) == fields.split(), name
