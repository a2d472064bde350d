"""Gyroscopes and accelerometers as messages, against the percepts they are made of."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from transforms3d.quaternions import quat2mat

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.sensors.imu import NOT_REPORTED, ImuPublisher

FOOT = (
    PerceptorSpec("gyroscope", "foot", "rfoot", {"noise": 0.1}),
    PerceptorSpec("accelerometer", "foot", "rfoot"),
    PerceptorSpec("accelerometer", "eye", "camera"),
)


def xyz(vector: Any) -> list[float]:
    return [vector.x, vector.y, vector.z]


def test_each_link_with_an_inertial_perceptor_has_a_topic_in_its_frame(played):
    nao = load_robot("nao")
    described = replace(nao, perceptors=(*nao.perceptors, *FOOT))
    robot = played.world.add_robot(described, (0.0, 0.0, 1.0), 0.3)
    entry, cycle = RobotEntry(robot.handle, "r", "/r", described, "global"), Cycle()
    percepts = played.run(3)
    cycle.bind(played.world, percepts)
    cycle.update(played.world, percepts, {})
    messages = {}
    for publisher in ImuPublisher.of_robot(entry, cycle):
        publisher.bind()
        assert publisher.fill()
        messages[publisher.topic] = publisher.message
    frames = {topic: message.header.frame_id for topic, message in messages.items()}
    parts = {"imu": "torso", "imu/rfoot": "rfoot", "imu/camera": "camera"}
    assert frames == {f"/r/{name}/{kind}": f"r/{link}" for name, link in parts.items() for kind in ("data_raw", "data")}
    foot, eye = messages["/r/imu/rfoot/data_raw"], messages["/r/imu/camera/data_raw"]
    assert xyz(foot.angular_velocity) == percepts.values[cycle.values(robot.handle, "gyroscope", "foot")].tolist()
    assert xyz(eye.linear_acceleration) == percepts.values[cycle.values(robot.handle, "accelerometer", "eye")].tolist()
    assert foot.angular_velocity_covariance.tolist() == pytest.approx(np.eye(3).ravel() * 0.01)
    assert foot.orientation_covariance.tolist() == NOT_REPORTED
    for link in ("rfoot", "camera"):
        q = messages[f"/r/imu/{link}/data"].orientation
        _, rotations = played.world.engine.link_poses(played.world.engine.select_links([(robot.handle, link)]))
        assert quat2mat((q.w, q.x, q.y, q.z)) == pytest.approx(rotations[0], abs=1e-9)
    assert eye.angular_velocity_covariance.tolist() == NOT_REPORTED
    # Zeros would say that nothing is known of the reading.
    assert eye.linear_acceleration_covariance.tolist() == pytest.approx(np.eye(3).ravel() * 1e-6)
