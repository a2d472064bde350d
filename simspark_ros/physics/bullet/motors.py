"""Turns JointControl into commands of Bullet's velocity motors, with stops, softness and effort limits."""

from __future__ import annotations

import numpy as np
import pybullet

from simspark_ros.kernels.angles import find_angles
from simspark_ros.kernels.bullet.stops import StopKernel
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, BoolArray, EngineState, JointControl
from simspark_ros.physics.model import JointKind

# Effort of an unlimited motor, N m or N: infinity times a step is still infinity in Bullet's solver.
_UNLIMITED = 1.0e6
# Largest effort of a stop, N m or N.
_STOP_EFFORT = 1.0e4
# Distance beyond its stop from which on a weak joint is put back, rad and m.
_FAR, _FAR_SLIDE = 0.017, 0.002
# Speed after an impact with which limp joints turn by no more than 0.6 rad in a step, rad/s or m/s.
_FASTEST = 30.0
# Share of its largest effort from which on a motor does all it can.
_ALL = 0.99


class BulletMotors:
    """The motors of a fixed list of robots, whose joints the state lists; make a new one when the list changes."""

    def __init__(self, client: int, settings: BulletSettings, robots: list[BulletRobot], state: EngineState) -> None:
        self._client = client
        self._settings = settings
        # An array without dimensions: numpy works faster with it than with a Python number.
        self._rate = np.array(1.0 / settings.cycle_time)
        self._robots = [
            (robot.body, robot.joints, state.joints_of(row), [1.0] * len(robot.joints))
            for row, robot in enumerate(robots)
            if robot.joints
        ]
        self._fastest, self._slowest = state.joint_max_velocity, -state.joint_max_velocity
        # A range narrower than both margins shrinks to its middle.
        lower, upper = state.joint_lower, state.joint_upper
        margin = np.minimum(settings.stop_margin, (upper - lower) / 2.0)
        self._lower, self._upper = lower + margin, upper - margin
        self._ends = StopKernel(self._lower, self._upper, 1.0 / settings.cycle_time, settings.stop_return_speed)
        self._stops = lower, upper
        self._owner = np.repeat(np.arange(len(robots)), np.diff(state.joint_offset))
        every = [joint for model in state.models for joint in model.joints]
        self._strongest = np.minimum([joint.stopping_effort for joint in every], _UNLIMITED)
        # Joints that never bounce end at their stops, as joints of weak motors do.
        self._inelastic = np.array([joint.never_bounces(settings.cycle_time) for joint in every], np.bool_)
        slides = np.array([joint.kind is JointKind.PRISMATIC for joint in every], np.bool_)
        self._far = np.where(slides, _FAR_SLIDE, _FAR)
        fast = np.array([model.is_fast for model in state.models for _ in model.joints], np.bool_)
        self._as_ode, self._half = ~(slides | fast), np.array(settings.cycle_time / 2.0)
        self._ones = np.ones(len(every))
        self._bounce, self._stop_rate = settings.stop_bounce, settings.stop_erp / settings.cycle_time
        self._away = -settings.stop_return_speed
        self._cfm = np.array(settings.cfm)
        # The effort limits of the last command, to notice when they change; none yet.
        self._last_limits: Array = np.full(len(self._strongest), np.nan)
        self._limp: BoolArray | None = None
        # Values derived from the limits: the limits for Bullet, as array and list, and motors without their full power.
        self._limit: Array = self._strongest
        self._limit_list: list[float] = []
        self._weak: BoolArray = np.zeros(len(self._strongest), np.bool_)
        self._any_weak = False

    def command(self, control: JointControl, position: Array, velocity: Array, motor_effort: Array) -> Array:
        """Set the motors for the coming cycle; position, velocity: (J,) now, motor_effort: (J,) motors' last efforts.

        Returns:
            (J,) wanted velocities of the joints.
        """
        if np.count_nonzero(control.effort_limit != self._last_limits) or (
            control.limp is not self._limp and control.limp_changed(self._limp)
        ):
            self._set_limits(control.effort_limit, control.limp)
        target = np.minimum(control.velocity, self._fastest)
        np.maximum(target, self._slowest, out=target)
        if self._bounce:
            # ODE turns bodies by 2 atan(w h / 2) in a step: a joint that is sent to its stop ends before it.
            ways = target * self._half
            find_angles(ways, self._ones, ways)
            np.copyto(target, ways / self._half, where=self._as_ode)
            limits = self._bounce_off_stops(target, control.effort, position, velocity, motor_effort)
        else:
            limits = self._end_at_stops(target, control.effort, position, velocity, motor_effort)
        # The constraint's softness lets a loaded motor lag by cfm * effort; aim that much ahead.
        targets = (target + self._cfm * motor_effort).tolist()
        for body, joints, own, gains in self._robots:
            pybullet.setJointMotorControlArray(
                body,
                joints,
                pybullet.VELOCITY_CONTROL,
                targetVelocities=targets[own],
                forces=limits[own],
                velocityGains=gains,
                physicsClientId=self._client,
            )
        return target

    def _set_limits(self, limits: Array, limp: BoolArray | None) -> None:
        self._last_limits, self._limp = limits.copy(), limp
        self._limit = np.minimum(limits, _UNLIMITED)
        self._limit_list = self._limit.tolist()
        self._weak = (self._limit < self._strongest) | self._inelastic | (limp is not None and limp)
        self._any_weak = bool(self._weak.any())

    def _end_at_stops(
        self, target: Array, effort: Array, position: Array, velocity: Array, motor_effort: Array
    ) -> list[float]:
        """Change targets in place so that joints end at their stops; returns the effort limits of the motors."""
        passes = self._ends.end(target, position, velocity)
        # A stop is a solid part, even if the motor is too weak.
        if self._any_weak or passes:
            return self._hold_at_stops(target, effort, position, velocity, motor_effort)
        return self._limit_list

    def _bounce_off_stops(
        self, target: Array, effort: Array, position: Array, velocity: Array, motor_effort: Array
    ) -> list[float]:
        """Change targets in place of joints at or beyond a stop; returns the effort limits of the motors.

        As on the classic server a joint runs over its stop within a step and comes back with its own speed in the next.
        A motor that is weaker than in its model cannot take the energy up; its joint ends at the stop.
        """
        (lower, upper), limits = self._stops, self._limit_list
        below, beyond = position <= lower, position >= upper
        if self._any_weak:
            ending = target.copy()
            weak_limits = self._end_at_stops(ending, effort, position, velocity, motor_effort)
            np.copyto(target, ending, where=self._weak)
            limits = np.where(self._weak, weak_limits, self._limit).tolist()
            below, beyond = below & ~self._weak, beyond & ~self._weak
        if not (below.any() or beyond.any()):
            return limits
        rebound = -self._bounce * velocity
        # A motor that drives away from its stop neither adds to the rebound nor brakes it.
        up = np.where((target > 0.0) & (velocity > 0.0), velocity, 0.0)
        down = np.where((target < 0.0) & (velocity < 0.0), velocity, 0.0)
        up = np.maximum(np.maximum(self._stop_rate * (lower - position), rebound), up)
        down = np.minimum(np.minimum(self._stop_rate * (upper - position), rebound), down)
        np.copyto(target, up, where=below)
        np.copyto(target, down, where=beyond & ~below)
        strong: list[float] = np.where(below | beyond, _STOP_EFFORT, limits).tolist()
        return strong

    def _hold_at_stops(
        self, target: Array, effort: Array, position: Array, velocity: Array, motor_effort: Array
    ) -> list[float]:
        """Let the stops themselves push where a motor is off or too weak to hold its joint there.

        A stop pushes only inward: a joint comes free as soon as something pulls it off. Targets of held joints are
        changed in place.

        Returns:
            (J,) effort limits.
        """
        held = np.zeros(len(target), np.bool_)
        near = self._settings.stop_margin * self._rate
        # Other motors end their joints' motion at the stop by themselves.
        overpowered = self._weak | (np.abs(motor_effort) >= _ALL * self._limit)
        # Mirrored at the lower stop, so that outward is positive and the same lines do for both stops.
        for outward, end in ((-1.0, self._lower), (1.0, self._upper)):
            to_stop = (end - position) * self._rate
            room, push, speed = outward * to_stop, outward * effort, outward * velocity
            arrives = (speed > room) & (push >= 0.0)
            pressed = (room < near) & (push > 0.0) & (outward * motor_effort <= 0.0)
            stopped = (arrives & overpowered) | (pressed & self._weak)
            target[stopped] = outward * np.maximum(room[stopped], self._away)
            held |= stopped
        limits: list[float] = np.where(held, _STOP_EFFORT, self._limit).tolist()
        return limits

    def put_within_stops(self, position: Array, velocity: Array) -> list[int]:
        """Put weak joints that a step has taken far beyond a stop back to it; returns the rows of their robots.

        A stop holds joints that would pass it by their speed before the step; an impact in the step may still turn a
        light limb by half a radian. The stop takes its speed in the next step, together with all else that acts on the
        robot. Weak joints of such robots that are too fast for a step now lose speed: they would gain energy.

        position, velocity: (J,) values after the step, changed in place, rad or m, and per second.
        """
        if not self._any_weak:
            return []
        lower, upper = self._stops
        beyond = self._weak & ((position < lower - self._far) | (position > upper + self._far))
        if not beyond.any():
            return []
        np.copyto(position, np.clip(position, lower, upper), where=beyond)
        rows = set(self._owner[beyond].tolist())
        struck = self._weak & np.isin(self._owner, list(rows))
        np.copyto(velocity, np.clip(velocity, -_FASTEST, _FASTEST), where=struck)
        return sorted(rows)

    def push(self, effort: list[float]) -> None:
        """Apply the additional efforts for one Bullet step (Bullet forgets them after it)."""
        for body, joints, own, _ in self._robots:
            if any(effort[own]):
                pybullet.setJointMotorControlArray(
                    body, joints, pybullet.TORQUE_CONTROL, forces=effort[own], physicsClientId=self._client
                )
