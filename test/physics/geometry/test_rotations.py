import math

import numpy as np
import pytest

from simspark_ros.physics.geometry.rotations import cross, rotations_from_quaternions, turned
from simspark_ros.physics.geometry.transforms import rotation_about

TILTED = (0.5, -0.5, 0.1, 0.7)


def test_a_body_turns_about_axes_of_the_world() -> None:
    length = math.hypot(*TILTED)
    start = tuple(number / length for number in TILTED)
    spin = np.array([0.3, -2.0, 1.1])
    rate = float(np.linalg.norm(spin))
    after = turned(start, spin, 0.7)  # type: ignore[arg-type]
    before, now = rotations_from_quaternions(np.array([start, after]))
    axis = tuple((spin / rate).tolist())
    assert now == pytest.approx(rotation_about(axis, 0.7 * rate) @ before, abs=1e-12)


def test_without_spin_nothing_turns() -> None:
    assert turned(TILTED, np.zeros(3), 0.02) == TILTED


def test_cross_products_are_those_of_numpy_to_the_bit() -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 50, 3))
    assert (cross(a, b) == np.cross(a, b)).all()
