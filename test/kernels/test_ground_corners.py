"""Corners in the ground are found as by formula, to the same bits compiled or not."""

import numpy as np
import pytest

from simspark_ros.kernels import ground_corners
from test.rigs.kernels import same_bits

SHAPES, LINKS, SLIP = 40, 7, 0.01


def corners_of(module, seed=0):
    """Arrays of shapes near the ground, boxes and round ones, and the kernel bound to them."""
    random = np.random.default_rng(seed)
    corners = random.normal(0.0, 0.05, (SHAPES, 8, 3))
    corners[::4, 2:] = np.nan
    arrays = {
        "places": random.integers(0, LINKS, SHAPES),
        "corners": corners,
        "radii": np.where(np.arange(SHAPES) % 4, 0.0, 0.02),
        "centres": random.normal(0.0, 0.03, (LINKS, 3)),
        "rotations": np.linalg.qr(random.normal(size=(LINKS, 3, 3)))[0].reshape(LINKS, 9),
        "shifts": random.normal(0.0, 0.01, (LINKS, 3)),
        "points": np.zeros((SHAPES, 8, 3)),
        "arms": np.zeros((SHAPES, 8, 3)),
        "heights": np.zeros((SHAPES, 8)),
        "lowest": np.zeros(SHAPES),
        "shallowest": np.zeros(SHAPES),
        "held": np.full(8 * SHAPES, -1),
        "counts": np.zeros(SHAPES, np.int64),
        "tied": np.zeros((SHAPES, 2), np.int64),
        "forces": np.zeros((8 * SHAPES, 3)),
    }
    return arrays, module.GroundCorners(slip=SLIP, **arrays)


def test_uncompiled_it_finds_the_same_corners_and_forces_to_the_bit():
    def found(module):
        arrays, kernel = corners_of(module)
        kernel.push(np.random.default_rng(1).normal(size=(LINKS, 6)), kernel.find())
        # Nobody reads the sign of a NaN.
        return np.nan_to_num(np.concatenate([array.ravel() for array in arrays.values()]), nan=9.0)

    assert len(same_bits("ground_corners", found)) > SHAPES * 8 * 10


@pytest.mark.parametrize("seed", range(5))
def test_the_four_lowest_corners_in_the_ground_are_held_and_the_two_farthest_are_tied(seed):
    arrays, kernel = corners_of(ground_corners, seed)
    count = kernel.find()
    places, radii = arrays["places"], arrays["radii"]
    arms = np.einsum("sij,scj->sci", arrays["rotations"].reshape(-1, 3, 3)[places], arrays["corners"])
    arms[:, :, 2] -= radii[:, None]
    points = arms + arrays["centres"][places, None]
    heights = points[:, :, 2] + arrays["shifts"][places, 2, None]
    # Sums of three products in another order.
    np.testing.assert_allclose(arrays["points"], points, atol=1e-15)
    np.testing.assert_allclose(arrays["lowest"], np.nanmin(heights, axis=1), atol=1e-15)
    held = []
    for shape, own in enumerate(heights):
        inside = sorted(np.flatnonzero(own < 0.0), key=own.__getitem__)
        chosen = sorted(inside[:4])
        held += [8 * shape + corner for corner in chosen]
        assert arrays["counts"][shape] == len(chosen)
        assert arrays["shallowest"][shape] == pytest.approx(max(own[inside], default=-np.inf))
        pairs = [(np.linalg.norm(points[shape, a] - points[shape, b]), a, b) for a in chosen for b in chosen if a < b]
        tied = max(pairs)[1:] if pairs else (*chosen, -1, -1)[:2]
        assert arrays["tied"][shape].tolist() == [8 * shape + one if one >= 0 else -1 for one in tied]
    assert arrays["held"][:count].tolist() == held
    assert max(arrays["counts"]) == 4


def test_of_equal_diagonals_the_first_is_tied():
    arrays, kernel = corners_of(ground_corners)
    arrays["corners"][1] = np.nan
    arrays["corners"][1, :4] = [(x, y, -0.5) for x in (-0.08, 0.08) for y in (-0.04, 0.04)]
    arrays["rotations"][arrays["places"][1]] = np.eye(3).ravel()
    kernel.find()
    assert arrays["tied"][1].tolist() == [8, 11]


def test_a_corner_is_pushed_against_its_sideways_velocity():
    arrays, kernel = corners_of(ground_corners)
    count, motion = kernel.find(), np.random.default_rng(2).normal(size=(LINKS, 6))
    kernel.push(motion, count)
    held = arrays["held"][:count]
    own = motion[arrays["places"][held // 8]]
    velocities = own[:, :3] + np.cross(own[:, 3:], arrays["arms"].reshape(-1, 3)[held])
    np.testing.assert_allclose(arrays["forces"][:count, :2], -velocities[:, :2] / SLIP, rtol=1e-12)
    assert not arrays["forces"][:count, 2].any()
