"""The topics that `simspark robot inspect` names are those of the publishers, by name, frame and rate."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")

from simspark_ros.commands.robots.topics import rate_of, topics_of
from simspark_ros.perceptors.base import TopicParameters
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.robots.catalogue import load_robot, robot_names, with_more
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.ros.camera.names import camera_topics
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.registry import publishers_of
from simspark_ros.simulation.registry import PERCEPTORS

OF_EVERY_ROBOT = {"joint_states", "ground_truth", "odom", "hear"}

MORE = (
    {"kind": "gyroscope", "name": "hand", "link": "rlowerarm", "parameters": {"interval": 5}},
    {"kind": "accelerometer", "name": "hand", "link": "rlowerarm", "parameters": {"interval": 2}},
    {"kind": "gyroscope", "name": "second", "link": "rlowerarm"},
    {"kind": "touch", "name": "bumper", "link": "torso", "parameters": {"interval": 4}},
    {"kind": "ground_truth", "name": "truth", "link": "head", "parameters": {"interval": 10}},
    {"kind": "odometry", "name": "wheels"},
    {"kind": "laser_objects", "name": "around", "link": "torso"},
    {"kind": "universal_joint", "name": "arm", "joints": ["laj1", "laj2"]},
)


def robots() -> Iterator[RobotDescription]:
    yield from map(load_robot, robot_names())
    yield with_more("nao_sensors", 0, {"perceptors": list(MORE)})


def made_for(robot: RobotDescription) -> dict[str, Any]:
    """The publishers of a robot, by the topics' names below its namespace."""
    entry = RobotEntry(7, "r", "r", robot, "namespaced")
    return {one.topic.removeprefix("r/"): one for one in publishers_of(entry, Cycle(), pytest.fail)}


def told_of(robot: RobotDescription) -> Iterator[tuple[str, str, PerceptorSpec]]:
    """Topic, frame and sensor of each topic but pictures, and but those whose messages may not be installed."""
    for spec in robot.perceptors:
        if spec.kind != "camera":
            for name, frame in topics_of(spec, robot, PERCEPTORS[spec.kind]).items():
                if not name.startswith("sensors/"):
                    yield name, frame, spec


@pytest.mark.parametrize("robot", list(robots()), ids=lambda robot: robot.name)
def test_topics_and_frames_are_those_of_the_publishers(robot: RobotDescription) -> None:
    made = made_for(robot)
    told = {name: frame for name, frame, _ in told_of(robot)}
    frames = {name: one.message.header.frame_id if hasattr(one.message, "header") else "" for name, one in made.items()}
    assert told == {name: frames[name] for name in told}
    motors = {name for name in made if name.startswith(("motors/", "sensors/")) or name.strip("/") == "tf"}
    assert made.keys() - told.keys() <= OF_EVERY_ROBOT | motors


def test_rates_follow_intervals_and_are_shared_by_sensors_of_one_topic() -> None:
    robot = with_more("nao_sensors", 0, {"perceptors": list(MORE)})
    made = made_for(robot)
    rates = {name: rate_of(spec, robot, PERCEPTORS[spec.kind]) for name, _, spec in told_of(robot)}
    for name, _, spec in told_of(robot):
        if issubclass(PERCEPTORS[spec.kind].options or object, TopicParameters) and name != "joint_states":
            assert rates[name] == 50.0 / made[name].interval, name
    assert rates["imu/rlowerarm/data"] == 25.0
    # Due in their perceptors, not in their publishers.
    assert rates["scan"] == rates["vision_2d/balls"] == 10.0
    assert rates["seen_objects"] == pytest.approx(50.0 / 3.0)


@pytest.mark.parametrize("name", ["nao_sensors", "nao_v6", "omni_sensors", "differential_sensors"])
def test_pictures_have_the_topics_frames_and_rates_of_the_camera_process(name: str) -> None:
    robot = load_robot(name)
    cameras = {one.name: one for one in cameras_of(robot)}
    for spec in robot.perceptors:
        if spec.kind == "camera":
            topics, camera = topics_of(spec, robot, PERCEPTORS["camera"]), cameras[spec.name]
            assert list(topics) == [f"{spec.name}/{topic}" for topic in camera_topics(camera.settings)]
            assert set(topics.values()) <= {camera.frame, ""}
            assert rate_of(spec, robot, PERCEPTORS["camera"]) == camera.settings.rate_hz
