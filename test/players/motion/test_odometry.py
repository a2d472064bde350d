"""Odometry of a robot on feet."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.physics.geometry.kinematics import LinkChains, link_frames
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.players.motion.odometry import LegOdometer
from simspark_ros.robots.catalogue import load_robot

MODEL = load_robot("nao").model
FEET = ("lfoot", "rfoot")
REST = (0.0, 0.0, 9.81)
CYCLE = 0.02


def test_chains_of_links_agree_with_the_whole_model() -> None:
    model = load_robot("nao_lola", 4).model
    angles = np.random.default_rng(1).uniform(-0.7, 0.7, len(model.joints))
    names = ["ltoe", "head", "torso"]
    placed = LinkChains(model, names).at(angles)
    assert LinkChains(model, ["torso"]).at(angles)[0] == pytest.approx(np.eye(4))
    poses = link_frames(model, dict(zip([joint.name for joint in model.joints], angles.tolist(), strict=True)))
    for name, pose in zip(names, placed, strict=True):
        assert pose[:3, :3] == pytest.approx(poses[name].rotation), name
        assert pose[:, 3] == pytest.approx([*poses[name].position, 1.0]), name


def angles_of(**named: float) -> np.ndarray:
    return np.array([named.get(joint.name, 0.0) for joint in MODEL.joints])


def feel(odometer: LegOdometer, angles: np.ndarray, left: float, right: float, gyro=(0.0, 0.0, 0.0)) -> None:
    """A cycle in which the ground presses on the soles' middles with these forces, N."""
    soles = link_frames(MODEL)
    points = np.array(
        [soles[f"{side}_sole"].position - soles[foot].apply(np.array(MODEL.link(foot).centre)) for side, foot in SIDES]
    )
    odometer.update(angles, gyro, REST, points, np.array([[0.0, 0.0, left], [0.0, 0.0, right]]), CYCLE)


SIDES = (("l", "lfoot"), ("r", "rfoot"))


def test_the_torso_moves_against_the_foot_that_bears_it() -> None:
    odometer = LegOdometer(MODEL, FEET)
    feel(odometer, angles_of(), 20.0, 20.0)
    height = odometer.pose.position[2]
    # The left leg, on the ground, swings back; the right one swings forward in the air.
    feel(odometer, angles_of(llj3=-0.2, llj5=0.2, rlj3=0.3), 40.0, 0.0)
    x, y, z = odometer.pose.position
    leg = height - -link_frames(MODEL)["lthigh"].position[2]
    assert x > 0.5 * leg * math.sin(0.2) and abs(y) < 1e-6
    assert z < height
    assert odometer.linear[0] == pytest.approx(x / CYCLE)


def test_a_robot_in_the_air_and_after_a_gap_stays_where_it_was() -> None:
    odometer = LegOdometer(MODEL, FEET)
    feel(odometer, angles_of(), 20.0, 20.0)
    before = odometer.pose.position.copy()
    feel(odometer, angles_of(llj3=0.5, rlj3=0.5), 0.0, 0.0)
    assert odometer.pose.position == pytest.approx(before)
    odometer.pause()
    feel(odometer, angles_of(), 20.0, 20.0, gyro=(0.0, 0.0, 5.0))
    assert odometer.pose.position == pytest.approx(before)
    assert odometer.pose.rotation == pytest.approx(np.eye(3))


def test_the_gyroscope_gives_the_heading() -> None:
    odometer = LegOdometer(MODEL, FEET)
    for _ in range(51):
        feel(odometer, angles_of(), 20.0, 20.0, gyro=(0.0, 0.0, 1.0))
    assert odometer.pose.rotation == pytest.approx(rotation_from_rpy((0.0, 0.0, 1.0)), abs=1e-6)
    assert odometer.angular == pytest.approx([0.0, 0.0, 1.0])


def test_a_robot_on_its_chest_keeps_its_last_rotation() -> None:
    odometer = LegOdometer(MODEL, FEET)
    for _ in range(500):
        odometer.update(angles_of(), (0.0, 0.0, 0.0), (-9.81, 0.0, 0.0), np.zeros((2, 3)), np.zeros((2, 3)), CYCLE)
    assert np.isfinite(odometer.pose.rotation).all()
    turned = Transform(odometer.pose.rotation)
    assert turned.rotation @ turned.rotation.T == pytest.approx(np.eye(3))
