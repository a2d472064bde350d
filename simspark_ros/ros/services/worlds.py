"""The services that load, unload and list worlds (semantics of simulation_interfaces 2.1.0)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import UserError, cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.msg import Result
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.ros.limits import MAX_SOURCES
from simspark_ros.ros.services.messages import tag_filter
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.server import RequestError
from simspark_ros.ros.services.simulation import SimulationServices
from simspark_ros.ros.services.standard import resource_of, source_of
from simspark_ros.simulation.loading.addresses import AddressError
from simspark_ros.simulation.loop import Simulation
from simspark_ros.soccer.settings import WORLDS, WorldText

# Results of the services of worlds; an installed package may be older than these.
_UNSUPPORTED_FORMAT, _NO_RESOURCE, _PARSE_ERROR = 101, 102, 103
_NO_WORLD_LOADED = _DEFAULT_SOURCES_FAILED = 101


class WorldServices:
    """`load_world`, `unload_world`, `get_current_world`, `get_available_worlds`.

    Files are read in the background within `limits`; the old world stays until the new one has been read.
    """

    def __init__(
        self, offer: StandardOffer, simulation: Simulation, state: SimulationServices, limits: LimitSettings
    ) -> None:
        self._offer, self._server = offer, offer.server
        self._simulation, self._state, self._limits = simulation, state, limits
        self._resource = _resource_of(simulation.worlds.current)
        offer.coroutine("load_world", self._load)
        offer.coroutine("unload_world", self._unload)
        offer.coroutine("get_current_world", self._get_current)
        offer.coroutine("get_available_worlds", self._get_available)

    async def _load(self, request: Any, response: Any) -> None:
        uri, text = source_of(request)
        try:
            world = await self._read(uri, text)
            await self._load_world(world)
        except (ConfigurationError, PhysicsError) as error:
            raise RequestError(_PARSE_ERROR, str(error)) from None
        self._resource = (uri, text)
        self._describe(response.world, world, uri, text)
        self._server.synchronise()

    async def _load_world(self, world: WorldText) -> None:
        prepare = partial(self._simulation.worlds.prepare, self._simulation, world)
        load = await self._server.in_background(prepare, waited_for=True)
        await self._server.in_simulation(partial(self._load_now, world, load))

    def _load_now(self, world: WorldText, load: Callable[[], None]) -> None:
        self._state.load(load)
        self._simulation.note("loaded", str(world.path), world.document, world.books)

    async def load_again(self) -> None:
        """Load the world that was loaded last.

        Raises:
            RequestError, ConfigurationError, PhysicsError: it cannot be used any more.
        """
        await self._load_world(await self._read(*self._resource))
        self._server.synchronise()

    async def unload(self) -> None:
        """Leave nothing in the simulation; a RequestError if there is no world."""
        await self._server.in_simulation(self._unload_now)
        self._server.synchronise()

    async def _unload(self, request: Any, response: Any) -> None:
        await self.unload()

    def _unload_now(self) -> None:
        if not self._simulation.has_world:
            raise RequestError(_NO_WORLD_LOADED, "there is no world to unload")
        self._state.load(lambda: self._simulation.worlds.unload(self._simulation))
        self._simulation.note("unloaded")

    async def _get_current(self, request: Any, response: Any) -> None:
        world = self._simulation.worlds.current
        if world is None:
            raise RequestError(_NO_WORLD_LOADED, "no world is loaded")
        self._describe(response.world, world, *self._resource)

    async def _get_available(self, request: Any, response: Any) -> None:
        chosen, found, problems = tag_filter(request.filter), [], []
        sources = [*WORLDS.names, *request.additional_sources[:MAX_SOURCES]]
        if len(request.additional_sources) > MAX_SOURCES:
            problems.append(f"only {MAX_SOURCES} of {len(request.additional_sources)} sources were looked at")
        for number, source in enumerate(sources):
            try:
                found.append((source, await self._read(source, "")))
            except (RequestError, ConfigurationError) as error:
                if not request.continue_on_error:
                    own = number < len(WORLDS.names)
                    code = _DEFAULT_SOURCES_FAILED if own else Result.RESULT_OPERATION_FAILED
                    raise RequestError(code, str(error)) from None
                problems.append(cut(str(error), 200))
        messages = []
        for source, world in found:
            if chosen.selects(_tags(world)):
                messages.append(self._offer.message("WorldResource"))
                self._describe(messages[-1], world, source, "")
        response.worlds, response.result.error_message = messages, "; ".join(problems)

    async def _read(self, uri: str, text: str) -> WorldText:
        try:
            return await self._server.in_background(self._simulation.worlds.find(uri, text, self._limits))
        except AddressError as error:
            code = _UNSUPPORTED_FORMAT if error.unsupported else _NO_RESOURCE
            raise RequestError(code, str(error)) from None

    def _describe(self, message: Any, world: WorldText, uri: str, text: str) -> None:
        message.name, message.tags = world.path.stem, list(_tags(world))
        resource = resource_of(message)
        resource.uri, resource.resource_string = uri, text
        try:
            settings = self._simulation.worlds.settings(world)
        except UserError as error:
            message.description = f"cannot be loaded: {cut(str(error), 200)}"
            return
        field, size, things = settings.field, settings.teams.size, settings.things
        if not settings.plays_soccer:
            message.description = (
                f"no soccer; {len(things.obstacles)} obstacles, {len(things.objects)} objects, "
                f"{len(things.robots)} robots"
            )
            return
        message.description = f"field of {field.length:g} x {field.width:g} m, teams of {size}, rules of {world.book}"


def _tags(world: WorldText) -> tuple[str, ...]:
    return ("soccer", Path(world.book).stem) if world.plays_soccer else ("no_soccer",)


def _resource_of(world: WorldText | None) -> tuple[str, str]:
    """URI and text by which the world of the start is loaded."""
    if world is None:
        return "", ""
    return (world.path.stem if world.path.stem in WORLDS.names else str(world.path)), ""
