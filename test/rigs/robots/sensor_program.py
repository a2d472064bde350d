"""A program of a robot that knows nothing but its sensors and effectors, for all that may fill them."""

import math

import numpy as np

from simspark_ros.sensors.access import RobotAccess
from simspark_ros.sensors.container import SensorContainer

CONFIGURATION = """
based_on: differential
more_perceptors:
  - {kind: laser, link: base_link, model: LMS200,
     parameters: {beams: 180, angle_min_deg: -89.5, angle_max_deg: 89.5, range_max: 20.0}}
  - {kind: range, name: nose, link: base_link, model: Pioneer, parameters: {ground: false}}
  - {kind: odometry}
  - {kind: restricted_vision, name: eye, link: base_link, model: omni,
     parameters: {horizontal_fov_deg: 360.0, vertical_fov_deg: 360.0, distance_noise: 0.0,
                  horizontal_noise_deg: 0.0, vertical_noise_deg: 0.0, calibration_error: 0.0}}
"""
SEEING = f"""{CONFIGURATION}
  - {{kind: camera, link: camera, model: DFW500,
     parameters: {{width: 32, height: 24, depth: true, segmentation: true}}}}
  - {{kind: camera, name: omni_camera, link: omni_camera, model: omni,
     parameters: {{width: 16, height: 16, mirror: isometric}}}}
  - {{kind: detections, link: camera, model: DFW500, parameters: {{camera: camera}}}}
  - {{kind: detections, name: omni_detections, link: omni_camera, model: omni, parameters: {{camera: omni_camera}}}}
frames:
  - {{name: camera, link: base_link, position: [0.1, 0.0, 0.3]}}
  - {{name: omni_camera, link: base_link, position: [0.0, 0.0, 0.6]}}
"""
"""The same with a camera of each kind, and what software finds in its pictures."""
NEEDS_BEAMS = CONFIGURATION.replace("beams: 180", "beams: none")


def drive_a_little(robot: RobotAccess, patience: float) -> float:
    """Drive forward for 5 cm by odometry; returns by how much the right goal came nearer, m."""
    scan, goal = robot.sensors.get(model="LMS200"), robot.sensors.get(feature="goal_distance")
    pose = robot.sensors.get(feature="odometry_pose")
    assert robot.sensors.find(type="range")[0].model == "Pioneer"
    assert robot.sensors.update(scan, goal, pose, patience=patience)
    assert len(scan.values) == 180
    assert abs(scan.bearings[0] + math.radians(89.5)) < 1e-9
    assert np.isfinite(scan.values).any()
    first, before = goal.values[1], pose.values.copy()
    while math.dist(pose.values[:2], before[:2]) < 0.05:
        robot.command("wheels", 0.3, 0.0, 0.0)
        assert robot.sensors.update(pose, patience=patience)
    robot.command("wheels", 0.0, 0.0, 0.0)
    while goal.stamp is None or pose.stamp is None or goal.stamp < pose.stamp:
        assert robot.sensors.update(goal, patience=patience)
    return float(first - goal.values[1])


def turn_a_little(robot: RobotAccess, patience: float) -> float:
    """Turn to the left by 0.1 rad of odometry, wheel by wheel; returns by how much, rad."""
    pose = robot.sensors.get(feature="odometry_pose")
    assert robot.sensors.update(pose, patience=patience)
    before = pose.values[2]
    while pose.values[2] - before < 0.1:
        robot.command("hinge", 0, -1.0)
        robot.command("hinge", 1, 1.0)
        assert robot.sensors.update(pose, patience=patience)
    robot.command("hinge", 0, 0.0)
    robot.command("hinge", 1, 0.0)
    return float(pose.values[2] - before)


def find_all_kinds_of_sight(sensors: SensorContainer) -> None:
    """Search a container of `SEEING` by type, model and feature."""
    assert {one.feature.name for one in sensors.find(type="camera", name="camera")} == {"image", "depth", "labels"}
    assert [one.name for one in sensors.find(type="camera", feature="image")] == ["camera", "omni_camera"]
    assert {one.type for one in sensors.find(model="DFW500")} == {"camera", "detections"}
    assert {one.type for one in sensors.find(model="omni")} == {"camera", "detections", "restricted_vision"}
    levels = ("ball_box", "line_pixels", "robot_distance", "goalpost_angle", "ball_position", "robot_pose", "pose")
    for feature in levels:
        assert [one.name for one in sensors.find(feature=feature)] == ["detections", "omni_detections"]
    for feature in ("line_distance", "line_angle", "ball_distance"):
        assert [one.type for one in sensors.find(feature=feature)] == ["restricted_vision", "detections", "detections"]
