"""The service `get_simulator_features`: it lists exactly the features offered."""

from __future__ import annotations

from typing import Any

from simspark_ros.robots.files.format_table import FORMATS
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.standard import ACTION

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
