"""Offers the services of simulation_interfaces, as far as there are types for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from rclpy.node import Node

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.files.format_table import FORMATS
from simspark_ros.ros.services.server import ServiceServer
from simspark_ros.ros.services.standard import ACTION, FEATURES, Interfaces, service_name

T = TypeVar("T")


class StandardOffer:
    """The services of the standard below a namespace; empty = the node's namespace.

    Attributes:
        interfaces: types of the services.
        offered: names of the services, and the action, on offer.

    Raises:
        ConfigurationError: the namespace is not one of ROS.
    """

    def __init__(self, node: Node, server: ServiceServer, interfaces: Interfaces, namespace: str) -> None:
        self.node, self.server, self.interfaces = node, server, interfaces
        self._namespace = namespace
        self.offered: set[str] = set()
        try:
            node.resolve_service_name(self.name(ACTION))
        # rclpy has an exception for each kind of mistake.
        except Exception as error:
            problem = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ConfigurationError(f"parameter 'services_namespace': '{namespace}': {problem}") from None
        for name in interfaces.lacking():
            node.get_logger().warning(f"'{name}' is not offered: the installed {interfaces.package} has no type for it")

    def name(self, service: str) -> str:
        """The name of a service in its namespace."""
        return service_name(self._namespace, service)

    def message(self, name: str) -> Any:
        """A new message of the package of the interfaces."""
        return self.interfaces.message(name)()

    def work(self, service: str, work: Callable[[Any, Any], None]) -> None:
        """Offer a service whose `work` is done by the simulation's thread, and needs a world; see `ServiceServer`."""
        self.coroutine(service, self.server.handler(work))

    def coroutine(self, service: str, handler: Callable[[Any, Any], Awaitable[None]]) -> None:
        """Offer a service whose handler runs in the executor's thread."""
        kind = self.interfaces.services.get(service)
        if kind is not None:
            self.server.offer_coroutine(kind, self.name(service), handler)
            self.offered.add(service)

    async def in_world(self, work: Callable[[], T]) -> T:
        """Let the simulation's thread do something between two cycles; `RequestError` if there is no world."""
        return await self.server.in_simulation(work, needs_world=True)


class FeatureService:
    """`get_simulator_features`; `about` is for people."""

    def __init__(self, offer: StandardOffer, about: str) -> None:
        self._offer, self._about = offer, about
        offer.coroutine("get_simulator_features", self._get)

    async def _get(self, request: Any, response: Any) -> None:
        features = response.features
        features.features = [number for number, service in FEATURES.items() if service in self._offer.offered]
        features.spawn_formats = list(dict.fromkeys(FORMATS.values()))
        features.custom_info = self._about
