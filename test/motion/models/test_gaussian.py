"""The probability of a robot's next pose is learned from motions, sampled, and told."""

import math

import numpy as np
import pytest

from simspark_ros.motion.models.displacements import displaced, displacements
from simspark_ros.motion.models.gaussian import GaussianMotionModel

GAINS = np.array([[0.01, 0.0, 0.0], [0.0025, 0.0, 0.0], [0.0, 0.0, 0.04]])
"""Deviations of 10 % forward and 5 % aside of the way, and of 20 % of the turn."""


def motions(count, seed=1):
    """Poses, and moves of a robot on two wheels."""
    draw = np.random.default_rng(seed)
    poses = draw.uniform(-3.0, 3.0, (count, 3))
    moves = np.column_stack((draw.uniform(-0.5, 0.5, count), np.zeros(count), draw.uniform(-1.0, 1.0, count)))
    return poses, moves


def test_displacements_and_poses_are_the_same_thing():
    before, moves = motions(50)
    assert displacements(before, displaced(before, moves)) == pytest.approx(moves)


def test_a_model_learns_errors_from_motions():
    poses, moves = motions(5000)
    after = GaussianMotionModel(GAINS, np.array([-0.1, 0.0, 0.05])).sample(poses, moves, np.random.default_rng(2))
    learned = GaussianMotionModel()
    learned.learn(poses, moves, after)
    # A variance of 5000 samples is known to two in a hundred, by these uneven ones to four.
    assert learned.gains[[0, 1, 2], [0, 0, 2]] == pytest.approx(GAINS[[0, 1, 2], [0, 0, 2]], rel=0.15)
    assert learned.bias == pytest.approx([-0.1, 0.0, 0.05], abs=0.01)


def test_a_part_of_the_motion_that_hardly_occurs_explains_no_errors():
    poses, moves = motions(5000)
    # A cycle's way on wheels bends aside by half the turn, and errors here are those of the turn.
    moves[:, 1] = moves[:, 0] * moves[:, 2] * 0.02
    errors = np.random.default_rng(5).standard_normal(5000) * moves[:, 0] * moves[:, 2]
    learned = GaussianMotionModel()
    learned.learn(poses, moves, displaced(poses, moves + errors[:, None] * (0.0, 0.0, 1.0)))
    assert learned.gains.max() < 2.0
    assert not learned.gains[:, 1].any()


def test_a_robot_that_stood_teaches_nothing_and_what_is_not_a_number_is_refused():
    poses, moves = motions(5)
    learned = GaussianMotionModel()
    learned.learn(poses, 0.0 * moves, poses)
    assert not learned.gains.any()
    with pytest.raises(ValueError, match="finite"):
        learned.learn(poses, math.nan * moves, poses)


def test_samples_spread_as_the_model_says():
    model = GaussianMotionModel(GAINS)
    start = np.tile((1.0, 2.0, math.pi / 2), (20000, 1))
    after = model.sample(start, np.array([1.0, 0.0, 0.5]), np.random.default_rng(3))
    # Forward is along y here.
    assert after.mean(axis=0) == pytest.approx([1.0, 3.0, math.pi / 2 + 0.5], abs=0.005)
    assert after.std(axis=0) == pytest.approx([0.05, 0.1, 0.1], rel=0.03)


def test_the_density_is_that_of_three_normal_distributions():
    model, start, move = GaussianMotionModel(GAINS), np.zeros((2, 3)), np.array([1.0, 0.0, 0.5])
    after = np.array([[1.0, 0.0, 0.5], [1.1, 0.05, 0.6]])
    density = model.probability(after, start, move)
    assert density[0] == pytest.approx((2.0 * math.pi) ** -1.5 / (0.1 * 0.05 * 0.1))
    # A standard deviation off in each direction.
    assert density[1] == pytest.approx(density[0] * math.exp(-1.5))


def test_a_robot_that_stands_stays():
    poses, _ = motions(5)
    assert GaussianMotionModel(GAINS).sample(poses, np.zeros(3), np.random.default_rng(4)) == pytest.approx(
        poses, abs=1e-5
    )
