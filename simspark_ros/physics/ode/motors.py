"""Sets ODE's motors by a JointControl, but only changed values: every call costs half a microsecond."""

from __future__ import annotations

import ctypes

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, EngineState, JointControl
from simspark_ros.physics.ode.library import BOUNCE, FORCE_MAX, VELOCITY
from simspark_ros.physics.ode.robot import UNLIMITED, OdeRobot, early_stops_of
from simspark_ros.physics.ode.settings import OdeSettings

# Converted once: converting the arguments of a call costs as much as the call.
_VELOCITY, _FORCE_MAX, _BOUNCE = map(ctypes.c_int, (VELOCITY, FORCE_MAX, BOUNCE))
# Share of its greatest effort from which on a motor has power. Without, a gear has 0.03 of it as friction, and joints
# their own, which may be more in motion.
_POWERED = 0.5
_REAL = ctypes.sizeof(ctypes.c_double)


class OdeMotors:
    """The motors of a fixed list of robots, whose joints the state lists; make a new one when the list changes.

    Attributes:
        moved: robots that are commanded to move in this step; they are awake.
        early: indices of the joints that have early stops.
    """

    def __init__(self, robots: list[OdeRobot], state: EngineState, settings: OdeSettings) -> None:
        self._robots = robots
        self._stop_bounce, self._step = settings.stop_bounce, settings.step_time
        self._fastest, self._slowest = state.joint_max_velocity, -state.joint_max_velocity
        every = [joint for model in state.models for joint in model.joints]
        self._strongest = np.minimum([joint.stopping_effort for joint in every], UNLIMITED)
        # ODE's solver gives up when two motors reach their limits at once, as both wheels of a robot that lands flat,
        # and leaves out what it has not solved yet: it threw a caster away. So weak motors differ a little.
        self._untied = 1.0 + 1e-6 * np.concatenate([*(np.arange(len(robot.joints)) for robot in robots), np.zeros(0)])
        self._owner = np.repeat(np.arange(len(robots)), np.diff(state.joint_offset))
        joints = [joint for robot in robots for joint in robot.joints]
        self._setters = [setter for robot in robots for setter in robot.setters]
        self._adders = [adder for robot in robots for adder in robot.adders]
        self._joints = [ctypes.c_void_p(joint) for joint in joints]
        # Values to set next, and the same memory as arguments.
        self._values: Array = np.zeros(len(joints))
        self._arguments = [
            ctypes.c_double.from_buffer(self._values.data, _REAL * index) for index in range(len(joints))
        ]
        self._velocity: Array = np.full(len(joints), np.nan)
        self._limit: Array = np.full(len(joints), np.nan)
        self._bounce: Array = self._limit
        self._strong: BoolArray = np.zeros(len(joints), np.bool_)
        self._no_effort: Array = np.zeros(len(joints))
        # The last arguments, to notice changes; none yet.
        self._last_limit: Array = np.full(len(joints), np.nan)
        self._limp: BoolArray | None = None
        self.moved: list[OdeRobot] = []
        self._lower, self._upper = state.joint_lower, state.joint_upper
        # Robot and index in its model of each joint, and whether it may, or must have early stops.
        self._places = [(robot, number) for robot in robots for number in range(len(robot.joints))]
        rules = [early_stops_of(model, settings.cycle_time) for model in state.models]
        self._may_stop_early, self._must_stop_early = np.concatenate([np.zeros((2, 0), np.bool_), *rules], axis=1)
        self.early = {index for index, (robot, number) in enumerate(self._places) if robot.stops_early(number)}
        # The moving joints of the last step as bytes, as they are mostly the same in the next.
        self._moved_bytes = b""

    def command(self, control: JointControl) -> Array:
        """Set motors and efforts for the coming step; robots that are commanded to move wake or stay awake.

        Returns:
            (J,) efforts applied besides the motors', read-only.
        """
        new_limits = np.count_nonzero(control.effort_limit != self._last_limit) > 0
        new_limits = new_limits or (control.limp is not self._limp and control.limp_changed(self._limp))
        pushed = np.count_nonzero(control.effort) > 0
        velocity = np.minimum(np.maximum(control.velocity, self._slowest), self._fastest)
        let_go = self._set_limits(control.effort_limit, control.limp) if new_limits else None
        moves = velocity.astype(np.bool_)
        moves &= self._strong
        if let_go is not None:
            moves |= let_go
        effort = self._no_effort
        if pushed:
            effort = np.minimum(np.maximum(control.effort, -UNLIMITED), UNLIMITED)
            moves |= effort != 0.0
        self._wake(moves)
        self._set(_VELOCITY, velocity != self._velocity, velocity)
        self._velocity = velocity
        for index in np.flatnonzero(effort).tolist() if pushed else ():
            self._adders[index](self._joints[index], float(effort[index]))
        return effort

    def _wake(self, moves: BoolArray) -> None:
        """Wake the robots of joints that are commanded to move, (J,), or keep them awake."""
        moved_bytes = moves.tobytes()
        if moved_bytes != self._moved_bytes:
            self._moved_bytes = moved_bytes
            self.moved = [self._robots[row] for row in sorted(set(self._owner[moves].tolist()))]
        for robot in self.moved:
            robot.wake()

    def _set_limits(self, wanted: Array, limp: BoolArray | None) -> BoolArray:
        """Limit the motors; returns (J,) whether a joint's limit changed so that the joint may come loose."""
        self._last_limit, self._limp = wanted.copy(), limp
        limit = np.minimum(wanted, UNLIMITED)
        np.multiply(limit, self._untied, out=limit, where=limit < self._strongest)
        weaker: BoolArray = limit != self._limit
        self._strong = limit > 0.0
        self._set(_FORCE_MAX, weaker, limit)
        # Only joints with motors that take the energy up get elastic stops: others would bounce for ever.
        takes_up = self._strong & (limit >= _POWERED * self._strongest)
        if limp is not None:
            takes_up &= ~limp
        bounce = np.where(takes_up, self._stop_bounce, 0.0)
        self._set(_BOUNCE, bounce != self._bounce, bounce)
        self._bounce = bounce
        self._change_stops((~takes_up & self._may_stop_early) | self._must_stop_early)
        # All limits are new after robots came or went, which wakes no robot.
        let_go: BoolArray = weaker & ~np.isnan(self._limit)
        self._limit = limit
        return let_go

    def _change_stops(self, early: BoolArray) -> None:
        now = set(np.flatnonzero(early).tolist())
        # In order: ODE's results depend on the order in which its joints are made.
        for index in sorted(now ^ self.early):
            robot, number = self._places[index]
            robot.stop_early(number, index in now)
        self.early = now

    def stop_early(self, position: Array) -> None:
        """Tell early stops the positions (J,) of all joints before a step, rad or m."""
        below, above = (position - self._lower).tolist(), (self._upper - position).tolist()
        for index in self.early:
            robot, number = self._places[index]
            robot.early_stops[number].set_room(below[index], above[index], self._step)

    def _set(self, parameter: ctypes.c_int, which: BoolArray, values: Array) -> None:
        self._values[:] = values
        setters, joints, arguments = self._setters, self._joints, self._arguments
        for index in which.nonzero()[0].tolist():
            setters[index](joints[index], parameter, arguments[index])
