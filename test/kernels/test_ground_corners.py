"""Corners in the ground are found as by formula, to the same bits compiled or not."""

import numpy as np
import pytest

from simspark_ros.kernels.bullet import ground_corners
from test.rigs.kernels import same_bits

SHAPES, LINKS, SLIP = 40, 7, 0.01
ROBOTS, LIMBS, SKATES = 4, 6, 100
LAYER, PUSH, RATE = 0.001, 20.0, 50.0


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
        "extents": np.zeros((SHAPES, 2)),
        "held": np.full(8 * SHAPES, -1),
        "firsts": np.zeros(SHAPES + 1, np.int64),
        "tied": np.zeros((2 * SHAPES, 8)),
        "limbs": np.where(np.arange(SHAPES) % 3, np.arange(SHAPES) // 3 % LIMBS, -1),
        "lowest": np.zeros(LIMBS, np.int64),
        "plates": np.full((LIMBS, 4), 9.0),
        "robots": np.arange(SHAPES) * ROBOTS // SHAPES,
        "ties": np.zeros(ROBOTS, np.int64),
        "loads": np.zeros(8 * SHAPES),
        "skates": random.integers(0, SKATES, 8 * SHAPES),
        "leap": np.array([0.3, -0.2]),
        "skate_places": np.zeros((SKATES, 3)),
        "skate_speeds": np.zeros((SKATES, 3)),
        "changing": np.zeros(ROBOTS, np.uint8),
        "felt": np.zeros((8 * SHAPES, 6)),
    }
    return arrays, module.GroundCorners(slip=SLIP, layer=LAYER, push=PUSH, rate=RATE, **arrays)


def test_uncompiled_it_finds_the_same_corners_and_forces_to_the_bit():
    def found(module):
        arrays, kernel = corners_of(module)
        kernel.put(kernel.find())
        assert kernel.level() == list(range(LIMBS))
        kernel.feel(np.random.default_rng(1).normal(size=(LINKS, 6)))
        # Nobody reads the sign of a NaN.
        return np.nan_to_num(np.concatenate([array.ravel() for array in arrays.values()]), nan=9.0)

    assert len(same_bits("bullet.ground_corners", found)) > SHAPES * 8 * 10


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
        assert arrays["extents"][shape] == pytest.approx((np.nanmin(own), max(own[inside], default=-np.inf)))
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


def test_only_robots_whose_ties_change_are_looked_at_again():
    arrays, kernel = corners_of(ground_corners)
    arrays["radii"][:] = 0.0
    rows = arrays["tied"][: kernel.find()]
    corners, owners = rows[:, 0].astype(int), arrays["robots"][rows[:, 0].astype(int) // 8]
    assert arrays["changing"].tolist() == [1] * ROBOTS
    arrays["ties"][:] = np.bincount(owners)
    arrays["loads"][corners] = rows[:, 1]
    kernel.find()
    assert arrays["changing"].tolist() == [0] * ROBOTS
    # One has a tie too many, one another mass, and a corner of one is round.
    arrays["ties"][0] += 1
    arrays["loads"][corners[owners == 1][-1]] += 1.0
    arrays["radii"][corners[owners == 3][0] // 8] = 1e-9
    kernel.find()
    assert arrays["changing"].tolist() == [1, 1, 0, 1]


def test_skates_are_put_where_their_corners_are_and_against_what_closes_gaps():
    arrays, kernel = corners_of(ground_corners)
    arrays["skates"][:] = -1
    rows = arrays["tied"][: kernel.find()][:5]
    arrays["skates"][rows[:, 0].astype(int)] = range(5)
    kernel.put(5)
    assert arrays["skate_places"][:5].tolist() == rows[:, 2:5].tolist()
    assert arrays["skate_speeds"][:5, :2].tolist() == (arrays["leap"] - rows[:, 5:7]).tolist()
    assert not arrays["skate_places"][5:].any() and not arrays["skate_speeds"][:, 2].any()


@pytest.mark.parametrize("seed", range(3))
def test_plates_are_as_much_too_high_as_their_limbs_and_brake_what_is_in_the_layer(seed):
    arrays, kernel = corners_of(ground_corners, seed)
    arrays["shifts"][0], arrays["shifts"][1] = 1e-6, (0.0, 0.0, 0.2)
    # A flat foot that is hardly in the ground, with free corners just above it.
    arrays["centres"][2, 2] = arrays["shifts"][2, 2] = 0.0
    arrays["rotations"][2] = np.eye(3).ravel()
    arrays["limbs"][5], arrays["places"][5] = LIMBS - 1, 2
    arrays["corners"][5, :, 2] = [-0.0003, -0.0005, 0.0004, 0.0006] * 2
    arrays["limbs"][arrays["limbs"] == LIMBS - 1] = np.where(np.flatnonzero(arrays["limbs"] == LIMBS - 1) == 5, 5, -1)
    kernel.find()
    assert kernel.level() == list(range(LIMBS))
    lifted = 0
    for limb, plate in enumerate(arrays["plates"]):
        shapes = np.flatnonzero(arrays["limbs"] == limb)
        heights = arrays["heights"][shapes]
        shape = shapes[np.nanmin(heights, axis=1).argmin()]
        own, link = arrays["heights"][shape], arrays["places"][shape]
        depth, height, speed = -np.nanmin(own), -arrays["shifts"][link, 2], -arrays["closing"][link, 2]
        if abs(height) < 1e-5 or depth < -0.05:
            height = speed = 0.0
        if max(own[own < 0.0], default=-np.inf) > 1e-4 - LAYER:
            lift = np.clip(min(own[own >= 0.0], default=0.05) - 1e-4, 0.0, LAYER)
            below = depth + lift - LAYER
            height, speed = (
                height + lift,
                speed + PUSH * max(0.0, depth - LAYER) - below * (PUSH if below > 0 else RATE),
            )
            lifted += 1
        # Rounding of differences.
        assert plate == pytest.approx((*arrays["points"][shape, 0, :2], height, speed), abs=1e-13)
    assert lifted
    # At rest nothing moves, unless a limb strays.
    arrays["closing"][:] = arrays["extents"][:] = 0.0
    arrays["extents"][:, 1] = -np.inf
    kernel.level()
    assert not arrays["plates"][:, 3].any() and kernel.level() == []
    arrays["plates"][2, 1] += 0.21
    assert kernel.level() == [2]
