"""Tells ODE's motors what a JointControl wants, and only what has changed: every call costs half a microsecond."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, EngineState, JointControl, PhysicsError
from simspark_ros.physics.ode_library import BOUNCE, FORCE_MAX, VELOCITY
from simspark_ros.physics.ode_robot import UNLIMITED, OdeRobot


class Motors:
    """Motors of a fixed list of robots; make a new one when the list changes."""

    def __init__(self, robots: list[OdeRobot], state: EngineState, stop_bounce: float) -> None:
        """Prepare the motors of these robots, whose joints the state lists; nothing was told them yet."""
        self._robots = robots
        self._stop_bounce = stop_bounce
        self._fastest = state.joint_max_velocity
        self._strongest = np.minimum(state.joint_max_effort, UNLIMITED)
        self._owner = np.repeat(np.arange(len(robots)), np.diff(state.joint_offset))
        self._calls = [
            (robot.parameter_setter(joint), robot.effort_adder(joint), made)
            for robot in robots
            for joint, made in zip(robot.model.joints, robot.joints, strict=True)
        ]
        self._velocity: Array = np.full(len(self._calls), np.nan)
        self._limit: Array = np.full(len(self._calls), np.nan)

    def check(self, control: JointControl) -> None:
        """Refuse a control that does not fit.

        Raises:
            PhysicsError: wrong sizes or numbers that are not finite (an infinite effort limit is allowed).
        """
        shape = self._fastest.shape
        if not control.velocity.shape == control.effort_limit.shape == control.effort.shape == shape:
            raise PhysicsError(f"the arrays of a JointControl must have the shape {shape} of the state's joints")
        finite = np.isfinite(control.velocity).all() and np.isfinite(control.effort).all()
        # A limit may be infinite, not NaN.
        if not (finite and (control.effort_limit >= 0.0).all()):
            raise PhysicsError("a JointControl holds numbers that are not finite, or a negative effort limit")

    def command(self, control: JointControl) -> Array:
        """Set motors and efforts for the coming step; robots that are told to move wake or stay awake.

        Returns:
            (J,) efforts applied besides the motors'.
        """
        velocity = np.minimum(np.maximum(control.velocity, -self._fastest), self._fastest)
        limit = np.minimum(control.effort_limit, self._strongest)
        changed: BoolArray = velocity != self._velocity
        weaker: BoolArray = limit != self._limit
        moves: BoolArray = (velocity != 0.0) & (limit > 0.0)
        effort = np.zeros(0)
        pushed = bool(control.effort.any())
        if pushed:
            effort = np.minimum(np.maximum(control.effort, -UNLIMITED), UNLIMITED)
            moves |= effort != 0.0
        # A new limit may let go of a joint. All limits are new after robots came or went, which wakes nobody.
        moves |= weaker & ~np.isnan(self._limit)
        for row in sorted(set(self._owner[moves].tolist())):
            self._robots[row].wake()
        self._tell(VELOCITY, changed, velocity)
        self._tell(FORCE_MAX, weaker, limit)
        if weaker.any():
            # Elastic stops belong to motors that take the energy up: a joint without one would bounce for ever.
            self._tell(BOUNCE, weaker, np.where(limit > 0.0, self._stop_bounce, 0.0))
        self._velocity, self._limit = velocity, limit
        if not pushed:
            return np.zeros_like(velocity)
        for index in np.flatnonzero(effort).tolist():
            _, add, joint = self._calls[index]
            add(joint, float(effort[index]))
        return effort

    def _tell(self, parameter: int, which: BoolArray, values: Array) -> None:
        indices = np.flatnonzero(which)
        if not len(indices):
            return
        for index, value in zip(indices.tolist(), values[indices].tolist(), strict=True):
            set_parameter, _, joint = self._calls[index]
            set_parameter(joint, parameter, value)
