"""Rotations of many links read as those of few."""

import numpy as np

from simspark_ros.physics.bullet.links import rotations_of


def test_rotations_of_many_are_to_the_bit_those_of_few() -> None:
    numbers = np.random.default_rng(4).normal(size=(200, 4))
    # Unit ones to single precision, as Bullet's are.
    quaternions = list(map(tuple, (numbers / np.linalg.norm(numbers, axis=1)[:, None]).astype(np.float32).tolist()))

    many = rotations_of(quaternions)

    few = np.concatenate([rotations_of(quaternions[start : start + 20]) for start in range(0, 200, 20)])
    assert many.shape == (200, 3, 3)
    assert many.tobytes() == few.tobytes()
    np.testing.assert_allclose(many @ many.transpose(0, 2, 1), np.tile(np.eye(3), (200, 1, 1)), atol=1e-12)


def test_no_quaternions_make_no_rotations() -> None:
    assert rotations_of([]).shape == (0, 3, 3)
