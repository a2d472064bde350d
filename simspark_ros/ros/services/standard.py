"""The interfaces of simulation_interfaces: from the installed package, else from ours, which has the same fields.

Distributions ship versions from 1.0 to 2.1, and what a version lacks is left out, services included. Fields that were
renamed are found by `resource_of` and `set_resource`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from rclpy.node import Node

STANDARD, OWN = "simulation_interfaces", "simspark_ros"

ACTION, ACTION_TYPE = "simulate_steps", "SimulateSteps"

FEATURES = {
    0: "spawn_entity",  # SPAWNING
    1: "delete_entity",  # DELETING
    2: "get_named_poses",  # NAMED_POSES
    3: "get_named_pose_bounds",  # POSE_BOUNDS
    4: "get_entities",  # ENTITY_TAGS
    5: "get_entity_bounds",  # ENTITY_BOUNDS
    6: "get_entities",  # ENTITY_BOUNDS_BOX
    7: "get_entities",  # ENTITY_BOUNDS_CONVEX
    8: "get_entities",  # ENTITY_CATEGORIES
    9: "spawn_entity",  # SPAWNING_RESOURCE_STRING
    10: "get_entity_state",  # ENTITY_STATE_GETTING
    11: "set_entity_state",  # ENTITY_STATE_SETTING
    12: "get_entity_info",  # ENTITY_INFO_GETTING
    13: "set_entity_info",  # ENTITY_INFO_SETTING
    14: "get_spawnables",  # SPAWNABLES
    20: "reset_simulation",  # SIMULATION_RESET
    21: "reset_simulation",  # SIMULATION_RESET_TIME
    22: "reset_simulation",  # SIMULATION_RESET_STATE
    23: "reset_simulation",  # SIMULATION_RESET_SPAWNED
    24: "get_simulation_state",  # SIMULATION_STATE_GETTING
    25: "set_simulation_state",  # SIMULATION_STATE_SETTING
    26: "set_simulation_state",  # SIMULATION_STATE_PAUSE
    31: "step_simulation",  # STEP_SIMULATION_SINGLE
    32: "step_simulation",  # STEP_SIMULATION_MULTIPLE
    33: ACTION,  # STEP_SIMULATION_ACTION
    40: "load_world",  # WORLD_LOADING
    41: "load_world",  # WORLD_RESOURCE_STRING
    42: "get_available_worlds",  # WORLD_TAGS
    43: "unload_world",  # WORLD_UNLOADING
    44: "get_current_world",  # WORLD_INFO_GETTING
    45: "get_available_worlds",  # AVAILABLE_WORLDS
    50: "spawn_entities",  # SPAWNING_ENTITIES
}
"""Numbers of SimulatorFeatures, and the service that each needs."""

_NAMES = {"get_simulator_features", "get_entities_states", *FEATURES.values()} - {ACTION}
SERVICES = {name: "".join(map(str.capitalize, name.split("_"))) for name in sorted(_NAMES)}
"""Types of the services by name."""


@dataclass(frozen=True)
class Interfaces:
    """The interfaces of one package.

    Attributes:
        package: the package's name.
        services: types of the services, by the service's name.
        action: the type of `simulate_steps`, None if there is none.
    """

    package: str
    services: Mapping[str, Any] = field(default_factory=dict)
    action: Any = None

    def message(self, name: str) -> Any:
        """The class of a message that one of the services has.

        Raises:
            AttributeError: there is none.
        """
        return getattr(import_module(f"{self.package}.msg"), name)

    def lacking(self) -> list[str]:
        """Names of services, and the action, that the package has no types for."""
        missing = [name for name in SERVICES if name not in self.services]
        return missing if self.action is not None else [*missing, ACTION]


def interfaces_of(package: str) -> Interfaces | None:
    """The interfaces of a package, as far as it has them; None if it is not installed."""
    try:
        types = import_module(f"{package}.srv")
    except ImportError:
        return None
    try:
        action = getattr(import_module(f"{package}.action"), ACTION_TYPE, None)
    except ImportError:
        action = None
    services = {name: getattr(types, kind) for name, kind in SERVICES.items() if hasattr(types, kind)}
    return Interfaces(package, services, action)


def installed_interfaces() -> Interfaces:
    """The interfaces to be offered."""
    return interfaces_of(STANDARD) or interfaces_of(OWN) or Interfaces(OWN)


def found_interfaces(node: Node, service: str) -> Interfaces | None:
    """The interfaces with which a running simulator offers a service; None while there is no such service.

    `service` is the full name of one of the standard's services.
    """
    kinds = dict(node.get_service_names_and_types()).get(service, [])
    packages = [kind.partition("/")[0] for kind in kinds]
    return next((found for package in packages if (found := interfaces_of(package)) is not None), None)


def resource_of(message: Any) -> Any:
    """The object with the fields `uri` and `resource_string`: in newer versions a field, in older ones the message."""
    for name in ("entity_resource", "world_resource", "level_resource"):
        if hasattr(message, name):
            return getattr(message, name)
    return message


def source_of(message: Any) -> tuple[str, str]:
    """The URI of a message's resource, or else its text; the other one is empty."""
    resource = resource_of(message)
    return resource.uri, "" if resource.uri else resource.resource_string


def service_name(namespace: str, service: str) -> str:
    """The name of a service of the standard in the namespace of a parameter `services_namespace`."""
    return f"{namespace.rstrip('/')}/{service}" if namespace else service


def set_resource(message: Any, uri: str, text: str = "") -> None:
    """Write the URI of a resource, or its text, into a message."""
    resource = resource_of(message)
    resource.uri, resource.resource_string = uri, text
