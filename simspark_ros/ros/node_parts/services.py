"""Services of the simulator: those of simulation_interfaces, of managed nodes, and of the game."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from simspark_ros import __version__
from simspark_ros.ros.lifecycle import LifecycleServices
from simspark_ros.ros.services.entities import EntityServices, PlaceServices
from simspark_ros.ros.services.game import offer_game_services
from simspark_ros.ros.services.lifecycle import ManagedSimulation
from simspark_ros.ros.services.offer import FeatureService, StandardOffer
from simspark_ros.ros.services.server import ServiceServer
from simspark_ros.ros.services.simulation import SimulationServices
from simspark_ros.ros.services.spawning import SpawnServices
from simspark_ros.ros.services.standard import installed_interfaces
from simspark_ros.ros.services.steps import StepServices
from simspark_ros.ros.services.worlds import WorldServices
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.checks import TopicChecks
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings


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
        """Give up requests that waited too long, and tell of changes of the life cycle; in the executor's thread."""
        self._server.expire()
        self._lifecycle.refresh()
