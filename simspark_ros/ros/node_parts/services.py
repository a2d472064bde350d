"""Services of the simulator: of simulation_interfaces, of managed nodes, and of the game."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from simspark_ros import __version__
from simspark_ros.msg import SimulationState
from simspark_ros.ros.lifecycle import (
    ACTIVE,
    CONFIGURING,
    FINALIZED,
    INACTIVE,
    UNCONFIGURED,
    LifecycleServices,
    TransitionRefusedError,
)
from simspark_ros.ros.services.entities import EntityServices, PlaceServices
from simspark_ros.ros.services.game import offer_game_services
from simspark_ros.ros.services.offer import FeatureService, StandardOffer
from simspark_ros.ros.services.server import RequestError, ServiceServer
from simspark_ros.ros.services.simulation import SimulationServices
from simspark_ros.ros.services.spawning import SpawnServices
from simspark_ros.ros.services.standard import installed_interfaces
from simspark_ros.ros.services.steps import StepServices
from simspark_ros.ros.services.worlds import WorldServices
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.names import TopicChecks
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings

STATES = {
    SimulationState.STATE_NO_WORLD: UNCONFIGURED,
    SimulationState.STATE_LOADING_WORLD: CONFIGURING,
    SimulationState.STATE_STOPPED: INACTIVE,
    SimulationState.STATE_PAUSED: INACTIVE,
    SimulationState.STATE_PLAYING: ACTIVE,
    SimulationState.STATE_QUITTING: FINALIZED,
}

_WANTED = {
    "activate": SimulationState.STATE_PLAYING,
    "deactivate": SimulationState.STATE_PAUSED,
    "shutdown": SimulationState.STATE_QUITTING,
}


class ManagedSimulation:
    """See `Managed`."""

    def __init__(self, simulation: SimulationServices, worlds: WorldServices) -> None:
        self._simulation, self._worlds = simulation, worlds

    @property
    def state(self) -> int:
        """The simulation's state."""
        return int(STATES[self._simulation.state])

    async def carry_out(self, label: str) -> None:
        """Change the simulation."""
        try:
            if label == "configure":
                await self._worlds.load_again()
            elif label == "cleanup":
                await self._worlds.unload()
            else:
                await self._simulation.change(_WANTED[label])
        except RequestError as error:
            raise TransitionRefusedError(str(error)) from None


class Services:
    """The services; `wake` ends the simulation's wait, `synchronise` makes topics of robots that have come.

    Attributes:
        state: services about the state of the simulation.
    """

    def __init__(
        self,
        node: Node,
        simulation: Simulation,
        control: TopicControl,
        settings: SimulationSettings,
        options: NodeOptions,
        checks: TopicChecks,
        wake: Callable[[], None],
        synchronise: Callable[[], None],
    ) -> None:
        self._server = ServiceServer(node, simulation, options.service_timeout, wake, synchronise)
        interfaces = installed_interfaces()
        offer = StandardOffer(node, self._server, interfaces, options.services_namespace)
        spawning = SpawnServices(offer, simulation, control, settings, checks)
        self.state = SimulationServices(offer, simulation, control, spawning)
        StepServices(offer, simulation, control, self.state)
        EntityServices(offer, simulation, control)
        PlaceServices(offer, simulation)
        worlds = WorldServices(offer, simulation, self.state, settings)
        managed = ManagedSimulation(self.state, worlds)
        self._lifecycle = LifecycleServices(node, self._server.offer_coroutine, managed)
        FeatureService(offer, f"simspark_ros {__version__}, engine {settings.engine}, types of {interfaces.package}")
        offer_game_services(self._server, simulation)

    @property
    def quiet(self) -> bool:
        """Whether every request has been answered."""
        return self._server.quiet

    def refresh(self) -> None:
        """Give up requests that waited too long, and report changes of the life cycle; in the executor's thread."""
        self._server.expire()
        self._lifecycle.refresh()
