"""Trajectories from topics and actions: checked as a whole, then followed cycle by cycle until the next one comes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.robots.motors.commands import MotorMode, Motors
from simspark_ros.robots.motors.trajectory import JointTrajectory
from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.topics.commands.joint_command import JointCommandError, check_names

_LATEST_START = 3600.0
"""Longest time from sending a trajectory to its start, s; a later start is wall time mistaken for simulated time."""

OVER = "over already"
"""Reason for refusing a trajectory that ended before it came."""

_LARGEST = 1e6
"""Largest number of a point, rad, rad/s or rad/s^2, m likewise; no joint comes near it."""


def check_trajectory(index_of: dict[str, int], message: Any, most_points: int) -> JointTrajectory | None:
    """Check a trajectory_msgs/JointTrajectory; None if it has no points, which means "stop".

    `index_of` has the index of each of the robot's joints.

    Raises:
        JointCommandError: unknown joint, joint named twice, too many points, wrong length, times that do not rise, or
            numbers that are not finite or absurd.
    """
    names, points = list(message.joint_names), message.points
    check_names(index_of, names)
    if not points:
        return None
    if len(points) > most_points:
        raise JointCommandError("too long", f"{len(points)} points; max_trajectory_points allows {most_points}")
    times = np.array([seconds_of(point.time_from_start) for point in points])
    if times[0] < 0.0 or (np.diff(times) <= 0.0).any():
        raise JointCommandError("wrong times", "time_from_start has to rise from point to point, from 0 or more")
    positions = _values("positions", points, names)
    if positions is None:
        raise JointCommandError("wrong length", "its points have no positions; send velocities alone to joint_command")
    velocities, accelerations = _values("velocities", points, names), _values("accelerations", points, names)
    if velocities is None:
        accelerations = None
    joints = np.array([index_of[name] for name in names], np.int64)
    return JointTrajectory(joints, times, positions, velocities, accelerations)


def _values(kind: str, points: Sequence[Any], names: Sequence[str]) -> Array | None:
    """The numbers (P, K) of a kind, or None if no point has any."""
    lengths = {len(getattr(point, kind)) for point in points}
    if lengths == {0}:
        return None
    if lengths != {len(names)}:
        raise JointCommandError(
            "wrong length",
            f"points with {', '.join(map(str, sorted(lengths)[:4]))} {kind} for {len(names)} joints; give one per "
            "joint in every point, or none in any",
        )
    values = np.array([getattr(point, kind) for point in points], float)
    wrong = ~(np.abs(values) <= _LARGEST)
    if wrong.any():
        point, joint = np.argwhere(wrong)[0]
        text = f"{kind} of joint '{names[joint]}' in point {point} is {values[point, joint]:g}; send numbers up to 1e6"
        raise JointCommandError("not finite", text)
    return values


def check_start(trajectory: JointTrajectory, start: float, time: float) -> None:
    """Check the start of a trajectory against the simulated time, both s.

    Raises:
        JointCommandError: the trajectory is over already, or starts too late.
    """
    delay = start - time
    if delay > _LATEST_START:
        text = f"the trajectory starts in {delay:.0f} s; stamps are simulated time (use_sim_time), 0 = at once"
        raise JointCommandError("wrong times", text)
    if delay + trajectory.duration < 0.0:
        raise JointCommandError(OVER, f"the trajectory ended {-delay - trajectory.duration:.3f} s ago")


@dataclass(frozen=True)
class State:
    """Actual and wanted positions and rates of a trajectory's joints: (K,) rad and rad/s, m and m/s; times in s."""

    time: float
    since: float
    wanted: Array
    wanted_rates: Array
    actual: Array
    rates: Array


class Watch(Protocol):
    """Observes a trajectory being followed. The simulation's thread calls `check`, any thread calls `ended`."""

    def check(self, state: State, is_over: bool) -> bool:
        """Take a cycle from the start on; `is_over` = the last point's time has come. Returns whether to end here."""

    def ended(self, reason: str) -> None:
        """Take note that the trajectory was ended from outside."""


@dataclass
class FollowedTrajectory:
    """A trajectory that a robot follows.

    Attributes:
        trajectory: the joint trajectory being followed; from its first cycle on it has a point at time 0.
        start: simulated time of its start, s; None = at once.
        watch: observer that decides when the motion ends; None = it ends with its last point.
    """

    trajectory: JointTrajectory
    start: float | None = None
    watch: Watch | None = None
    _begin: float | None = None

    def since(self, time: float, simulated: float, actual: Array) -> float:
        """Seconds since the start; begins it in its first cycle, where the joints (K,) are."""
        if self._begin is None:
            # Time of the simulation may be set back.
            self._begin = simulated + (0.0 if self.start is None else self.start - time)
            self.trajectory = self.trajectory.starting_at(actual)
        return simulated - self._begin


class TrajectoryInbox:
    """The trajectory of one robot; a new one takes the place of the one before.

    Attributes:
        active: whether there is a trajectory.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._motion: FollowedTrajectory | None = None
        self._closed = ""
        self.active = False

    def put(self, motion: FollowedTrajectory | None, reason: str) -> None:
        """Follow another trajectory from now on, or none, for a reason; safe from any thread."""
        with self._lock:
            if self._closed:
                over, reason = motion, self._closed
            else:
                over, self._motion, self.active = self._motion, motion, motion is not None
        if over is not None and over.watch is not None:
            over.watch.ended(reason)

    def close(self, reason: str) -> None:
        """End the trajectory, and every later one at once: goals may wait in an executor for a while."""
        with self._lock:
            self._closed = reason
            over, self._motion, self.active = self._motion, None, False
        if over is not None and over.watch is not None:
            over.watch.ended(reason)

    def remove(self, motion: FollowedTrajectory, reason: str) -> None:
        """Stop following a trajectory for a reason, if it has not been replaced; safe from any thread."""
        if self._remove(motion) and motion.watch is not None:
            motion.watch.ended(reason)

    def _remove(self, motion: FollowedTrajectory) -> bool:
        with self._lock:
            is_current = self._motion is motion
            if is_current:
                self._motion, self.active = None, False
        return is_current

    def apply(
        self, motors: Motors, first: int, state: EngineState, seconds: float, time: float, simulated: float
    ) -> list[tuple[MotorMode, IntArray, Array]]:
        """Lead the joints to their wanted positions at the end of this cycle; otherwise as `CommandInbox.apply`.

        `time` is the simulation's time at the start of this cycle, s; `simulated` is the same, but never set back.
        """
        with self._lock:
            motion = self._motion
        if motion is None:
            return []
        joints = motion.trajectory.joints
        actual = state.joint_position[joints + first]
        since = motion.since(time, simulated, actual)
        if since < -seconds:
            return []
        trajectory = motion.trajectory
        is_over = ends = since >= trajectory.duration
        if motion.watch is not None:
            rates = state.joint_velocity[joints + first]
            now = State(time, since, *trajectory.sample(max(since, 0.0)), actual, rates)
            ends = since >= 0.0 and motion.watch.check(now, is_over)
        if ends:
            self._remove(motion)
            if is_over:
                return []
            # Broken off: the joints stay where they are.
            wanted = actual
        else:
            wanted, _ = trajectory.sample(since + seconds)
        motors.set_positions(joints + first, wanted, state)
        return [(MotorMode.POSITION, joints, wanted)]
