"""Motors are controlled with the same bits whether the kernel is compiled or not."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from test.kernels.bits import same_bits
from test.rigs.kernels import both

MODULES = both("motors")
JOINTS = 40


@pytest.mark.parametrize("seconds", [0.02, 0.005])
def test_uncompiled_control_is_the_same_to_the_bit(seconds):
    def control(module):
        random = np.random.default_rng(1)
        lower, upper = -random.uniform(0.0, 2.0, JOINTS), random.uniform(0.0, 2.0, JOINTS)
        kernel = module.MotorKernel(
            mode=np.zeros(JOINTS, np.int8),
            target=np.zeros(JOINTS),
            stiffness=random.choice([0.0, 0.3, 1.0], JOINTS),
            lower=lower,
            upper=upper,
            fastest=random.choice([1.0, math.inf], JOINTS),
            strongest=random.choice([5.0, math.inf], JOINTS),
            top_speed=1000.0,
            velocity=np.zeros(JOINTS),
            effort_limit=np.zeros(JOINTS),
        )
        for mode in (0, 1, 2):
            kernel.command(random.integers(0, JOINTS, 20), mode, random.normal(0.0, 2.0, 20), lower, upper)
        kernel.control(random.normal(size=JOINTS), seconds)
        # Some joints are beyond their stops, and a third of those at rest.
        speeds = random.normal(size=JOINTS) * (random.integers(0, 3, JOINTS) > 0)
        velocities = random.choice([-math.inf, -0.5, 0.0, 0.5, math.nan], 20)
        state = SimpleNamespace(joint_velocity=speeds)
        kernel.drive(random.integers(0, JOINTS, 20), velocities, random.normal(0.0, 1.5, JOINTS), state)
        return np.stack((kernel.velocity, kernel.effort_limit, kernel.target, kernel.mode))

    same_bits("motors", control)


@pytest.mark.parametrize("module", MODULES)
def test_control_with_numbers_that_no_motor_can_use_is_found(module):
    good, bad = np.array([1.0, -2.0]), np.array([1.0, math.nan])
    limit = np.array([0.0, math.inf])
    check = module.ControlCheck(*np.zeros((3, 0)))
    assert check.is_usable(good, limit, good)
    for velocity, effort_limit, effort in (
        (bad, limit, good),
        (good, bad, good),
        (good, limit, bad),
        (good, -good, good),
    ):
        assert not check.is_usable(velocity, effort_limit, effort)
    assert not check.is_usable(np.array([math.inf, 0.0]), limit, good)


@pytest.mark.parametrize("module", MODULES)
def test_commands_to_joints_that_do_not_exist_are_refused(module):
    room = np.zeros((8, 2))
    names = ("target", "stiffness", "lower", "upper", "fastest", "strongest", "velocity", "effort_limit")
    kernel = module.MotorKernel(mode=np.zeros(2, np.int8), top_speed=1.0, **dict(zip(names, room, strict=True)))
    for joints, targets, error in (([2], [0.0], IndexError), ([-1], [0.0], IndexError), ([0, 1], [0.0], ValueError)):
        with pytest.raises(error):
            kernel.command(np.array(joints), 1, np.array(targets), np.full(2, -1.0), np.ones(2))


def test_uncompiled_joints_end_at_their_stops_with_the_same_bits():
    def end(module):
        random = np.random.default_rng(3)
        lower, upper = -random.uniform(0.0, 1.0, 40), random.uniform(0.0, 1.0, 40)
        kernel = module.StopKernel(lower, upper, 50.0, 10.0)
        positions, velocities = random.uniform(-1.5, 1.5, 40), random.normal(size=40)
        targets = random.normal(0.0, 20.0, 40)
        wanted = targets.copy()
        assert kernel.end(targets, positions, velocities)
        # What the kernel says in loops.
        ends = np.minimum(wanted, np.maximum((upper - positions) * 50.0, -10.0))
        assert targets.tolist() == np.maximum(ends, np.minimum((lower - positions) * 50.0, 10.0)).tolist()
        assert not kernel.end(targets, (lower + upper) / 2.0, np.zeros(40))
        return targets

    same_bits("motors", end)


def test_arrays_that_cannot_be_bound_are_refused_at_each_call():
    compiled = MODULES[0].ControlCheck(*np.zeros((3, 0)))
    wrong, right = np.full(JOINTS, math.nan, np.float32), np.zeros(JOINTS)
    for _ in range(2):
        with pytest.raises(ValueError, match="Buffer dtype mismatch"):
            compiled.is_usable(wrong, right, right)
        with pytest.raises(ValueError, match="Buffer dtype mismatch"):
            compiled.is_usable(right, wrong, right)
    assert compiled.is_usable(right, right, right)
