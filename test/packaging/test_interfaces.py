"""The messages and services are built, and have the names and values of simulation_interfaces."""

from __future__ import annotations

import importlib
import re
from operator import attrgetter
from pathlib import Path

import pytest

from simspark_ros.configuration.resources import resource

CONSTANTS = {
    "msg.Result": {
        "RESULT_FEATURE_UNSUPPORTED": 0,
        "RESULT_OK": 1,
        "RESULT_NOT_FOUND": 2,
        "RESULT_INCORRECT_STATE": 3,
        "RESULT_OPERATION_FAILED": 4,
    },
    "msg.SimulationState": {
        "STATE_STOPPED": 0,
        "STATE_PLAYING": 1,
        "STATE_PAUSED": 2,
        "STATE_QUITTING": 3,
        "STATE_NO_WORLD": 4,
        "STATE_LOADING_WORLD": 5,
    },
    "srv.ResetSimulation.Request": {
        "SCOPE_DEFAULT": 0,
        "SCOPE_TIME": 1,
        "SCOPE_STATE": 2,
        "SCOPE_SPAWNED": 4,
        "SCOPE_ALL": 255,
    },
    "srv.SpawnEntity.Response": {
        "NAME_NOT_UNIQUE": 101,
        "NAME_INVALID": 102,
        "UNSUPPORTED_FORMAT": 103,
        "NO_RESOURCE": 104,
        "NAMESPACE_INVALID": 105,
        "RESOURCE_PARSE_ERROR": 106,
        "MISSING_ASSETS": 107,
        "UNSUPPORTED_ASSETS": 108,
        "INVALID_POSE": 109,
    },
    "srv.SpawnEntities.Response": {"ENTITIES_SPAWN_FAILED": 150},
    "srv.SetEntityState.Response": {"INVALID_POSE": 101},
    "srv.UnloadWorld.Response": {"NO_WORLD_LOADED": 101},
    "srv.GetAvailableWorlds.Response": {"DEFAULT_SOURCES_FAILED": 101},
    "srv.LoadWorld.Response": {
        "UNSUPPORTED_FORMAT": 101,
        "NO_RESOURCE": 102,
        "RESOURCE_PARSE_ERROR": 103,
        "MISSING_ASSETS": 104,
        "UNSUPPORTED_ASSETS": 105,
        "UNSUPPORTED_ELEMENTS": 106,
    },
    "action.FollowJointTrajectory.Result": {
        "SUCCESSFUL": 0,
        "INVALID_GOAL": -1,
        "INVALID_JOINTS": -2,
        "OLD_HEADER_TIMESTAMP": -3,
        "PATH_TOLERANCE_VIOLATED": -4,
        "GOAL_TOLERANCE_VIOLATED": -5,
    },
    "msg.Bounds": {"TYPE_EMPTY": 0, "TYPE_BOX": 1, "TYPE_CONVEX_HULL": 2, "TYPE_SPHERE": 3},
    "msg.TagsFilter": {"FILTER_MODE_ANY": 0, "FILTER_MODE_ALL": 1},
    "srv.SetSimulationState.Response": {
        "ALREADY_IN_TARGET_STATE": 101,
        "STATE_TRANSITION_ERROR": 102,
        "INCORRECT_TRANSITION": 103,
    },
}
"""Constants of simulation_interfaces."""


def interfaces() -> list[Path]:
    return sorted(path for kind in ("msg", "srv", "action") for path in resource(kind).glob(f"*.{kind}"))


@pytest.mark.parametrize("path", interfaces(), ids=lambda path: path.stem)
def test_each_file_is_built(path: Path) -> None:
    module = importlib.import_module(f"simspark_ros.{path.parent.name}")
    interface = getattr(module, path.stem)
    for name in {".msg": [""], ".srv": ["Request", "Response"], ".action": ["Goal", "Result", "Feedback"]}[path.suffix]:
        (getattr(interface, name) if name else interface)()
    importlib.import_module("rclpy.type_support").check_for_type_support(interface)


@pytest.mark.parametrize("path", interfaces(), ids=lambda path: path.stem)
def test_each_field_has_a_comment(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# "), "the first line says what it is for"
    explained = False
    for line in lines:
        if line.startswith("#"):
            explained = True
        elif re.match(r"[\w/]+(\[[<=\d]*\])? +\w+", line):
            # A comment may stand behind the field, or above it or a group of fields.
            assert explained or "#" in line, line
        else:
            explained = False


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_of_the_standard(name: str) -> None:
    folder, _, attribute = name.partition(".")
    interface = attrgetter(attribute)(importlib.import_module(f"simspark_ros.{folder}"))
    assert {constant: getattr(interface, constant) for constant in CONSTANTS[name]} == CONSTANTS[name]


def test_fields_of_the_standard() -> None:
    from simspark_ros.srv import SpawnEntity

    assert SpawnEntity.Request.get_fields_and_field_types() == {
        "name": "string",
        "allow_renaming": "boolean",
        "entity_resource": "simspark_ros/Resource",
        "entity_namespace": "string",
        "initial_pose": "geometry_msgs/PoseStamped",
    }
    assert list(SpawnEntity.Response.get_fields_and_field_types()) == ["result", "entity_name"]
