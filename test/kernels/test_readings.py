"""Sensors read the same bits whether their kernels are compiled or not, and what the geometry says."""

import numpy as np
import pytest

from test.kernels.bits import same_bits
from test.rigs.kernels import both


def test_the_motion_of_bases_is_in_their_own_axes():
    random = np.random.default_rng(1)
    rows, places = np.array([2, 0]), random.normal(size=(2, 2))
    position, linear, angular = random.normal(size=(3, 4, 3))
    rotation = np.linalg.qr(random.normal(size=(4, 3, 3)))[0]

    def read(module):
        motion = np.zeros((2, 18))
        module.read_bases(rows, places, position, rotation, linear, angular, motion)
        return motion

    for own, row, place in zip(same_bits("base_motion", read), rows, places, strict=True):
        assert own[:3].tolist() == [*(position[row, :2] - place), position[row, 2]]
        assert own[3:12].tolist() == rotation[row].ravel().tolist()
        # Sums of three products of numbers of size 1.
        assert own[12:15] == pytest.approx(rotation[row].T @ linear[row], abs=1e-14)
        assert own[15:] == pytest.approx(rotation[row].T @ angular[row], abs=1e-14)


@pytest.mark.parametrize("noisy", [False, True])
def test_gyroscopes_and_accelerometers(noisy):
    def read(module):
        random = np.random.default_rng(1)
        count = 4
        kernel = module.InertialKernel(
            rows=np.array([2, 0, 1, 1]),
            starts=np.array([0, 7, 3, 10]),
            noise=np.array([0.0, 0.1, 0.2, 0.3]),
            delayed=np.array([0, 1, 1, 0], np.uint8),
            gravity=np.array([0.0, 0.1, -9.81]),
            velocity=np.zeros((count, 3)),
            readings=np.zeros((count, 3)),
        )
        values = np.zeros((5, 13))
        for cycle, row in enumerate(values):
            vectors, rotations = random.normal(size=(count, 3)), random.normal(size=(count, 3, 3))
            numbers = random.normal(size=(count if noisy else 0, 3))
            if cycle == 4:
                kernel.turn(vectors, rotations, numbers, row)
            else:
                kernel.accelerate(vectors, rotations, 0.02, numbers, row)
        return values

    same_bits("inertial", read)


def test_forces_on_touch_links_are_added_up_in_the_links_axes():
    random = np.random.default_rng(1)
    places = np.array([2, 0, 1])
    centres, points, forces = random.normal(size=(3, 4, 3))
    rotations = np.linalg.qr(random.normal(size=(4, 3, 3)))[0]

    def read(module):
        sums = module.TouchSums(np.ones((3, 7)))
        sums.clear()
        sums.add_all(0, points[:2], forces[:2])
        sums.add(0, 2.0, *points[2], *forces[2])
        sums.add(2, 0.5, *points[3], *forces[3])
        touching, numbers = np.empty(3, np.bool_), np.full((2, 3, 3), np.nan)
        sums.read(places, centres, rotations, touching.view(np.uint8), numbers)
        assert touching.tolist() == [True, False, True]
        return numbers

    numbers = same_bits("touches", read)
    weights = np.array([*np.linalg.norm(forces[:2], axis=1), 2.0])
    mean = weights @ points[:3] / weights.sum()
    # Sums of three products of numbers of size 1.
    assert numbers[0, 0] == pytest.approx((mean - centres[2]) @ rotations[2], abs=1e-14)
    assert numbers[1, 0] == pytest.approx(forces[:3].sum(axis=0) @ rotations[2], abs=1e-14)
    assert numbers[:, 1].tolist() == [[0.0] * 3] * 2
    assert numbers[:, 2] == pytest.approx(np.stack((points[3] - centres[1], forces[3])) @ rotations[1], abs=1e-14)


def test_touch_links_feel_what_their_sensors_read_in_their_own_axes():
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for module in both("readout"):
        touching, touches, efforts = np.ones(2, np.uint8), np.ones((2, 2, 3)), np.zeros(2)
        kernel = module.ReadoutKernel(
            positions=np.zeros(0),
            velocities=np.zeros(0),
            centres=np.array([[0.0] * 3, [1.0, 1.0, 1.0]]),
            rotations=np.array([np.eye(3).ravel(), turn.ravel()]),
            bases=np.zeros(0, np.int64),
            base_velocities=np.zeros(0, np.int64),
            joint_positions=np.zeros(2, np.int64),
            joint_velocities=np.zeros(2, np.int64),
            motors=np.array([1, 0]),
            efforts=np.array([5.0, 7.0]),
            touch_bodies=np.array([1, 0]),
            readings=np.array([[2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0, *np.ones(6)]]),
            ball=False,
            harmless=np.zeros(0),
            base_motion=np.zeros((3, 0, 3)),
            base_turns=np.zeros((0, 3, 3)),
            joints=np.zeros((2, 2)),
            joint_efforts=efforts,
            ball_motion=np.zeros((3, 3)),
            touching=touching,
            touches=touches,
        )
        kernel.read_forces(np.array([1.0, 0.0]))
        assert touching.tolist() == [1, 0]
        assert touches[:, 0].tolist() == [[4.0, -3.0, 5.0], [2.0, -1.0, 3.0]]
        assert touches[:, 1].tolist() == [[0.0] * 3] * 2
        assert efforts.tolist() == [8.0, 5.0]
