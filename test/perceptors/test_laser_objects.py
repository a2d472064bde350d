"""Robots and the pose that a scanner's software tells, against where they are."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.perceptors.laser_objects import LaserObjectsPerceptor, segments
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from test.perceptors.readings import reading

ROBOT, OTHER = load_robot("differential_sensors"), load_robot("omni")


def test_neighbouring_beams_at_about_the_same_distance_are_one_thing():
    angles = np.radians(np.arange(-5.0, 6.0))
    distance = np.array([np.inf, 2.0, 2.05, np.inf, 1.0, 1.0, 3.0, 3.1, np.inf, np.inf, 4.0])
    found = segments(distance, angles, 0.3)
    assert found[:, 0].tolist() == [2.0, 1.0, 3.0, 4.0]
    assert np.degrees(found[:, 1]) == pytest.approx([-3.5, -0.5, 1.5, 5.0])
    assert found[1, 2] == pytest.approx(2.0 * math.sin(math.radians(0.5)))
    assert len(segments(np.full(11, np.inf), angles, 0.3)) == 0


def test_robots_are_told_by_distance_and_bearing_and_the_pose_is_the_base_frames(play):
    played = play(engine="planar", world="msl", referee=False)
    exact = LaserObjectsPerceptor.exact(PerceptorSpec("laser_objects", "own", "laser", {"beams": 361}))
    robot = replace(ROBOT, perceptors=(*ROBOT.perceptors, exact))
    watcher = played.world.add_robot(robot, (-0.03, 0.0, robot.spawn_height), 0.0)
    played.world.add_robot(OTHER, (2.1, 0.0, OTHER.spawn_height), 0.0)
    played.world.add_robot(OTHER, (1.6, 1.5, OTHER.spawn_height), 0.0)
    played.simulation.sensing.demand({(watcher.handle, "laser_objects", "own")})
    percepts = played.simulation.sensing.sense(played.world, 0.0)
    values = reading(percepts, "laser_objects", name="own")
    assert values[:3] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    distances, bearings, widths = values[3:].reshape(3, -1)
    # Robots of 0.5 m, 2 m ahead of the scanner and 2.1 m away to the left, by the nearest point of each.
    assert distances[:2] == pytest.approx([2.0 - 0.25, math.hypot(1.5, 1.5) - 0.25], abs=0.05)
    assert np.degrees(bearings[:2]) == pytest.approx([0.0, 45.0], abs=1.5)
    assert widths[:2] == pytest.approx([0.45, 0.45], abs=0.1)
    assert np.isnan(distances[2:]).all()
