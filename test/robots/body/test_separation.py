from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.robots.body.limb_boxes import box_gaps, edge_gaps, face_gaps

UNIT = np.full((1, 3), 0.5)


def turned(axis, degrees):
    return rotation_about(axis, math.radians(degrees))[None]


@pytest.mark.parametrize(
    ("offset", "degrees", "gap"),
    [((1.25, 0.3, 0.0), 0, 0.25), ((0.9, 0.6, 0.0), 0, -0.1), ((1.3, 0.0, 0.0), 45, 0.8 - math.sqrt(0.5))],
    ids=["side by side", "the least overlap is a negative gap", "a turned box reaches out with its edge"],
)
def test_the_gap_of_boxes_that_faces_part(offset, degrees, gap):
    assert box_gaps(np.array([offset]), turned((0, 0, 1), degrees), UNIT, UNIT)[0] == pytest.approx(gap)


def test_crossed_edges_part_boxes_that_no_face_parts():
    # two boxes edge against edge: turned about x and about y by 45 degrees, on top of each other
    first, second = turned((1, 0, 0), 45)[0], turned((0, 1, 0), 45)[0]
    distance = np.array([0.0, 0.0, 2 * math.sqrt(0.5) + 0.05])
    offset, turn = (first.T @ distance)[None], (first.T @ second)[None]
    assert face_gaps(offset, turn, UNIT, UNIT)[0] < 0
    assert box_gaps(offset, turn, UNIT, UNIT)[0] == pytest.approx(0.05)


def test_products_of_parallel_edges_have_no_length_and_decide_nothing():
    offset = np.array([[0.2, 0.1, 0.0]])
    gaps, lengths = edge_gaps(offset, np.eye(3)[None], UNIT, UNIT)
    assert lengths[0, [0, 4, 8]] == pytest.approx(0) and gaps[0, [0, 4, 8]] == pytest.approx(0)
    assert box_gaps(offset, np.eye(3)[None], UNIT, UNIT)[0] == pytest.approx(-0.8)


def test_gaps_agree_with_a_search_over_all_directions():
    random = np.random.default_rng(1)
    directions = random.normal(size=(20000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for _ in range(20):
        turn = rotation_about(tuple(directions[random.integers(1000)]), random.uniform(0, math.pi))
        offset, one, two = random.uniform(-1, 1, 3), random.uniform(0.1, 0.5, 3), random.uniform(0.1, 0.5, 3)
        projected = np.abs(directions @ offset) - np.abs(directions) @ one - np.abs(directions @ turn) @ two
        gap = box_gaps(offset[None], turn[None], one[None], two[None])[0]
        # of boxes apart by a corner the true distance may be larger than the gap on any of the 15 axes
        if gap < 0:
            # the best of 20000 directions is within a degree or two of the axis that decides
            assert gap - 0.03 < projected.max() <= gap + 1e-9
        else:
            assert projected.max() >= gap - 0.03
