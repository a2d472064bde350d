"""A program of a robot that knows nothing but its sensors and effectors, for all that may fill them."""

from __future__ import annotations

import math

import numpy as np

from simspark_ros.sensors.access import RobotAccess

CONFIGURATION = """
based_on: differential
more_perceptors:
  - {kind: laser, link: base_link, model: LMS200,
     parameters: {beams: 180, angle_min_deg: -89.5, angle_max_deg: 89.5, range_max: 20.0}}
  - {kind: range, name: nose, link: base_link, model: Pioneer, parameters: {ground: false}}
  - {kind: odometry}
  - {kind: restricted_vision, name: eye, link: base_link,
     parameters: {horizontal_fov_deg: 360.0, vertical_fov_deg: 360.0, distance_noise: 0.0,
                  horizontal_noise_deg: 0.0, vertical_noise_deg: 0.0, calibration_error: 0.0}}
"""
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
