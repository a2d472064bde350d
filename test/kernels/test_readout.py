"""Reading a MuJoCo world."""

import numpy as np

from test.rigs.kernels import both


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
