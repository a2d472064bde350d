"""Learners read the motion of robots with the same bits whether the kernel is compiled or not."""

from __future__ import annotations

import numpy as np
import pytest

from test.rigs.kernels import both


def test_uncompiled_motion_is_the_same_to_the_bit_and_in_own_axes():
    random = np.random.default_rng(1)
    rows, places = np.array([2, 0]), random.normal(size=(2, 2))
    position, linear, angular = random.normal(size=(3, 4, 3))
    rotation = np.linalg.qr(random.normal(size=(4, 3, 3)))[0]
    read = []
    for module in both("base_motion"):
        motion = np.zeros((2, 18))
        module.read_bases(rows, places, position, rotation, linear, angular, motion)
        read.append(motion)
    assert read[0].tobytes() == read[1].tobytes()
    for own, row, place in zip(read[0], rows, places, strict=True):
        assert own[:3].tolist() == [*(position[row, :2] - place), position[row, 2]]
        assert own[3:12].tolist() == rotation[row].ravel().tolist()
        # Sums of three products of numbers of size 1.
        assert own[12:15] == pytest.approx(rotation[row].T @ linear[row], abs=1e-14)
        assert own[15:] == pytest.approx(rotation[row].T @ angular[row], abs=1e-14)
