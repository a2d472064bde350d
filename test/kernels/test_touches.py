"""Forces on touch links are added up with the same bits whether the kernel is compiled or not."""

from __future__ import annotations

import numpy as np
import pytest

from test.rigs.kernels import both


def test_uncompiled_sums_are_the_same_to_the_bit_and_in_the_links_axes():
    random = np.random.default_rng(1)
    places = np.array([2, 0, 1])
    centres, points, forces = random.normal(size=(3, 4, 3))
    rotations = np.linalg.qr(random.normal(size=(4, 3, 3)))[0]
    read = []
    for module in both("touches"):
        sums = module.TouchSums(np.ones((3, 7)))
        sums.clear()
        sums.add_all(0, points[:2], forces[:2])
        sums.add(0, 2.0, *points[2], *forces[2])
        sums.add(2, 0.5, *points[3], *forces[3])
        assert (sums.weight(1), sums.weight(2)) == (0.0, 0.5)
        touching, numbers = np.empty(3, np.bool_), np.full((2, 3, 3), np.nan)
        sums.read(places, centres, rotations, touching.view(np.uint8), numbers)
        read.append(numbers)
        assert touching.tolist() == [True, False, True]
    assert read[0].tobytes() == read[1].tobytes()
    weights = np.array([*np.linalg.norm(forces[:2], axis=1), 2.0])
    mean = weights @ points[:3] / weights.sum()
    # Sums of three products of numbers of size 1.
    assert read[0][0, 0] == pytest.approx((mean - centres[2]) @ rotations[2], abs=1e-14)
    assert read[0][1, 0] == pytest.approx(forces[:3].sum(axis=0) @ rotations[2], abs=1e-14)
    assert read[0][:, 1].tolist() == [[0.0] * 3] * 2
    assert read[0][:, 2] == pytest.approx(np.stack((points[3] - centres[1], forces[3])) @ rotations[1], abs=1e-14)
