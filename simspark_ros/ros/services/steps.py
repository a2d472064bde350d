"""Single steps while time stands still: the service `step_simulation` and the action `simulate_steps`.

Both answer when the steps are done, and nothing here waits on ROS time.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future as ThreadFuture
from functools import partial
from typing import Any, TypeVar

from simspark_ros.msg import Result, SimulationState
from simspark_ros.ros.action_server import GoalLimit, create_action_server
from simspark_ros.ros.endpoints import create_guard
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.server import RequestError
from simspark_ros.ros.services.simulation import SimulationServices
from simspark_ros.ros.services.standard import ACTION
from simspark_ros.ros.topic_control import Steps, TopicControl
from simspark_ros.simulation.loop import Simulation

T = TypeVar("T")

MAX_WAITING = 100
"""Most steps whose feedback waits to be sent; beyond that, the oldest feedback is left out."""


_CANCELLED = "the goal was cancelled"


class StepServices:
    """`step_simulation` and `simulate_steps`, one at a time; each step may take the server's timeout."""

    def __init__(
        self, offer: StandardOffer, simulation: Simulation, control: TopicControl, state: SimulationServices
    ) -> None:
        self._server, self._simulation, self._control, self._state = offer.server, simulation, control, state
        offer.coroutine("step_simulation", self._step)
        if offer.interfaces.action is not None:
            StepAction(self, offer)

    async def _step(self, request: Any, response: Any) -> None:
        await self.run(Steps(int(request.steps), ThreadFuture()))

    async def run(self, steps: Steps) -> None:
        """Make steps and return when they are done.

        Raises:
            RequestError: they are not possible now, or were interrupted.
        """
        count = steps.left
        if count < 1:
            raise RequestError(Result.RESULT_OPERATION_FAILED, "steps must be at least 1")
        # Subscribers that came while time stood still must get the first step.
        self._server.synchronise()
        await self._server.in_simulation(partial(self._begin, steps), needs_world=True)
        reason = await self._done(steps)
        if reason is not None:
            made = count - steps.left
            raise RequestError(Result.RESULT_OPERATION_FAILED, f"{reason} after {made} of {count} steps")

    def give_up(self, steps: Steps, reason: str) -> None:
        """Request the end of steps that are still being made; does not wait."""
        self._simulation.requests.submit(partial(self._give_up, steps, reason))
        self._server.wake_simulation()

    def _begin(self, steps: Steps) -> None:
        if self._state.state != SimulationState.STATE_PAUSED:
            raise RequestError(Result.RESULT_INCORRECT_STATE, "steps are possible only while the simulation is PAUSED")
        if self._control.steps is not None:
            raise RequestError(Result.RESULT_INCORRECT_STATE, "steps of another request are being made; wait for them")
        self._control.steps = steps
        self._simulation.scheduler.step(steps.left)

    async def _done(self, steps: Steps) -> str | None:
        while True:
            left = steps.left
            # The future of steps is never cancelled, only waited for again.
            waiter: ThreadFuture[str | None] = ThreadFuture()
            steps.done.add_done_callback(lambda done, waiter=waiter: _pass_on(done, waiter))  # type: ignore[misc]
            try:
                return await self._server.result_of(waiter)
            except RequestError:
                if steps.left < left:
                    continue
                reason = f"no step was made for {self._server.timeout:g} s; perhaps an agent does not answer"
                await self._server.in_simulation(partial(self._give_up, steps, reason))
                return reason

    def _give_up(self, steps: Steps, reason: str) -> None:
        if self._control.steps is steps:
            self._simulation.scheduler.pause()
            self._control.end_steps(reason)


class StepAction:
    """`simulate_steps`: as the service, with feedback after each step and a way to cancel.

    A second goal is refused while one is carried out, and so are goals that come faster than rclpy forgets them.
    """

    def __init__(self, stepping: StepServices, offer: StandardOffer) -> None:
        self._stepping, self._type = stepping, offer.interfaces.action
        self._goal: Any = None
        self._steps: Steps | None = None
        self._made: deque[tuple[int, int]] = deque(maxlen=MAX_WAITING)
        self._limit = GoalLimit()
        guard = create_guard(offer.node, self._send_feedback)
        self._wake = guard.trigger
        create_action_server(offer.node, self._type, offer.name(ACTION), self._execute, self._accept, self._cancel)
        offer.offered.add(ACTION)

    def _accept(self) -> bool:
        return self._goal is None and self._limit.take()

    def _cancel(self, goal: Any) -> None:
        if self._steps is not None and goal is self._goal:
            self._stepping.give_up(self._steps, _CANCELLED)

    async def _execute(self, goal: Any) -> Any:
        result = self._type.Result()
        try:
            await self._run(goal)
            goal.succeed()
            result.result.result = Result.RESULT_OK
        except RequestError as error:
            result.result.result, result.result.error_message = error.result, str(error)
            if goal.is_cancel_requested:
                goal.canceled()
            else:
                goal.abort()
        return result

    async def _run(self, goal: Any) -> None:
        if self._goal is not None:
            raise RequestError(Result.RESULT_INCORRECT_STATE, "another goal is being carried out; wait for it")
        if goal.is_cancel_requested:
            raise RequestError(Result.RESULT_OPERATION_FAILED, _CANCELLED)
        count = int(goal.request.steps)
        steps = Steps(count, ThreadFuture(), lambda: self._note(count, steps))
        self._goal, self._steps = goal, steps
        try:
            await self._stepping.run(steps)
        finally:
            self._send_feedback()
            self._goal = self._steps = None

    def _note(self, count: int, steps: Steps) -> None:
        """Remember a step; in the simulation's thread."""
        self._made.append((count - steps.left, steps.left))
        self._wake()

    def _send_feedback(self) -> None:
        while self._goal is not None and self._made:
            completed, remaining = self._made.popleft()
            self._goal.publish_feedback(self._type.Feedback(completed_steps=completed, remaining_steps=remaining))


def _pass_on(done: ThreadFuture[T], waiter: ThreadFuture[T]) -> None:
    if waiter.set_running_or_notify_cancel():
        waiter.set_result(done.result())
