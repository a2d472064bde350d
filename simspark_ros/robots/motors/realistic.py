"""Motors that are limited by voltage and current, get hot and take power (SimSpark paper 2013, section 5.1, figure 1).

All quantities are those of the joint, behind the gear. The equations of the paper, the power derived again:

    tau = K_tau I,    U = K_e omega + I R
    P = U I = (K_e / K_tau) omega tau + (R / K_tau^2) tau^2
    T(t + dt) = T(t) + (I^2 R - lambda (T(t) - T_e)) dt / C

Full voltage gives the torque-speed line: at the speed omega there is at most the torque K_tau (U - K_e omega) / R.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray, JointControl
from simspark_ros.robots.motors.data import JointMotor, MotorData

NORMAL, HIGH, VERY_HOT, SHUT_DOWN = range(4)
"""Statuses of a motor, as LoLA tells them."""

_LEAST = 0.02
"""Part of its largest torque that a motor keeps at any speed: limbs of next to no weight would stutter without it."""


class RealisticMotors:
    """The motors of those robots that have realistic ones; M motors, of all of them one after another.

    Attributes:
        handles: (N,) the robots, in row order.
        index: (M,) flat index of each motor's joint.
        temperature: (M,) degrees Celsius.
        current: (M,) in the last step, A; its sign is that of the torque.
        is_off: (M,) whether it is shut down because it is too hot.
        mean_speed: (M,) of the last steps, the last one counting half, rad/s. The line gives the next step's torque at
            this speed: at that of the last step alone, light limbs would oscillate.
        power: (N,) electric power of each robot in the last step, its electronics included, W; at least 0, as no
            motor charges the battery.
    """

    def __init__(self) -> None:
        self.handles: tuple[int, ...] = ()
        self._starts: IntArray = np.zeros(1, np.int64)
        self.temperature: Array
        self.current: Array
        self.mean_speed: Array
        self.is_off: BoolArray
        self.power: Array
        self._set_motors([], np.zeros(0, np.int64), {})

    def rebind(self, state: EngineState, data: Mapping[int, MotorData]) -> None:
        """Follow a change of the set of robots; those that stay keep their temperatures.

        Args:
            state: of all robots.
            data: of the robots with realistic motors, by handle.
        """
        kept = {handle: self.of_robot(row) for row, handle in enumerate(self.handles)}
        before = self.remembered
        self.handles = tuple(handle for handle in state.handles if handle in data)
        motors: list[JointMotor] = []
        index: list[int] = []
        starts = [0]
        for handle in self.handles:
            row = state.row(handle)
            first = int(state.joint_offset[row])
            for number, joint in enumerate(state.models[row].joints):
                motor = data[handle].motor(joint.name)
                if motor is not None:
                    motors.append(motor)
                    index.append(first + number)
            starts.append(len(motors))
        self._starts = np.array(starts, np.int64)
        self._set_motors(motors, np.array(index, np.int64), data)
        for row, handle in enumerate(self.handles):
            if handle in kept:
                new, old = self.of_robot(row), kept[handle]
                for now, then in zip(self.remembered, before, strict=True):
                    now[new] = then[old]

    def of_robot(self, row: int) -> slice:
        """The motors of a robot, given by its index in `handles`."""
        return slice(int(self._starts[row]), int(self._starts[row + 1]))

    def limited(self, control: JointControl, state: EngineState, stiffness: Array, is_empty: BoolArray) -> JointControl:
        """The same control within what the motors can do in the next step.

        The line counts where the motor will drive its joint; where it will brake, the back-EMF helps it.

        Args:
            control: for all J joints.
            state: after the last step.
            stiffness: k_s, (J,), 0 to 1; the largest torque is k_s T_max.
            is_empty: (N,) whether each robot's battery is empty.
        """
        index, line = self.index, self._line
        target, speed = control.velocity.take(index), state.joint_velocity.take(index)
        push = np.sign(state.joint_effort.take(index) + line * (target - speed))
        on_line = np.maximum(line * (self._no_load - push * self.mean_speed), _LEAST * self._max_torque)
        strongest = np.minimum(on_line, stiffness.take(index) * self._max_torque)
        strongest[self.is_off | is_empty[self._robot]] = 0.0
        velocity, effort_limit = control.velocity.copy(), control.effort_limit.copy()
        velocity[index] = np.clip(target, -self._no_load, self._no_load)
        effort_limit[index] = self._available = np.minimum(strongest, effort_limit.take(index))
        return JointControl(velocity, effort_limit, control.effort)

    def advance(self, state: EngineState, seconds: float) -> None:
        """Take the step that led to the state, with its heat and its power; its length in s."""
        # What an engine reports of a joint at its stop may have the stop's own torque in it.
        torque = np.clip(state.joint_effort.take(self.index), -self._available, self._available)
        speed = state.joint_velocity.take(self.index)
        self.mean_speed = (self.mean_speed + speed) / 2.0
        self.current = torque / self._torque_constant
        heat = self.current**2 * self._resistance
        electric = self._speed_constant * speed * self.current + heat
        robots = len(self.handles)
        self.power = np.maximum(self._idle_power + np.bincount(self._robot, electric, robots), 0.0)
        cooling = self._conductivity * (self.temperature - self._environment)
        self.temperature = self.temperature + (heat - cooling) * (seconds / self._heat_capacity)
        self.is_off = np.where(self.is_off, self.temperature > self._restart, self.temperature >= self._shutdown)

    @property
    def remembered(self) -> tuple[Array, Array, Array, BoolArray]:
        """All that decides how the motors go on, (M,) each."""
        return self.temperature, self.current, self.mean_speed, self.is_off

    @property
    def status(self) -> IntArray:
        """(M,) `NORMAL` to `SHUT_DOWN`."""
        levels = (self.temperature >= self._high).astype(np.int64) + (self.temperature >= self._very_hot)
        statuses: IntArray = np.where(self.is_off, SHUT_DOWN, levels)
        return statuses

    def cool(self, row: int) -> None:
        """Let the motors of a robot, given by its index in `handles`, have the temperature of their environment."""
        own = self.of_robot(row)
        self.temperature[own] = self._environment[own]
        self.current[own] = self.mean_speed[own] = 0.0
        self.is_off[own] = False

    def heat(self, row: int, temperature: float) -> None:
        """Give all motors of a robot a temperature, degrees Celsius; they shut down or start by it in the next step."""
        self.temperature[self.of_robot(row)] = temperature

    def _set_motors(self, motors: list[JointMotor], index: IntArray, data: Mapping[int, MotorData]) -> None:
        columns = np.array([[getattr(motor, field.name) for field in fields(JointMotor)] for motor in motors])
        (
            self._speed_constant,
            self._torque_constant,
            self._resistance,
            voltage,
            self._max_torque,
            self._heat_capacity,
            self._conductivity,
            self._environment,
        ) = columns.reshape(-1, len(fields(JointMotor))).T.copy()
        # The line as speed without load, and torque lost per speed.
        self._no_load = voltage / self._speed_constant
        self._line = self._torque_constant * self._speed_constant / self._resistance
        self.index = index
        self._robot = np.repeat(np.arange(len(self.handles)), np.diff(self._starts))
        limits = [data[self.handles[row]].limits for row in self._robot]
        self._high, self._very_hot, self._shutdown, self._restart = (
            np.array([getattr(limit, name) for limit in limits]) for name in ("high", "very_hot", "shutdown", "restart")
        )
        self._idle_power = np.array([data[handle].idle_power for handle in self.handles])
        self.temperature = self._environment.copy()
        self.current, self.mean_speed = np.zeros(len(motors)), np.zeros(len(motors))
        self.is_off = np.zeros(len(motors), np.bool_)
        self.power = self._idle_power.copy()
        # Largest torques in the step that comes or was.
        self._available = self._max_torque
