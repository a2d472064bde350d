"""The realistic motor against the closed forms of its equations."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from simspark_ros.physics.engine import EngineState, JointControl
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind
from simspark_ros.robots.motors.data import Battery, Gear, HeatLimits, MotorData, MotorType
from simspark_ros.robots.motors.realistic import SHUT_DOWN, VERY_HOT, RealisticMotors

STEP = 0.02
TYPE = MotorType(no_load_speed_rpm=9000.0, stall_torque=0.06, heat_capacity=20.0, conductivity=0.05, environment=30.0)
DATA = MotorData(
    battery=Battery(24.0, 1000.0),
    types={"m": TYPE},
    gears=(Gear("m", 100.0, ("a", "b")),),
    consumption={"cpu": 5.0, "board": 2.0},
    limits=HeatLimits(high=50.0, very_hot=55.0, shutdown=60.0, restart=45.0),
)
MOTORS = {joint: motor for joint in "abc" if (motor := DATA.motor(joint)) is not None}
MOTOR = MOTORS["a"]
NO_LOAD = 9000.0 * 2.0 * math.pi / 60.0 / 100.0
STALL = 6.0


def robot(handle=1, joints=("a",)):
    model = ArticulatedModel("r", (), tuple(Joint(name, JointKind.REVOLUTE, "", "") for name in joints))
    count = len(joints)
    state = EngineState(handles=(handle,), models=(model,), joint_offset=np.array([0, count]))
    state.joint_velocity, state.joint_effort = np.zeros(count), np.zeros(count)
    return state


def motors_of(state, data=DATA):
    motors = RealisticMotors()
    motors.rebind(state, dict.fromkeys(state.handles, data))
    return motors


def limits(motors, state, target, stiffness=1.0, empty=False, strongest=10.0):
    """Largest speed and effort for a commanded speed."""
    joints = len(state.joint_velocity)
    control = JointControl(np.full(joints, target), np.full(joints, strongest), np.zeros(joints))
    limited = motors.limited(control, state, np.full(joints, stiffness), np.array([empty]))
    return limited.velocity[0], limited.effort_limit[0]


def turn(inertia, load, target, stiffness=1.0, steps=400):
    """Speed that a joint comes to, that an engine's velocity motor turns within the limits against a constant load."""
    state, speed = robot(), 0.0
    motors = motors_of(state)
    speeds = []
    for _ in range(steps):
        velocity, effort = limits(motors, state, target, stiffness)
        torque = float(np.clip(inertia * (velocity - speed) / STEP + load, -effort, effort))
        speed += (torque - load) / inertia * STEP
        state.joint_velocity[0], state.joint_effort[0] = speed, torque
        motors.advance(state, 0.0)
        speeds.append(speed)
    return np.array(speeds[-100:])


def test_constants_follow_from_the_data_sheet_and_stiffness_is_a_part_of_the_stall_torque():
    # A blocked motor of full voltage has its stall torque, a free one no current.
    assert MOTOR.torque_constant * MOTOR.voltage / MOTOR.resistance == pytest.approx(STALL)
    assert MOTOR.voltage / MOTOR.speed_constant == pytest.approx(NO_LOAD)
    assert MOTORS.keys() == {"a", "b"}
    state = robot()
    assert limits(motors_of(state), state, 5.0) == pytest.approx((5.0, STALL))
    assert limits(motors_of(state), state, 5.0, stiffness=0.4)[1] == pytest.approx(0.4 * STALL)
    assert limits(motors_of(state), state, 5.0, stiffness=0.0)[1] == 0.0
    # Of an empty battery it has none.
    assert limits(motors_of(state), state, 5.0, empty=True)[1] == 0.0
    # Nor is a motor stronger than its joint may be, or than a command of effort says.
    assert limits(motors_of(state), state, 5.0, strongest=2.0)[1] == 2.0


# From a light limb, which the motor brings to speed within a small part of a step, to one that takes 3 s.
@pytest.mark.parametrize("inertia", [0.002, 0.005, 0.02, 0.5])
def test_without_load_a_joint_comes_to_the_no_load_speed_and_no_further(inertia):
    # The last steps toward it take the longest: after 8 s the slowest is within 1 %.
    assert turn(inertia, 0.0, 99.0) == pytest.approx(NO_LOAD, rel=0.01)


# Below 0.0021 kg m2 (line * STEP / 6) a motor is not led steadily any more: limbs that light have light loads.
@pytest.mark.parametrize("inertia", [0.003, 0.02, 0.5])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_under_load_the_speed_is_that_of_the_torque_speed_line(inertia, share):
    assert turn(inertia, share * STALL, 99.0) == pytest.approx((1.0 - share) * NO_LOAD, rel=0.01)


def test_a_speed_below_the_line_is_reached_and_a_motor_brakes_with_its_whole_torque_at_any_speed():
    assert turn(0.02, 0.5 * STALL, 3.0) == pytest.approx(3.0)
    assert turn(0.02, 0.5 * STALL, 3.0, stiffness=0.4)[-1] < 0.0
    state = robot()
    motors = motors_of(state)
    state.joint_velocity[0] = NO_LOAD
    for _ in range(20):
        motors.advance(state, 0.0)
    # At full speed a motor keeps a fiftieth of its torque, to drive limbs that weigh next to nothing.
    assert limits(motors, state, 99.0)[1] == pytest.approx(0.02 * STALL)
    assert limits(motors, state, -1.0)[1] == pytest.approx(STALL)


def test_a_held_torque_heats_by_the_closed_form_and_without_it_the_motor_cools_by_it():
    state = robot()
    motors = motors_of(state, replace(DATA, limits=HeatLimits(900.0, 900.0, 900.0, 800.0)))
    current = 0.3 * STALL / MOTOR.torque_constant
    rise, rate = current**2 * MOTOR.resistance / 0.05, 0.05 / 20.0
    heated = 30.0 + rise * (1.0 - math.exp(-rate * 200.0))
    for torque, start, end in ((0.3 * STALL, 30.0, heated), (0.0, heated, 30.0 + (heated - 30.0) * math.exp(-0.5))):
        state.joint_effort[0] = torque
        assert motors.temperature[0] == pytest.approx(start, rel=1e-4)
        for _ in range(10_000):
            motors.advance(state, STEP)
        # Euler's steps of a ten-thousandth of the time constant.
        assert motors.temperature[0] == pytest.approx(end, rel=1e-4)
    assert motors.current[0] == 0.0


def test_power_is_voltage_times_current_and_temperatures_are_kept_when_other_robots_come():
    state = robot(joints=("a", "b"))
    state.joint_velocity[:], state.joint_effort[:] = (3.0, -2.0), (2.0, -1.0)
    motors = motors_of(state)
    motors.advance(state, STEP)
    current = state.joint_effort / MOTOR.torque_constant
    voltage = MOTOR.speed_constant * state.joint_velocity + current * MOTOR.resistance
    assert motors.power[0] == pytest.approx(7.0 + float(voltage @ current))
    # What a motor gains by braking feeds the others, but charges no battery.
    state.joint_velocity[:] = (-NO_LOAD, 0.0)
    state.joint_effort[:] = (2.0, 0.0)
    motors.advance(state, STEP)
    assert motors.power[0] == 0.0
    one, two = robot(7), robot(8)
    motors = motors_of(one)
    motors.heat(0, 58.0)
    both = replace(one, handles=(3, 7), models=(two.models[0], one.models[0]), joint_offset=np.array([0, 1, 2]))
    motors.rebind(both, dict.fromkeys(both.handles, DATA))
    assert motors.temperature.tolist() == [30.0, 58.0]
    motors.cool(1)
    assert motors.temperature.tolist() == [30.0, 30.0]


def test_a_hot_motor_shuts_down_and_comes_back_only_when_it_has_cooled_down():
    state = robot()
    motors = motors_of(state)
    state.joint_effort[0] = STALL
    seen, strongest = [], []
    for _ in range(20_000):
        strongest.append(limits(motors, state, 5.0)[1])
        state.joint_effort[0] = strongest[-1]
        motors.advance(state, STEP)
        seen.append((int(motors.status[0]), float(motors.temperature[0])))
    statuses = [status for status, _ in seen]
    # Normal, high, very hot, shut down: in this order, then from shut down back to normal.
    changes = [(a, b) for a, b in pairwise(statuses) if a != b]
    assert changes[:4] == [(0, 1), (1, VERY_HOT), (VERY_HOT, SHUT_DOWN), (SHUT_DOWN, 0)]
    off = [temperature for status, temperature in seen if status == SHUT_DOWN]
    assert min(off) > 45.0
    assert max(off) == pytest.approx(60.0, abs=0.2)
    # The step after a shutdown is the first without torque.
    assert all(effort == 0.0 for effort, status in zip(strongest[1:], statuses, strict=False) if status == SHUT_DOWN)
    assert max(strongest[statuses.index(SHUT_DOWN) + 1 :]) == pytest.approx(STALL)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"gears": (Gear("n", 100.0, ("a",)),)}, r"gears\[0\]: unknown motor type 'n'; use one of: m"),
        ({"gears": (Gear("m", 100.0, ("a", "a")),)}, "joint 'a' is named twice"),
        ({"gears": (Gear("m", 100.0, tuple(map(str, range(1001)))),)}, "name 1001 joints; at most 1000"),
        ({"consumption": {"cpu": -1.0}}, "consumption: 'cpu' must be at least 0"),
    ],
)
def test_data_that_cannot_be_meant_are_refused(changes, problem):
    with pytest.raises(ValueError, match=problem):
        replace(DATA, **changes)
    with pytest.raises(ValueError, match="restart < shutdown"):
        HeatLimits(70.0, 75.0, 80.0, 80.0)
    with pytest.raises(ValueError, match="at least 1 s"):
        replace(TYPE, heat_capacity=0.01)
