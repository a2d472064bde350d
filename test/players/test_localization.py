"""Localization against a field seen without and with noise."""

import math
import random

import pytest

from simspark_ros.motion.interface import Travel
from simspark_ros.players.geometry import Polar, Pose
from simspark_ros.players.localization import Localization
from test.players.planar_world import polar_of

MARKS = {"F1L": (-15.0, 10.0, 0.0), "F1R": (15.0, 10.0, 0.0), "F2R": (15.0, -10.0, 0.0)}
MARKS |= {"G1R": (15.0, 1.05, 0.8), "G2R": (15.0, -1.05, 0.8)}
CAMERA = ((0.02, 0.0, 0.5), 0.3, -0.2)
"""Position above the ground, pan, tilt."""


def seen_from(pose: Pose, *names: str, noise: float = 0.0, seed: int = 1) -> dict[str, Polar]:
    """What the camera of a robot at this pose measures; `noise` is a multiple of the server's."""
    chance = random.Random(seed)
    polars = {}
    for name in names or MARKS:
        exact = polar_of(pose, MARKS[name], CAMERA)
        spread = (0.000965 * exact.range, math.radians(0.148), math.radians(0.1225))
        polars[name] = Polar(
            *(value + noise * chance.gauss(0, each) for value, each in zip(exact, spread, strict=True))
        )
    return polars


def assert_near(pose: Pose | None, expected: Pose, metres: float, radians: float) -> None:
    assert pose is not None
    assert pose.point.to(expected.point).range < metres
    assert abs(math.remainder(pose.heading - expected.heading, math.tau)) < radians


@pytest.mark.parametrize("truth", [Pose(0.0, 0.0, 0.0), Pose(-14.0, -9.0, 2.0), Pose(7.0, 3.0, -3.1)])
def test_two_or_more_marks_give_the_pose_without_any_prior(truth):
    localization = Localization(MARKS)
    localization.look(seen_from(truth), CAMERA)
    # The measurements are exact; what is left is the arithmetic and the linearisation.
    assert_near(localization.pose, truth, 0.01, 0.002)


def test_one_mark_alone_or_unknown_ones_give_no_pose():
    localization = Localization(MARKS)
    localization.look(seen_from(Pose(0.0, 0.0, 0.0), "F1R"), CAMERA)
    assert localization.pose is None
    localization.look({"X9Z": Polar(3.0, 0.0, 0.0), "Y": Polar(2.0, 0.0, 0.0)}, CAMERA)
    assert localization.pose is None


def test_one_mark_corrects_the_range_of_a_known_pose():
    truth = Pose(5.0, 0.0, 0.0)
    localization = Localization(MARKS)
    localization.place(Pose(4.7, 0.0, 0.0))
    for _ in range(20):
        localization.look(seen_from(truth, "G1R"), CAMERA)
    assert_near(localization.pose, truth, 0.1, 0.03)


def test_odometry_carries_the_pose_between_looks():
    localization = Localization(MARKS)
    localization.place(Pose(1.0, 2.0, math.pi / 2))
    for _ in range(50):
        localization.move(Travel(forward=0.01, left=0.002, turn=0.0), 0.02)
    assert_near(localization.pose, Pose(0.9, 2.5, math.pi / 2), 1e-6, 1e-6)
    localization.move(Travel(turn=math.pi), 0.02)
    assert_near(localization.pose, Pose(0.9, 2.5, -math.pi / 2), 1e-6, 1e-6)


def test_noise_of_the_camera_is_averaged_also_of_distant_posts_side_by_side():
    truth = Pose(-3.0, 4.0, 0.5)
    localization = Localization(MARKS)
    for look in range(30):
        localization.move(Travel(), 0.06)
        localization.look(seen_from(truth, noise=1.0, seed=look), CAMERA)
    # A single bearing at 15 m has 4 cm; thirty looks at five marks have much less.
    assert_near(localization.pose, truth, 0.05, 0.01)
    truth = Pose(-12.0, 0.0, 0.0)
    localization = Localization(MARKS)
    localization.place(truth)
    for look in range(10):
        localization.look(seen_from(truth, "G1R", "G2R", noise=1.0, seed=look), CAMERA)
    assert_near(localization.pose, truth, 0.15, 0.03)


def test_a_robot_that_was_carried_away_finds_itself_again():
    localization = Localization(MARKS)
    localization.place(Pose(-5.0, 0.0, 0.0))
    truth = Pose(3.6, 10.5, -2.0)
    localization.look(seen_from(truth), CAMERA)
    assert_near(localization.pose, truth, 0.02, 0.005)
