"""The data of a robot's real motors, of its battery and of its electronics; config/motors/nao.yaml is the example."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.schema import Checked, Range

_RPM = 2.0 * math.pi / 60.0
MAX_JOINTS = 1000
"""Most joints that the data of a robot's motors may name."""

_FASTEST_COOLING = 1.0
"""Smallest time constant of a motor's temperature, s: far longer than a step."""

_POWER = Range(0.0, 1e6, "W")

Celsius = Annotated[float, Range(-273.15, 1000.0, "degrees Celsius")]
_Number = Annotated[float, Range(1e-9, 1e9)]


@dataclass(frozen=True)
class MotorType(Checked):
    """A DC motor, at the shaft of the motor itself.

    Attributes:
        no_load_speed_rpm: speed without load at the battery's voltage, 1/min.
        stall_torque: torque at stall at the battery's voltage, N m.
        heat_capacity: C, heat capacity, J/K.
        conductivity: lambda, conductance of heat to the environment, W/K.
        environment: T_e, temperature around the motor, inside the body, degrees Celsius.
        torque_constant: K_tau, N m/A; None = K_e, which is the same number of V s/rad in a motor without losses.
    """

    no_load_speed_rpm: _Number
    stall_torque: _Number
    heat_capacity: _Number
    conductivity: _Number
    environment: Celsius = 25.0
    torque_constant: _Number | None = None

    def __post_init__(self) -> None:
        """Refuse a motor that would cool down within a few steps."""
        super().__post_init__()
        if self.heat_capacity < _FASTEST_COOLING * self.conductivity:
            raise ValueError(f"heat_capacity / conductivity must be at least {_FASTEST_COOLING:g} s")


@dataclass(frozen=True)
class Gear(Checked):
    """A gear with its motor, and the joints that have one each.

    Attributes:
        type: type of the motor, a key of `types`.
        ratio: turns of the motor per turn of the joint.
    """

    type: str
    ratio: _Number
    joints: tuple[str, ...]


@dataclass(frozen=True)
class Battery(Checked):
    """A battery of constant voltage (V), and its energy when it is full (J)."""

    voltage: _Number
    energy: _Number


@dataclass(frozen=True)
class HeatLimits(Checked):
    """Temperatures from which on a motor counts as high and very hot, shuts down, and starts again."""

    high: Celsius = 70.0
    very_hot: Celsius = 75.0
    shutdown: Celsius = 80.0
    restart: Celsius = 65.0

    def __post_init__(self) -> None:
        """Check the order: a motor that starts again where it shuts down would do both in each step."""
        super().__post_init__()
        if not (self.high <= self.very_hot <= self.shutdown and self.restart < self.shutdown):
            raise ValueError("must obey high <= very_hot <= shutdown, and restart < shutdown")


@dataclass(frozen=True)
class JointMotor:
    """A motor as its joint feels it, behind the gear.

    Attributes:
        speed_constant: K_e, V s/rad.
        torque_constant: K_tau, N m/A.
        resistance: R, ohm.
        voltage: U, V.
        max_torque: T_max, at stall, N m.
        heat_capacity: C, J/K.
        conductivity: lambda, W/K.
        environment: T_e, degrees Celsius.
    """

    speed_constant: float
    torque_constant: float
    resistance: float
    voltage: float
    max_torque: float
    heat_capacity: float
    conductivity: float
    environment: float


@dataclass(frozen=True)
class MotorData(Checked):
    """All that makes a robot's motors realistic.

    Attributes:
        types: types of motors, by name.
        gears: gears of the motors; joints in no gear keep their ideal servo, unknown joints are ignored.
        consumption: power of the battery's other consumers, W, by any names.
    """

    battery: Battery
    types: Mapping[str, MotorType]
    gears: tuple[Gear, ...]
    consumption: Mapping[str, float]
    limits: HeatLimits = HeatLimits()

    def __post_init__(self) -> None:
        """Check the rules between the entries."""
        super().__post_init__()
        named = [joint for gear in self.gears for joint in gear.joints]
        for index, gear in enumerate(self.gears):
            if gear.type not in self.types:
                known = ", ".join(self.types)
                raise ValueError(f"gears[{index}]: unknown motor type {shown(gear.type)}; use one of: {known}")
        if len(named) > MAX_JOINTS:
            raise ValueError(f"gears: name {len(named)} joints; at most {MAX_JOINTS} are allowed")
        if len(set(named)) < len(named):
            twice = next(joint for i, joint in enumerate(named) if joint in named[:i])
            raise ValueError(f"gears: joint {shown(twice)} is named twice; a joint has one motor")
        for name, watts in self.consumption.items():
            if watts not in _POWER:
                raise ValueError(f"consumption: {shown(name)} must be {_POWER}, not {watts:g}")

    @property
    def idle_power(self) -> float:
        """Consumption of a robot whose motors have no current, W."""
        return sum(self.consumption.values())

    def motor(self, joint: str) -> JointMotor | None:
        """The motor of a joint; None if the joint has an ideal servo."""
        gear = next((gear for gear in self.gears if joint in gear.joints), None)
        if gear is None:
            return None
        motor, voltage = self.types[gear.type], self.battery.voltage
        speed_constant = voltage / (motor.no_load_speed_rpm * _RPM)
        torque_constant = motor.torque_constant or speed_constant
        return JointMotor(
            speed_constant=gear.ratio * speed_constant,
            torque_constant=gear.ratio * torque_constant,
            resistance=torque_constant * voltage / motor.stall_torque,
            voltage=voltage,
            max_torque=gear.ratio * motor.stall_torque,
            heat_capacity=motor.heat_capacity,
            conductivity=motor.conductivity,
            environment=motor.environment,
        )
