"""`joint_trajectory_controller/follow_joint_trajectory`: a trajectory as an action, with tolerances and feedback.

The type comes from control_msgs where that package is installed, else from ours, which has the same fields.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectoryPoint

from simspark_ros.physics.engine import Array
from simspark_ros.ros.action_server import KEPT, GoalLimit, create_action_server
from simspark_ros.ros.conversions import seconds_of, set_stamp, tick_of
from simspark_ros.ros.endpoints import Wake
from simspark_ros.ros.topics.commands.effectors import Reject
from simspark_ros.ros.topics.commands.joint_command import JointCommandError
from simspark_ros.ros.topics.commands.joint_trajectory import OVER, FollowedTrajectory, State, TrajectoryInbox
from simspark_ros.ros.topics.publisher import RobotEntry

ACTION = "joint_trajectory_controller/follow_joint_trajectory"
"""Name of the action, under which clients of ros2_control's controller look for it."""

FEEDBACK_RATE = 20.0
"""Feedback per simulated second; the default of ros2_control's controller."""

_MAX_WAITING = 100
"""Most feedback messages that wait to be sent; the oldest ones are left out when there are more."""

SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, OLD_STAMP, PATH_VIOLATED, GOAL_VIOLATED = 0, -1, -2, -3, -4, -5
"""The type's codes of results."""

_CODES = {"unknown joint": INVALID_JOINTS, "joint named twice": INVALID_JOINTS, OVER: OLD_STAMP}
"""Codes of refusals by their short reason; others are an `INVALID_GOAL`."""

Outcome = tuple[int, str]
"""A code and its text."""


def action_type() -> Any:
    """FollowJointTrajectory of control_msgs if it is installed, else ours."""
    for package in ("control_msgs", "simspark_ros"):
        try:
            return import_module(f"{package}.action").FollowJointTrajectory
        except (ImportError, AttributeError):
            continue
    raise ImportError("simspark_ros.action has no FollowJointTrajectory: build the messages again (make setup)")


class Tolerances:
    """Largest errors of K joints: (K,) rad and rad/s, m and m/s, infinite where there is no limit.

    `given` are control_msgs/JointTolerance; 0 = not specified, less = no limit.

    Raises:
        JointCommandError: a joint is not in the trajectory, or a number is not finite.
    """

    def __init__(self, names: Sequence[str], given: Sequence[Any]) -> None:
        self._names = names
        self.position, self.rate = np.full(len(names), math.inf), np.full(len(names), math.inf)
        self.is_open = True
        for tolerance in given:
            if tolerance.name not in names:
                text = f"a tolerance names joint '{tolerance.name:.40}', which is not in the trajectory"
                raise JointCommandError("unknown joint", text)
            index = names.index(tolerance.name)
            for array, number in ((self.position, tolerance.position), (self.rate, tolerance.velocity)):
                if not math.isfinite(number):
                    raise JointCommandError("not finite", f"a tolerance of joint '{tolerance.name}' is {number}")
                if number > 0.0:
                    array[index], self.is_open = number, False

    def violation(self, state: State) -> str:
        """The joint out of tolerance, with its numbers; empty if there is none."""
        if self.is_open:
            return ""
        for wanted, actual, most, what in (
            (state.wanted, state.actual, self.position, "position"),
            (state.wanted_rates, state.rates, self.rate, "velocity"),
        ):
            errors = np.abs(wanted - actual)
            (out,) = np.nonzero(errors > most)
            if len(out):
                joint = out[0]
                return (
                    f"the {what} of joint '{self._names[joint]}' is {actual[joint]:.4f}, {errors[joint]:.4f} off "
                    f"{wanted[joint]:.4f}; the tolerance is {most[joint]:g}"
                )
        return ""


class GoalWatch:
    """Checks the tolerances of a goal cycle by cycle, and says how it ended; a `Watch`.

    `done` takes the outcome, once, and `feedback` a state from time to time, in the simulation's thread or any other.
    """

    def __init__(
        self,
        path: Tolerances,
        goal: Tolerances,
        patience: float,
        done: Callable[[Outcome], None],
        feedback: Callable[[State], None],
    ) -> None:
        self._path, self._goal, self._patience = path, goal, patience
        self._done, self._feedback = done, feedback
        self._tick = -1
        self._over_at: float | None = None

    def check(self, state: State, is_over: bool) -> bool:
        """Take a cycle."""
        if (tick := tick_of(state.since, FEEDBACK_RATE)) != self._tick:
            self._tick = tick
            self._feedback(state)
        if not is_over:
            if violation := self._path.violation(state):
                self._done((PATH_VIOLATED, f"{state.since:.3f} s after the start, {violation}"))
            return bool(violation)
        if self._over_at is None:
            self._over_at = state.since
        violation = self._goal.violation(state)
        if not violation:
            self._done((SUCCESSFUL, ""))
            return True
        if state.since - self._over_at < self._patience:
            return False
        self._done((GOAL_VIOLATED, f"{self._patience:g} s after the end, {violation}"))
        return True

    def ended(self, reason: str) -> None:
        """Take note that the goal was ended from outside."""
        self._done((INVALID_GOAL, reason))


class TrajectoryAction:
    """The action of one robot. Callbacks run in the thread of the node's executor; any thread makes and destroys it.

    A goal that cannot be followed is accepted and aborted at once, so that its result says why. `read` makes a motion
    of a trajectory_msgs/JointTrajectory, None for one without points, or raises JointCommandError.
    """

    def __init__(
        self,
        node: Node,
        entry: RobotEntry,
        inbox: TrajectoryInbox,
        reject: Reject,
        read: Callable[[Any], FollowedTrajectory | None],
    ) -> None:
        self._node, self._name, self._inbox, self._reject, self._read = node, entry.name, inbox, reject, read
        self._type = action_type()
        self._limit = GoalLimit()
        self._motions: dict[int, FollowedTrajectory] = {}
        # When a goal last came or ended: between these it is in `_motions`, soon after it has come.
        self._used = -math.inf
        self._server = create_action_server(
            node, self._type, entry.topic(ACTION), self._execute, self._take, self._cancel
        )

    def destroy(self) -> None:
        """Remove the action; if a goal runs or has just ended, only after the time in which its result may be fetched.

        The executor's thread does it: an executor fails if it finds a server gone while it begins to wait.
        """
        wall, group = Clock(clock_type=ClockType.STEADY_TIME), ReentrantCallbackGroup()
        # The executor may run the timer before this thread knows it.
        made = threading.Lock()

        def destroy() -> None:
            with made:
                self._node.destroy_timer(timer)
            self._server.destroy()

        with made:
            period = KEPT if self._motions or time.monotonic() - self._used < KEPT else 0.0
            timer: Any = self._node.create_timer(period, destroy, callback_group=group, clock=wall)

    def _take(self) -> bool:
        self._used = time.monotonic()
        return self._limit.take()

    def _cancel(self, goal: Any) -> None:
        motion = self._motions.get(id(goal))
        if motion is not None:
            self._inbox.remove(motion, "the goal was cancelled")

    async def _execute(self, goal: Any) -> Any:
        code, text = await self._follow(goal)
        if code == SUCCESSFUL:
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return self._type.Result(error_code=code, error_string=text)

    async def _follow(self, goal: Any) -> Outcome:
        waiting: deque[State] = deque(maxlen=_MAX_WAITING)
        names = list(goal.request.trajectory.joint_names)

        def send() -> None:
            while waiting and goal.is_active:
                goal.publish_feedback(self._feedback(names, waiting.popleft()))

        # Completing a future does not wake an executor of rclpy: a guard condition does.
        wake = Wake(self._node, send)
        future: Any = Future()

        def done(outcome: Outcome) -> None:
            if not future.done():
                future.set_result(outcome)
                wake.trigger()

        def feedback(state: State) -> None:
            waiting.append(state)
            wake.trigger()

        try:
            motion = self._motion(self._taken_from(goal), done, feedback)
            if goal.is_cancel_requested:
                return INVALID_GOAL, "the goal was cancelled"
            self._motions[id(goal)] = motion
            self._inbox.put(motion, "another trajectory took its place")
            outcome: Outcome = await future
            send()
            return outcome
        except JointCommandError as error:
            self._reject(self._name, error.reason, str(error), ACTION)
            return _CODES.get(error.reason, INVALID_GOAL), str(error)
        finally:
            self._used = time.monotonic()
            self._motions.pop(id(goal), None)
            wake.close()

    def _taken_from(self, goal: Any) -> Any:
        """Take the request out of a goal: rclpy keeps goals for seconds, and 20,000 points are 25 MB."""
        request, goal._goal_request = goal.request, self._type.Goal()
        return request

    def _motion(
        self, request: Any, done: Callable[[Outcome], None], feedback: Callable[[State], None]
    ) -> FollowedTrajectory:
        """The motion that a goal asks for; raises JointCommandError."""
        multiple = getattr(request, "multi_dof_trajectory", None)
        if multiple is not None and multiple.points:
            raise JointCommandError("several degrees of freedom", "use `trajectory`; joints have one degree of freedom")
        motion = self._read(request.trajectory)
        if motion is None:
            raise JointCommandError("no points", "its trajectory has no points; to stop, cancel the running goal")
        names = list(request.trajectory.joint_names)
        path, goal = (Tolerances(names, given) for given in (request.path_tolerance, request.goal_tolerance))
        patience = seconds_of(request.goal_time_tolerance)
        motion.watch = GoalWatch(path, goal, patience if patience > 0.0 else math.inf, done, feedback)
        return motion

    def _feedback(self, names: list[str], state: State) -> Any:
        message = self._type.Feedback(joint_names=names)
        set_stamp(message.header.stamp, state.time)
        message.desired = _point(state, state.wanted, state.wanted_rates)
        message.actual = _point(state, state.actual, state.rates)
        message.error = _point(state, state.wanted - state.actual, state.wanted_rates - state.rates)
        return message


def _point(state: State, positions: Array, rates: Array) -> JointTrajectoryPoint:
    point = JointTrajectoryPoint(positions=positions.tolist(), velocities=rates.tolist())
    set_stamp(point.time_from_start, state.since)
    return point
