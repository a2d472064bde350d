"""The filter of Monte Carlo localization on its own: how the cloud moves, is weighed and finds a robot again."""

import math

import numpy as np
import pytest

from simspark_ros.motion.models.gaussian import GaussianMotionModel
from simspark_ros.players.monte_carlo import MonteCarloLocalization, MonteCarloSettings

LANDMARKS = np.array([[3.0, 2.0], [-3.0, 2.0], [0.0, -2.0]])


def localization(count: int = 1000) -> MonteCarloLocalization:
    return MonteCarloLocalization((-3, -2), (3, 2), np.random.default_rng(1), MonteCarloSettings(count=count))


def likelihood(truth: np.ndarray, sharper: float = 1.0):
    """Of bearings and distances to three landmarks, with deviations of 0.2 rad and 0.1 m, or so many times smaller."""

    def measured(poses: np.ndarray) -> np.ndarray:
        away = LANDMARKS - poses[:, None, :2]
        return np.concatenate((np.hypot(*away.T).T, np.arctan2(away[:, :, 1], away[:, :, 0]) - poses[:, 2:]), 1)

    def probability(poses: np.ndarray) -> np.ndarray:
        off = measured(poses) - measured(truth[None])
        off[:, 3:] = (off[:, 3:] + math.pi) % (2.0 * math.pi) - math.pi
        deviations = off * sharper / ([0.1] * 3 + [0.2] * 3)
        likely: np.ndarray = (0.01 + 0.99 * np.exp(-0.5 * deviations**2)).prod(axis=1)
        return likely

    return probability


def settle(cloud: MonteCarloLocalization, truth: np.ndarray, times: int) -> float:
    """Distance from the truth after some measurements, m."""
    for _ in range(times):
        cloud.move(0.05, 0.0, 0.1)
        truth[2] += 0.05
        truth[:2] += 0.05 * np.array([math.cos(truth[2]), math.sin(truth[2])])
        truth[2] += 0.05
        cloud.weigh(likelihood(truth), 6)
    return float(np.hypot(*(cloud.estimate().pose[:2] - truth[:2])))


def test_a_cloud_moves_on_average_as_the_robot_and_spreads_with_the_way():
    cloud = localization()
    cloud.poses[:] = (0.0, 0.0, math.pi / 2.0)
    for _ in range(100):
        cloud.move(0.01, 0.0, 0.0)
    mean, spread = cloud.poses.mean(axis=0), cloud.poses.std(axis=0)
    settings = MonteCarloSettings()
    # A thousand poses: means are known to 3 % of the deviations.
    assert mean == pytest.approx([0.0, 1.0, math.pi / 2.0], abs=0.02)
    assert spread[1] == pytest.approx(settings.distance_noise, rel=0.15)
    assert spread[2] == pytest.approx(settings.heading_noise, rel=0.15)


def test_it_finds_the_robot_from_anywhere_and_again_if_it_was_carried_away():
    cloud, truth = localization(), np.array([1.0, -0.5, 2.0])
    assert settle(cloud, truth, 25) < 0.1
    assert cloud.estimate().spread < 0.2
    assert settle(cloud, truth, 20) < 0.1
    cloud, truth = localization(), np.array([1.0, -0.5, 2.0])
    settle(cloud, truth, 40)
    truth[:] = (-2.0, 1.0, 0.0)
    assert settle(cloud, truth, 1) > 0.5
    assert settle(cloud, truth, 60) < 0.1
    settings = MonteCarloSettings(count=1000, effective=1.0)
    cloud = MonteCarloLocalization((-3, -2), (3, 2), np.random.default_rng(1), settings)
    assert settle(cloud, np.array([-1.0, 0.5, 0.3]), 40) < 0.1


def test_measurements_that_few_poses_survive_leave_many_poses():
    cloud, truth = localization(), np.array([1.0, -0.5, 2.0])
    distances = []
    for _ in range(4):
        cloud.weigh(likelihood(truth, 10.0), 6)
        # Half of the poses or more counted before they were drawn anew, or the next look would find one place only.
        distances.append(len(np.unique(np.round(cloud.poses[:, :2], 1), axis=0)))
    assert distances[0] > 200 > distances[-1]


def test_of_two_places_that_look_alike_it_believes_the_likelier_one_and_nothing_without_expectation():
    cloud = localization()
    cloud.poses[:] = (1.0, -0.5, 2.0)
    cloud.poses[::3] = (-1.0, 0.5, 2.0 - math.pi)
    estimate = cloud.estimate()
    assert estimate.pose == pytest.approx([1.0, -0.5, 2.0])
    # The spread tells of the other: a third of the poses are there.
    assert estimate.spread == pytest.approx(math.sqrt(5.0 / 3.0), rel=1e-2)
    cloud = localization(50)
    before = cloud.poses.copy()
    cloud.weigh(lambda poses: np.full(len(poses), -1.0))
    assert (cloud.poses == before).all()
    assert (cloud.weights == 1 / 50).all()


def test_a_learned_motion_model_moves_the_cloud_by_its_own_errors():
    cloud = localization()
    # Odometry tells a fifth too little, and 0.1 m of error in a step of 1 m.
    cloud.motion = GaussianMotionModel(np.diag([0.01, 0.0, 0.0]), np.array([0.2, 0.0, 0.0]))
    cloud.poses[:] = (0.0, 0.0, 0.0)
    # An arc of a quarter turn to the left.
    cloud.move(1.0, 0.0, math.pi / 2.0)
    mean, spread = cloud.poses.mean(axis=0), cloud.poses.std(axis=0)
    # The chord has 45 degrees in the axes before the step; the deviations of a thousand poses are known to 3 %.
    assert mean == pytest.approx([1.2 * math.sqrt(0.5), math.sqrt(0.5), math.pi / 2.0], abs=0.01)
    assert spread == pytest.approx([0.1 * math.sqrt(0.5), 0.0, 0.0], rel=0.1, abs=1e-4)
