"""What pybullet lists becomes tables, and the shift at the ball is that of the nearest link, compiled or not."""

import numpy as np
import pybullet
import pytest

from test.rigs.kernels import both, same_bits


def test_lists_of_pybullet_become_tables():
    parts = [(1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0)]
    states = [(0.1, 0.2, (9.0,) * 6, 0.3), (0.4, 0.5, (9.0,) * 6, 0.6)]

    def read(module):
        bases, joints = np.zeros((2, 13)), np.zeros((3, 2))
        module.unpack([*parts, *parts[::-1]], states, bases.reshape(-1), joints)
        assert joints.tolist() == [[0.1, 0.4], [0.2, 0.5], [0.3, 0.6]]
        return bases

    assert same_bits("bullet.readout", read).tolist() == [[n for one in parts[::way] for n in one] for way in (1, -1)]


def test_rotations_are_bullets_to_the_bit():
    bases = np.random.default_rng(1).normal(size=(50, 13))

    def read(module):
        rotations = np.zeros((50, 9))
        module.turn(bases, rotations)
        return rotations

    turned = [pybullet.getMatrixFromQuaternion(row[3:7]) for row in bases.tolist()]
    np.testing.assert_array_equal(same_bits("bullet.readout", read), turned)


@pytest.mark.parametrize("module", both("bullet.readout"))
def test_the_ball_is_seen_from_the_nearest_link_if_a_robot_can_reach_it(module):
    centres = np.array([[0.0, 0.0, 0.3], [0.2, 0.0, 0.0], [0.3, 0.0, 0.0]])
    shifts = np.array([[0.0, 0.0, 0.01], [0.0, 0.03, 0.0], [-0.06, 0.0, 0.0]])

    def shift(x, y=0.0, z=0.0):
        # Only the first two axes say whether a robot can reach the ball.
        return module.shift_at_ball((x, y, z, 0.0), np.array([[9.0, 0.0, 0.0], [0.5, 0.0, 7.0]]), centres, shifts)

    assert shift(-0.31) is None and shift(0.5, 0.81) is None
    assert shift(0.5, 0.79) == shift(1.2) == (0.0, 0.0, 0.0)
    assert shift(0.0, 0.0, 0.2) == (0.0, 0.0, 0.01)
    assert shift(0.2) == (0.0, 0.03, 0.0)
    # Really the last link is nearer than where Bullet has it.
    assert shift(0.245) == (-0.06, 0.0, 0.0)
    assert shift(0.539) == (-0.06, 0.0, 0.0) and shift(0.541) == (0.0, 0.0, 0.0)
