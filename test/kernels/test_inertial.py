"""Gyroscopes and accelerometers read the same bits whether the kernel is compiled or not."""

from __future__ import annotations

import numpy as np
import pytest

from test.rigs.kernels import both

COMPILED, UNCOMPILED = both("inertial")


@pytest.mark.parametrize("noisy", [False, True])
def test_uncompiled_readings_are_the_same_to_the_bit(noisy):
    written = []
    for module in (COMPILED, UNCOMPILED):
        random = np.random.default_rng(1)
        count = 4
        kernel = module.InertialKernel(
            starts=np.array([0, 7, 3, 10]),
            noise=np.array([0.0, 0.1, 0.2, 0.3]),
            delayed=np.array([0, 1, 1, 0], np.uint8),
            gravity=np.array([0.0, 0.1, -9.81]),
            velocity=np.zeros((count, 3)),
            readings=np.zeros((count, 3)),
        )
        values = np.zeros((5, 13))
        for cycle, row in enumerate(values):
            vectors, rotations = random.normal(size=(count, 3)), random.normal(size=(count, 3, 3))
            numbers = random.normal(size=(count if noisy else 0, 3))
            if cycle == 4:
                kernel.turn(vectors, rotations, numbers, row)
            else:
                kernel.accelerate(vectors, rotations, 0.02, numbers, row)
        written.append(values.tobytes())
    assert written[0] == written[1]
