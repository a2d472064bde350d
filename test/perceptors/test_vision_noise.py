"""Noise of vision: deviation, shape and independence, and the spread of calibrations.

Shapes are compared by the largest distance between two distribution functions (Kolmogorov). The inequality of
Dvoretzky, Kiefer, Wolfowitz and Massart bounds it for any number of samples: n of them exceed
`sqrt(log(2 / p) / (2 n))` with a chance of at most p.
"""

import math

import numpy as np
import pytest

from simspark_ros.perceptors.vision import RestrictedVisionPerceptor
from simspark_ros.robots.catalogue import load_robot
from test.rigs.robots.vision import ALL_AROUND, QUIET, cameras, cartesian

DEVIATIONS = (0.000965, math.radians(0.1480), math.radians(0.1225))
CALIBRATION = 0.005
CHANCE = 1e-4
"""Chance that right noise exceeds a bound. Seeds are fixed: it could only show when the order of draws changes."""
LOOKS = 500

NOISY = {**ALL_AROUND, "calibration_error": 0.0}
EXACT = {**ALL_AROUND, **QUIET}


class Cameras:
    """Vision of robots that stand still, each with parameters of its own; sees without a step of physics."""

    def __init__(self, world, *parameters, seed=1):
        self.perceptor = RestrictedVisionPerceptor(np.random.default_rng(seed))
        self.world = world
        self.mounts = cameras(world, *parameters)
        self.perceptor.bind(self.mounts, world)

    def look(self):
        """Polar coordinates (robots, points, 3) of all objects and then of both ends of all lines."""
        self.perceptor.sense(self.world, np.zeros(0), np.ones(len(self.mounts), np.bool_))
        sight = self.perceptor.sight
        assert sight is not None
        robots = len(self.mounts)
        lines = sight.line_polar.reshape(robots, -1, 3)
        return np.concatenate([sight.object_polar.reshape(robots, -1, 3), lines], axis=1)


def errors(world, first, second):
    """Errors (looks, robots, points, 3) in units of the default deviations."""
    noisy = Cameras(world, first, second)
    exact = Cameras(world, EXACT, EXACT).look()
    measured = np.array([noisy.look() for _ in range(LOOKS)])
    assert measured.shape[2] == 8 + 1 + 2 * len(world.settings.field.lines())
    units = np.broadcast_to(DEVIATIONS, exact.shape).copy()
    units[:, :, 0] *= exact[:, :, 0]
    return (measured - exact) / units


@pytest.fixture
def world(play):
    """A world of two robots in the air."""
    world = play().world
    for x in (-3.0, 4.0):
        world.add_robot(load_robot("nao"), (x, 1.0, 0.385), 0.4)
    world.step()
    return world


def normal(sample):
    return np.array([(1 + math.erf(value / math.sqrt(2))) / 2 for value in sample.tolist()])


def uniform(sample):
    """From -1 to 1."""
    return (sample + 1) / 2


def distance_to(distribution, samples):
    """The largest distance between the distribution function of samples and a given one."""
    samples = np.sort(samples, axis=None)
    steps = np.arange(len(samples) + 1) / len(samples)
    expected = distribution(samples)
    return max((steps[1:] - expected).max(), (expected - steps[:-1]).max())


def largest_chance_distance(count):
    return math.sqrt(math.log(2 / CHANCE) / (2 * count))


def correlation(first, second):
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1])


def largest_chance_correlation(count):
    """That of independent samples has a deviation of 1 / sqrt(n) and is normal: four of them are exceeded by 6e-5."""
    return 4 / math.sqrt(count)


def test_errors_are_normal_in_every_direction_and_depend_neither_on_each_other_nor_on_those_before(world):
    samples = errors(world, NOISY, NOISY)
    for coordinate in range(3):
        sample = samples[:, :, :, coordinate]
        # 50000 samples: 0.01. A uniform or Laplace distribution of the same deviation is 0.06 away.
        assert distance_to(normal, sample) < largest_chance_distance(sample.size)
    objects, lines = samples[:, :, :9], samples[:, :, 9:]
    for sample in (objects, lines):
        assert distance_to(normal, sample) < largest_chance_distance(sample.size)
    pairs = {
        "coordinates": [(samples[..., a], samples[..., b]) for a, b in ((0, 1), (0, 2), (1, 2))],
        "successive looks": [(samples[1:, ..., a], samples[:-1, ..., b]) for a in range(3) for b in range(3)],
        "neighbours in a look": [(samples[:, :, 1:, a], samples[:, :, :-1, a]) for a in range(3)],
        "robots": [(samples[:, 0, :, a], samples[:, 1, :, a]) for a in range(3)],
    }
    for name, both in pairs.items():
        for first, second in both:
            assert abs(correlation(first, second)) < largest_chance_correlation(first.size), name


def test_robots_have_their_own_noise_in_one_look_by_the_seed(world):
    wide = {"distance_noise": 0.01, "horizontal_noise_deg": 0.5, "vertical_noise_deg": 1.0}
    samples = errors(world, NOISY, {**NOISY, **wide})
    larger = np.array([0.01, math.radians(0.5), math.radians(1.0)]) / DEVIATIONS
    for sample in (samples[:, 0], samples[:, 1] / larger):
        assert distance_to(normal, sample) < largest_chance_distance(sample.size)
    first, again, other = (Cameras(world, NOISY, NOISY, seed=seed).look() for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).all()


def test_calibrations_of_hundreds_of_robots_are_uniform_and_independent(world):
    # A robot that comes back is a new one to the perceptor: two robots leave and come 200 times.
    off = {**EXACT, "calibration_error": CALIBRATION}
    true = cartesian(Cameras(world, EXACT, EXACT).look()[:, 0])
    shifted = Cameras(world, off, off)
    looks = []
    for _ in range(200):
        looks.append(cartesian(shifted.look()[:, 0]) - true)
        # Fixed while the robot stays.
        assert cartesian(shifted.look()[:, 0]) - true == pytest.approx(looks[-1], abs=1e-9)
        shifted.perceptor.bind([], world)
        shifted.perceptor.bind(shifted.mounts, world)
    offsets = np.array(looks).reshape(-1, 3) / CALIBRATION
    assert np.abs(offsets).max() <= 1 + 1e-9
    for axis in range(3):
        # 400 samples: 0.11. Always the full error, one sign only, or half the range are 0.25 or more away.
        assert distance_to(uniform, offsets[:, axis]) < largest_chance_distance(len(offsets))
        following = offsets[:, (axis + 1) % 3]
        assert abs(correlation(offsets[:, axis], following)) < largest_chance_correlation(len(offsets))
        assert abs(correlation(offsets[1:, axis], offsets[:-1, axis])) < largest_chance_correlation(len(offsets) - 1)
