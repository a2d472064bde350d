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
        "closing": random.normal(0.0, 0.1, (LINKS, 3)),
        "masses": np.arange(9.0),
        "points": np.zeros((SHAPES, 8, 3)),
        "arms": np.zeros((SHAPES, 8, 3)),
        "heights": np.zeros((SHAPES, 8)),
        "extents": np.zeros((SHAPES, 4)),
        "held": np.full(8 * SHAPES, -1),
        "firsts": np.zeros(SHAPES + 1, np.int64),
        "tied": np.zeros((2 * SHAPES, 8)),
        "felt": np.zeros((8 * SHAPES, 6)),
    }
    return arrays, module.GroundCorners(slip=SLIP, **arrays)


def test_uncompiled_it_finds_the_same_corners_and_forces_to_the_bit():
    def found(module):
        arrays, kernel = corners_of(module)
        kernel.find()
        kernel.feel(np.random.default_rng(1).normal(size=(LINKS, 6)))
        # Nobody reads the sign of a NaN.
        return np.nan_to_num(np.concatenate([array.ravel() for array in arrays.values()]), nan=9.0)

    assert len(same_bits("ground_corners", found)) > SHAPES * 8 * 10


@pytest.mark.parametrize("seed", range(5))
def test_the_four_lowest_corners_in_the_ground_are_held_and_the_two_farthest_are_tied(seed):
    arrays, kernel = corners_of(ground_corners, seed)
    tied, count = kernel.find(), arrays["firsts"][-1]
    places, radii = arrays["places"], arrays["radii"]
    arms = np.einsum("sij,scj->sci", arrays["rotations"].reshape(-1, 3, 3)[places], arrays["corners"])
    arms[:, :, 2] -= radii[:, None]
    points = arms + arrays["centres"][places, None]
    heights = points[:, :, 2] + arrays["shifts"][places, 2, None]
    # Sums of three products in another order.
    np.testing.assert_allclose(arrays["points"], points, atol=1e-15)
    held, rows = [], []
    for shape, own in enumerate(heights):
        inside = sorted(np.flatnonzero(own < 0.0), key=own.__getitem__)
        chosen, link = sorted(inside[:4]), places[shape]
        held += [8 * shape + corner for corner in chosen]
        assert arrays["firsts"][shape + 1] == len(held)
        pairs = [(np.linalg.norm(points[shape, a] - points[shape, b]), a, b) for a in chosen for b in chosen if a < b]
        for corner in max(pairs)[1:] if pairs else chosen:
            rows.append([8 * shape + corner, len(chosen), *points[shape, corner], *arrays["closing"][link]])
        extents = (
            np.nanmin(own),
            max(own[inside], default=-np.inf),
            arrays["shifts"][link, 2],
            arrays["closing"][link, 2],
        )
        assert arrays["extents"][shape] == pytest.approx(extents)
    assert arrays["held"][:count].tolist() == held
    np.testing.assert_allclose(arrays["tied"][:tied], rows, atol=1e-15)
    assert max(arrays["tied"][:tied, 1]) == 4


def test_of_equal_diagonals_the_first_is_tied():
    arrays, kernel = corners_of(ground_corners)
    arrays["corners"][1] = np.nan
    arrays["corners"][1, :4] = [(x, y, -0.5) for x in (-0.08, 0.08) for y in (-0.04, 0.04)]
    arrays["rotations"][arrays["places"][1]] = np.eye(3).ravel()
    tied = kernel.find()
    assert [number for number in arrays["tied"][:tied, 0] if 8 <= number < 16] == [8, 11]


def test_a_corner_feels_a_force_against_its_sideways_velocity():
    arrays, kernel = corners_of(ground_corners)
    motion = np.random.default_rng(2).normal(size=(LINKS, 6))
    kernel.find()
    kernel.feel(motion)
    count = arrays["firsts"][-1]
    held, felt = arrays["held"][:count], arrays["felt"][:count]
    links = arrays["places"][held // 8]
    velocities = motion[links, :3] + np.cross(motion[links, 3:], arrays["arms"].reshape(-1, 3)[held])
    np.testing.assert_array_equal(felt[:, :3], arrays["points"].reshape(-1, 3)[held])
    np.testing.assert_allclose(felt[:, 3:5], -velocities[:, :2] / SLIP, rtol=1e-12)
    assert not felt[:, 5].any()
