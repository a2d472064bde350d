"""Robots on wheels get the same velocities, to the bit, compiled or not."""

import numpy as np

from test.rigs.kernels import same_bits


def test_uncompiled_ramps_give_the_same_bits():
    def ramp(module):
        numbers = np.random.default_rng(3)
        wanted, velocity, speeds = np.zeros(3), np.zeros(3), np.zeros((20, 4))
        rates = numbers.normal(size=(4, 3))
        kernel = module.RampKernel(np.eye(3), rates, np.full(4, 5.0), 1e3, 0.1, 0.2, wanted, velocity)
        for cycle in range(20):
            kernel.want(*numbers.normal(0.0, 10.0, 3))
            kernel.follow()
            kernel.read(velocity, speeds[cycle])
        return speeds

    assert np.abs(same_bits("ramp", ramp)).max() <= 5.0
