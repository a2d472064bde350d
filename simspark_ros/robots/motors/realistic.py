"""Motors that are limited by voltage and current, get hot and take power (SimSpark paper 2013, section 5.1, figure 1).

All quantities are at the joint, behind the gear. The equations of the paper, with the power derived again:

    tau = K_tau I,    U = K_e omega + I R
    P = U I = (K_e / K_tau) omega tau + (R / K_tau^2) tau^2
    T(t + dt) = T(t) + (I^2 R - lambda (T(t) - T_e)) dt / C

Full voltage gives the torque-speed line: the largest torque at the speed omega is K_tau (U - K_e omega) / R.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray, JointControl
from simspark_ros.robots.motors.data import JointMotor, MotorData

NORMAL, HIGH, VERY_HOT, SHUT_DOWN = range(4)
"""Statuses of a motor, with LoLA's numbers."""

_LEAST = 0.02
"""Share of its largest torque that a motor keeps at any speed: without it, nearly weightless limbs would stutter."""


class RealisticMotors:
    """The M motors of all robots with realistic motors, robot after robot.

    Attributes:
        handles: (N,) handles of these robots, in row order.
        index: (M,) flat index of each motor's joint.
        temperature: (M,) temperature of each motor, degrees Celsius.
        current: (M,) current of each motor in the last step, A; it has the sign of the torque.
        is_off: (M,) whether the motor is shut down because it is too hot.
        mean_speed: (M,) mean speed of the last steps, the last step counting half, rad/s. The torque-speed line is used
            at this speed: at the speed of the last step alone, light limbs would oscillate.
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
        """Follow a change of the set of robots; motors of robots that stay keep their temperatures.

        Args:
            state: state of all robots.
            data: motor data of the robots with realistic motors, by handle.
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
        """The control cut to the abilities of the motors in the next step.

        The torque-speed line bounds motors that will drive their joint; the back-EMF helps motors that will brake.

        Args:
            control: commands of all J joints.
            state: state after the last step.
            stiffness: k_s, (J,), 0 to 1; the largest torque is k_s T_max.
            is_empty: (N,) whether each robot's battery is empty.
        """
        index, line = self.index, self._line
        target, speed = control.velocity.take(index), state.joint_velocity.take(index)
        # The way in which a motor will push: as before, unless the effort for the speed that it lacks is greater.
        push = np.sign(state.joint_effort.take(index) + line * (target - speed))
        on_line = np.maximum(line * (self._no_load - push * self.mean_speed), _LEAST * self._max_torque)
        strongest = np.minimum(on_line, stiffness.take(index) * self._max_torque)
        strongest[self.is_off | is_empty[self._robot]] = 0.0
        velocity, effort_limit = control.velocity.copy(), control.effort_limit.copy()
        velocity[index] = np.clip(target, -self._no_load, self._no_load)
        effort_limit[index] = self._available = np.minimum(strongest, effort_limit.take(index))
        return JointControl(velocity, effort_limit, control.effort)

    def advance(self, state: EngineState, seconds: float) -> None:
        """Account for the heat and the power of the step that led to the state; seconds: length of the step."""
        # The reported effort of a joint at its stop may include the stop's own torque.
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
        """The motors' own state, (M,) each, on which their future depends."""
        return self.temperature, self.current, self.mean_speed, self.is_off

    @property
    def status(self) -> IntArray:
        """(M,) `NORMAL` to `SHUT_DOWN`."""
        levels = (self.temperature >= self._high).astype(np.int64) + (self.temperature >= self._very_hot)
        return np.where(self.is_off, SHUT_DOWN, levels)

    def cool(self, row: int) -> None:
        """Set the motors of a robot, given by its index in `handles`, to the temperature of their environment."""
        own = self.of_robot(row)
        self.temperature[own] = self._environment[own]
        self.current[own] = self.mean_speed[own] = 0.0
        self.is_off[own] = False

    def heat(self, row: int, temperature: float) -> None:
        """Set all motors of a robot to a temperature, degrees Celsius; they shut down or start in the next step."""
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
        # The torque-speed line as speed without load, and torque lost per speed.
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
        # Largest torques in the coming or last step.
        self._available = self._max_torque
