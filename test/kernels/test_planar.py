"""The planar engine's wheels and near bodies are the same, to the bit, whether its kernels are compiled or not."""

import math
from types import SimpleNamespace

import numpy as np

from test.kernels.bits import same_bits
from test.rigs.kernels import both

WHEELS, JOINTS = 5, 4


def test_uncompiled_wheels_push_a_robot_with_the_same_bits():
    def push(module):
        random = np.random.default_rng(1)
        names = ("x", "y", "turn", "grip", "pull", "radius", "speed", "bound", "given", "drift")
        columns = dict(zip(names, random.uniform(0.1, 1.0, (10, WHEELS)), strict=True))
        paired = np.array([1, 0, 1, 0, 0], np.uint8)
        kernel = module.TractionKernel(**columns, joint=np.array([0, -1, 2, 3, -1]), paired=paired, motion=np.zeros(3))
        body = SimpleNamespace(angle=0.3, vx=1.0, vy=-0.4, spin=0.7, mass=3.0, inertia=0.2)
        read = []
        for limit in (0.01, 5.0, math.inf):
            speeds, efforts = random.normal(0.0, 5.0, JOINTS), np.zeros(JOINTS)
            kernel.act(body, 30.0, speeds, np.full(JOINTS, limit), 0.02, efforts)
            read.append([body.vx, body.vy, body.spin, *speeds, *efforts])
        return np.array(read)

    same_bits("traction", push)


def test_uncompiled_joints_have_the_same_speeds():
    def command(module):
        random = np.random.default_rng(2)
        lower, upper, fastest = -random.uniform(0.0, 1.0, 9), random.uniform(0.0, 1.0, 9), random.uniform(1.0, 20.0, 9)
        kernel = module.JointSpeedKernel(lower=lower, upper=upper, fastest=fastest, is_round=np.zeros(9, np.uint8))
        speeds = np.zeros(9)
        wanted, efforts = random.normal(0.0, 10.0, 9), random.choice([0.0, 1.0], 9)
        moves = kernel.command(wanted, efforts, random.uniform(lower, upper), 0.02, speeds)
        return [moves, *speeds]

    assert same_bits("traction", command)[0]


def test_bodies_near_each_other_are_found_once_in_order():
    # Place, velocity, reach, swing: the second drives toward the third, the fourth stands beside the box.
    bodies = np.array(
        [
            [0.0, 0.0, 0.0, 0.0, 0.2, 0.0],
            [0.3, 0.0, 2.0, 0.0, 0.2, 0.0],
            [0.9, 0.0, 0.0, 0.0, 0.2, 0.0],
            [5.0, 5.0, 0.0, 0.0, 0.2, 0.0],
        ]
    )
    boxes = np.array([[5.1, 4.0, 6.0, 6.0], [9.0, 9.0, 10.0, 10.0]])
    for module in both("near_bodies"):
        for changed, seconds, found in (
            (bytes([1, 1, 1, 1]), 0.2, [(0, 1), (1, 2), (3, 4)]),
            (bytes([1, 1, 1, 1]), 0.0, [(0, 1), (3, 4)]),
            (bytes([0, 0, 1, 0]), 0.2, [(1, 2)]),
            (bytes([1, 0, 0, 0]), 0.2, [(0, 1)]),
        ):
            assert module.near_bodies(bodies, changed, boxes, seconds, 1e-3) == found
        assert module.near_bodies(np.zeros((0, 6)), b"", boxes, 0.1, 1e-3) == []
