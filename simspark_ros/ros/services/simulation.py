"""The services that run the simulation: its state, single steps and reset (simulation_interfaces 2.1.0)."""

from __future__ import annotations

from concurrent.futures import Future as ThreadFuture
from functools import partial
from typing import Any, TypeVar

from simspark_ros.msg import Result, SimulationState
from simspark_ros.ros.services.entities import EntityServices
from simspark_ros.ros.services.server import RequestError, ServiceServer
from simspark_ros.ros.topic_control import Steps, TopicControl
from simspark_ros.simulation.loop import Simulation
from simspark_ros.srv import GetSimulationState, ResetSimulation, SetSimulationState, StepSimulation

T = TypeVar("T")

_ALL = ResetSimulation.Request.SCOPE_TIME | ResetSimulation.Request.SCOPE_STATE | ResetSimulation.Request.SCOPE_SPAWNED


class SimulationServices:
    """`reset_simulation`, `set_simulation_state`, `get_simulation_state`, `step_simulation`.

    `step_simulation` may take the server's timeout for each step.
    """

    def __init__(
        self, server: ServiceServer, simulation: Simulation, control: TopicControl, entities: EntityServices
    ) -> None:
        self._server, self._simulation, self._control, self._entities = server, simulation, control, entities
        self._stopped = False
        server.offer(ResetSimulation, "reset_simulation", self._reset)
        server.offer(SetSimulationState, "set_simulation_state", self._set_state)
        server.offer_coroutine(GetSimulationState, "get_simulation_state", self._get_state)
        server.offer_coroutine(StepSimulation, "step_simulation", self._step)

    @property
    def state(self) -> int:
        """Current state, see SimulationState."""
        if self._simulation.stopping:
            return int(SimulationState.STATE_QUITTING)
        if not self._simulation.scheduler.paused:
            return int(SimulationState.STATE_PLAYING)
        return int(SimulationState.STATE_STOPPED if self._stopped else SimulationState.STATE_PAUSED)

    def _reset(self, request: Any, response: Any) -> None:
        whole = request.scope in (request.SCOPE_DEFAULT, request.SCOPE_ALL)
        scope = _ALL if whole else int(request.scope)
        if scope & ~_ALL:
            raise RequestError(Result.RESULT_FEATURE_UNSUPPORTED, f"scope {scope} is unknown; add up 1, 2 and 4")
        self._reset_now(scope)

    def _reset_now(self, scope: int) -> None:
        request = ResetSimulation.Request
        if scope & request.SCOPE_SPAWNED:
            self._entities.delete_spawned()
        if scope & request.SCOPE_STATE:
            self._simulation.note("reset_state")
            self._simulation.reset_state()
        if scope & request.SCOPE_TIME:
            self._simulation.note("reset_time")
            self._simulation.reset_time()

    async def _get_state(self, request: Any, response: Any) -> None:
        response.state.state = self.state

    def _set_state(self, request: Any, response: Any) -> None:
        scheduler, wanted = self._simulation.scheduler, int(request.state.state)
        if wanted == self.state:
            raise RequestError(response.ALREADY_IN_TARGET_STATE, "the simulation is in that state already")
        if wanted == SimulationState.STATE_PLAYING:
            self._control.end_steps("the simulation was started")
            scheduler.resume()
        elif wanted in (SimulationState.STATE_PAUSED, SimulationState.STATE_STOPPED):
            self._control.end_steps("the simulation was stopped")
            scheduler.pause()
            if wanted == SimulationState.STATE_STOPPED:
                self._reset_now(_ALL)
        elif wanted == SimulationState.STATE_QUITTING:
            self._simulation.stop()
        else:
            raise RequestError(
                response.INCORRECT_TRANSITION, f"state {wanted} cannot be asked for; use STOPPED, PLAYING or PAUSED"
            )
        self._stopped = wanted == SimulationState.STATE_STOPPED

    async def _step(self, request: Any, response: Any) -> None:
        if request.steps < 1:
            raise RequestError(Result.RESULT_OPERATION_FAILED, "steps must be at least 1")
        # Subscribers that came while time stood still must get the first step.
        self._server.synchronise()
        steps: Steps = await self._server.in_simulation(partial(self._step_now, request.steps))
        reason = await self._steps_done(steps)
        if reason is not None:
            made = request.steps - steps.left
            raise RequestError(Result.RESULT_OPERATION_FAILED, f"{reason} after {made} of {request.steps} steps")

    def _step_now(self, count: int) -> Steps:
        if self.state != SimulationState.STATE_PAUSED:
            raise RequestError(Result.RESULT_INCORRECT_STATE, "steps are possible only while the simulation is PAUSED")
        if self._control.steps is not None:
            raise RequestError(Result.RESULT_INCORRECT_STATE, "steps of another request are being made; wait for them")
        self._control.steps = Steps(count, ThreadFuture())
        self._simulation.scheduler.step(count)
        return self._control.steps

    async def _steps_done(self, steps: Steps) -> str | None:
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
                reason = f"no step was made for {self._server.timeout:g} s (agents that do not answer?)"
                await self._server.in_simulation(partial(self._give_up, steps, reason))
                return reason

    def _give_up(self, steps: Steps, reason: str) -> None:
        if self._control.steps is steps:
            self._simulation.scheduler.pause()
            self._control.end_steps(reason)


def _pass_on(done: ThreadFuture[T], waiter: ThreadFuture[T]) -> None:
    if waiter.set_running_or_notify_cancel():
        waiter.set_result(done.result())
