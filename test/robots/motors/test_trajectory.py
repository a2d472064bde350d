"""Trajectories meet their points, with velocities and accelerations where these are given."""

import numpy as np
import pytest

from simspark_ros.robots.motors.trajectory import JointTrajectory

JOINTS, TIMES = np.array([0, 1]), np.array([0.5, 1.25, 2.0])
POSITIONS = np.array([[0.2, -0.4], [0.5, 0.1], [-0.3, 0.2]])
VELOCITIES = np.array([[0.3, 0.0], [-0.2, 0.7], [0.0, 0.0]])
ACCELERATIONS = np.array([[1.0, -0.5], [0.0, 2.0], [-1.0, 0.0]])
START = np.array([0.1, 0.0])

LINEAR = JointTrajectory(JOINTS, TIMES, POSITIONS)
CUBIC = JointTrajectory(JOINTS, TIMES, POSITIONS, VELOCITIES)
QUINTIC = JointTrajectory(JOINTS, TIMES, POSITIONS, VELOCITIES, ACCELERATIONS)
KINDS = pytest.mark.parametrize("trajectory", [LINEAR, CUBIC, QUINTIC], ids=["linear", "cubic", "quintic"])


@KINDS
def test_it_starts_where_the_joints_are_and_meets_every_point(trajectory: JointTrajectory) -> None:
    whole = trajectory.starting_at(START)
    np.testing.assert_allclose(whole.sample(0.0)[0], START)
    for time, positions in zip(TIMES, POSITIONS, strict=True):
        np.testing.assert_allclose(whole.sample(time)[0], positions, atol=1e-12)
        np.testing.assert_allclose(whole.sample(time - 1e-9)[0], positions, atol=1e-8)
    # After the end it rests.
    np.testing.assert_array_equal(trajectory.sample(5.0), [POSITIONS[-1], [0.0, 0.0]])


@KINDS
def test_given_rates_are_met_at_the_points_and_the_rate_is_the_slope_between(trajectory: JointTrajectory) -> None:
    whole, step = trajectory.starting_at(START), 1e-5
    for time, velocities, accelerations in zip(TIMES, VELOCITIES, ACCELERATIONS, strict=True):
        if trajectory is not LINEAR:
            np.testing.assert_allclose(whole.sample(time - 1e-9)[1], velocities, atol=1e-6)
        if trajectory is QUINTIC:
            before = (whole.sample(time - 1e-6)[1] - whole.sample(time - 2e-6)[1]) / 1e-6
            np.testing.assert_allclose(before, accelerations, atol=1e-3)
    for time in (0.1, 0.7, 1.3, 1.9):
        slope = (whole.sample(time + step)[0] - whole.sample(time - step)[0]) / (2.0 * step)
        np.testing.assert_allclose(whole.sample(time)[1], slope, atol=1e-6)


def test_a_first_point_at_zero_is_the_start() -> None:
    trajectory = JointTrajectory(JOINTS, np.array([0.0, 1.0]), POSITIONS[:2])
    assert trajectory.starting_at(START) is trajectory
    np.testing.assert_array_equal(trajectory.sample(0.0)[0], POSITIONS[0])
