"""Expectations on a grid of poses, and the Gaussian around them."""

import math

import numpy as np
import pytest

from simspark_ros.sensors.feature import Feature, Quantity
from simspark_ros.sensors.perceptual_model import PerceptualModel, PoseGrid

GRID = PoseGrid((-2.0, -1.0), (2.0, 1.0), 0.5, 12)
GOAL = np.array([2.6, 0.2])


def angle_to_goal(pose: np.ndarray) -> float:
    dx, dy = GOAL - pose[:2]
    return math.remainder(math.atan2(dy, dx) - pose[2], 2.0 * math.pi)


def learned(quantity: Quantity, value, **options) -> PerceptualModel:
    model = PerceptualModel(Feature("goal", ("goal",), quantity), GRID, **options)
    for pose in GRID.poses():
        model.learn(pose, np.array([value(pose)]))
    return model


@pytest.fixture(scope="module")
def angles() -> PerceptualModel:
    return learned("angle", angle_to_goal)


def test_the_grid_has_all_poses_of_its_rows_and_finds_them_again():
    assert GRID.shape == (9, 5, 12)
    poses = GRID.poses()
    assert len(poses) == 9 * 5 * 12
    assert poses[0].tolist() == [-2.0, -1.0, 0.0]
    assert GRID.cells(poses).reshape(9, 5, 12, 3)[4, 2, 7] == pytest.approx([4, 2, 7])


def test_expectations_between_poses_are_interpolated_also_across_half_a_turn(angles):
    random = np.random.default_rng(1)
    poses = np.column_stack((random.uniform(-2, 1, 200), random.uniform(-1, 1, 200), random.uniform(-9, 9, 200)))
    off = np.array([angle_to_goal(pose) for pose in poses]) - angles.expected(poses)[:, 0]
    off = (off + math.pi) % (2.0 * math.pi) - math.pi
    # Between places half a metre apart, a bearing at 1.6 m bends by less than 1.5 degrees.
    assert np.abs(off).max() < math.radians(1.5)


def test_the_probability_is_a_gaussian_of_five_degrees_and_twenty_millimetres(angles):
    pose = np.array([[0.5, 0.5, 0.0]])
    expected = angles.expected(pose)[0]
    for sigmas in (0.0, 1.0, 2.5):
        likely = angles.probability(pose, expected + sigmas * math.radians(5.0))
        # The table has hundredths of a deviation, and a floor of 0.01.
        assert likely == pytest.approx(0.01 + 0.99 * math.exp(-0.5 * sigmas**2), abs=0.01)
    distances = learned("distance", lambda pose: float(np.hypot(*(GOAL - pose[:2]))), floor=0.0)
    at = distances.expected(pose)[0]
    assert distances.probability(pose, at + 0.02) == pytest.approx(math.exp(-0.5), abs=0.01)
    assert distances.probability(pose, at + 1.0) == pytest.approx(0.0, abs=1e-6)


def test_without_expectation_or_measurement_the_probability_is_minus_one(angles):
    outside, inside = np.array([[9.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 0.0]])
    assert angles.probability(outside, np.array([0.0])) == [-1.0]
    assert angles.probability(inside, np.array([math.nan])) == [-1.0]
    empty = PerceptualModel(Feature("scan", ("a",), "distance"), GRID)
    assert empty.probability(inside, np.array([1.0])) == [-1.0]


def test_a_feature_that_is_no_distance_or_angle_cannot_be_expected():
    with pytest.raises(ValueError, match="odometry_pose"):
        PerceptualModel(Feature("odometry_pose", ("x",)), GRID)


def test_of_many_values_a_few_count_evenly_spread():
    feature = Feature("scan", tuple("abcdefg"), "distance")
    model = PerceptualModel(feature, GRID, most=3)
    assert model.columns.tolist() == [0, 3, 6]
    assert PerceptualModel(feature, GRID, most=9).columns.tolist() == list(range(7))
    values, pose = np.arange(7).astype(float), np.array([[0.0, 0.0, 0.0]])
    for one in GRID.poses():
        model.learn(one, values)
    assert model.expected(pose)[0].tolist() == [0.0, 3.0, 6.0]
    assert model.probability(pose, values + np.array([0, 9, 9, 0, 9, 9, 0])) == 1.0
    assert model.probability(pose, values + np.eye(7)[0]) == pytest.approx(0.01, abs=1e-6)
