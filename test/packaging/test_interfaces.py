"""The messages and services are built, and have the names and values of simulation_interfaces."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from simspark_ros.configuration.resources import resource

RESULTS = {
    "SpawnEntity": {
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
    "SetSimulationState": {"ALREADY_IN_TARGET_STATE": 101, "STATE_TRANSITION_ERROR": 102, "INCORRECT_TRANSITION": 103},
}


def interfaces() -> list[Path]:
    return sorted([*resource("msg").glob("*.msg"), *resource("srv").glob("*.srv")])


@pytest.mark.parametrize("path", interfaces(), ids=lambda path: path.stem)
def test_each_file_is_built(path: Path) -> None:
    module = importlib.import_module(f"simspark_ros.{path.parent.name}")
    interface = getattr(module, path.stem)
    for message in (interface,) if path.suffix == ".msg" else (interface.Request, interface.Response):
        message()
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


def test_constants_of_the_standard() -> None:
    from simspark_ros.msg import Result, SimulationState
    from simspark_ros.srv import ResetSimulation

    assert [
        Result.RESULT_FEATURE_UNSUPPORTED,
        Result.RESULT_OK,
        Result.RESULT_NOT_FOUND,
        Result.RESULT_INCORRECT_STATE,
        Result.RESULT_OPERATION_FAILED,
    ] == [0, 1, 2, 3, 4]
    assert [
        SimulationState.STATE_STOPPED,
        SimulationState.STATE_PLAYING,
        SimulationState.STATE_PAUSED,
        SimulationState.STATE_QUITTING,
        SimulationState.STATE_NO_WORLD,
        SimulationState.STATE_LOADING_WORLD,
    ] == [0, 1, 2, 3, 4, 5]
    request = ResetSimulation.Request
    scopes = [request.SCOPE_DEFAULT, request.SCOPE_TIME, request.SCOPE_STATE, request.SCOPE_SPAWNED, request.SCOPE_ALL]
    assert scopes == [0, 1, 2, 4, 255]


@pytest.mark.parametrize("service", RESULTS)
def test_results_of_single_services(service: str) -> None:
    response = getattr(importlib.import_module("simspark_ros.srv"), service).Response
    assert {name: getattr(response, name) for name in RESULTS[service]} == RESULTS[service]


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
