"""The services of the simulation's state and of its reset (semantics of simulation_interfaces 2.1.0)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.msg import Result, SimulationState
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.server import RequestError
from simspark_ros.ros.services.spawning import SpawnServices
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.simulation.loop import Simulation
from simspark_ros.srv import ResetSimulation, SetSimulationState

_ALL = ResetSimulation.Request.SCOPE_TIME | ResetSimulation.Request.SCOPE_STATE | ResetSimulation.Request.SCOPE_SPAWNED

_WANTED = (SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING, SimulationState.STATE_PAUSED)
"""States that can be requested, except QUITTING."""


class SimulationServices:
    """`reset_simulation`, `set_simulation_state`, `get_simulation_state`."""

    def __init__(
        self, offer: StandardOffer, simulation: Simulation, control: TopicControl, spawning: SpawnServices
    ) -> None:
        self._server, self._simulation, self._control, self._spawning = offer.server, simulation, control, spawning
        self._stopped_in = -1
        self._loading = False
        offer.work("reset_simulation", self._reset)
        offer.coroutine("set_simulation_state", self._set_state)
        offer.coroutine("get_simulation_state", self._get_state)

    @property
    def state(self) -> int:
        """Current state, see SimulationState."""
        simulation = self._simulation
        if simulation.stopping:
            return int(SimulationState.STATE_QUITTING)
        if self._loading:
            return int(SimulationState.STATE_LOADING_WORLD)
        if not simulation.has_world:
            return int(SimulationState.STATE_NO_WORLD)
        if not simulation.scheduler.paused:
            return int(SimulationState.STATE_PLAYING)
        stopped = self._stopped_in == simulation.world.cycle
        return int(SimulationState.STATE_STOPPED if stopped else SimulationState.STATE_PAUSED)

    def load(self, change: Callable[[], None]) -> None:
        """Carry out a change of the world, after which the simulation is stopped; in the simulation's thread."""
        self._loading = True
        try:
            change()
            self._control.end_steps("the world was changed")
            self._control.update_roster(self._simulation.world)
            self._stopped_in = self._simulation.world.cycle
        finally:
            self._loading = False

    def _reset(self, request: Any, response: Any) -> None:
        whole = request.scope in (request.SCOPE_DEFAULT, request.SCOPE_ALL)
        scope = _ALL if whole else int(request.scope)
        if scope & ~_ALL:
            raise RequestError(Result.RESULT_FEATURE_UNSUPPORTED, f"scope {scope} is unknown; use a sum of 1, 2 and 4")
        self._reset_now(scope)

    def _reset_now(self, scope: int) -> None:
        request = ResetSimulation.Request
        if scope & request.SCOPE_SPAWNED:
            self._spawning.delete_spawned()
        if scope & request.SCOPE_STATE:
            self._simulation.note("reset_state")
            self._simulation.reset_state()
        if scope & request.SCOPE_TIME:
            self._simulation.note("reset_time")
            self._simulation.reset_time()

    async def change(self, wanted: int) -> None:
        """Go to one of the states of SimulationState that can be requested.

        Raises:
            RequestError: the simulation is in that state, or cannot go there from its own.
        """
        await self._change(wanted, SetSimulationState.Response())

    async def _get_state(self, request: Any, response: Any) -> None:
        response.state.state = self.state

    async def _set_state(self, request: Any, response: Any) -> None:
        await self._change(int(request.state.state), response)

    async def _change(self, wanted: int, response: Any) -> None:
        await self._server.in_simulation(lambda: self._set_now(wanted, response))
        self._server.synchronise()

    def _set_now(self, wanted: int, response: Any) -> None:
        scheduler = self._simulation.scheduler
        if wanted == self.state:
            raise RequestError(response.ALREADY_IN_TARGET_STATE, "the simulation is in that state already")
        if wanted == SimulationState.STATE_QUITTING:
            self._simulation.stop()
            return
        if wanted not in _WANTED:
            raise RequestError(
                response.INCORRECT_TRANSITION,
                f"state {wanted} cannot be requested; use STOPPED, PLAYING, PAUSED or QUITTING, and load_world and "
                "unload_world for worlds",
            )
        if not self._simulation.has_world:
            raise RequestError(response.INCORRECT_TRANSITION, "no world is loaded; call load_world first")
        self._stopped_in = -1
        if wanted == SimulationState.STATE_PLAYING:
            self._control.end_steps("the simulation was started")
            scheduler.resume()
            return
        self._control.end_steps("the simulation was stopped")
        scheduler.pause()
        if wanted == SimulationState.STATE_STOPPED:
            self._reset_now(_ALL)
            self._stopped_in = self._simulation.world.cycle
