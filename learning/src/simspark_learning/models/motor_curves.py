"""Curves of a single motor, for plots: the torque-speed line, and a motor that holds a load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, EngineState
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind
from simspark_ros.robots.motors.data import JointMotor, MotorData
from simspark_ros.robots.motors.realistic import RealisticMotors

_HANDLE = 1


@dataclass(frozen=True)
class HeldLoad:
    """K samples of a motor that holds a torque and is then relieved of it.

    Attributes:
        time: (K,) times, s.
        temperature: (K,) temperatures of the motor, degrees Celsius.
        charge: (K,) charge of a battery that feeds this motor and the robot's electronics, percent.
        is_off: (K,) whether the motor is shut down and drops its load.
    """

    time: Array
    temperature: Array
    charge: Array
    is_off: BoolArray


def torque_speed_line(motor: JointMotor, stiffness: float = 1.0, samples: int = 101) -> tuple[Array, Array]:
    """Speeds (K,), rad/s, from stall to no load, and the largest torques (K,) there, N m."""
    speed: Array = np.linspace(0.0, motor.voltage / motor.speed_constant, samples, dtype=np.float64)
    line: Array = motor.torque_constant * (motor.voltage - motor.speed_constant * speed) / motor.resistance
    return speed, np.minimum(line, stiffness * motor.max_torque)


def hold(data: MotorData, joint: str, share: float, loaded: float, seconds: float, step: float = 0.1) -> HeldLoad:
    """Let a joint's motor hold a share of its largest torque for a time, in steps, s, and go on without load.

    Raises:
        KeyError: the joint has no motor in the data.
    """
    motor = data.motor(joint)
    if motor is None:
        raise KeyError(joint)
    model = ArticulatedModel("motor", (), (Joint(joint, JointKind.REVOLUTE, "", ""),))
    state = EngineState(handles=(_HANDLE,), models=(model,), joint_offset=np.array([0, 1]))
    state.joint_velocity, state.joint_effort = np.zeros(1), np.zeros(1)
    motors = RealisticMotors()
    motors.rebind(state, {_HANDLE: data})
    count = round(seconds / step)
    temperature, charge, is_off = np.zeros(count), np.zeros(count), np.zeros(count, np.bool_)
    left = data.battery.energy
    for sample in range(count):
        holds = sample * step < loaded and left > 0.0 and not motors.is_off[0]
        state.joint_effort[0] = share * motor.max_torque if holds else 0.0
        motors.advance(state, step)
        left = max(0.0, left - float(motors.power[0]) * step)
        temperature[sample], is_off[sample] = motors.temperature[0], motors.is_off[0]
        charge[sample] = 100.0 * left / data.battery.energy
    time: Array = step * np.arange(1, count + 1, dtype=np.float64)
    return HeldLoad(time, temperature, charge, is_off)
