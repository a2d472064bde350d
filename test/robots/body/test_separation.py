import math

import numpy as np

from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.robots.body.limb_boxes import box_gaps


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
