import importlib
import re
from operator import attrgetter
from pathlib import Path

import pytest

from simspark_ros.configuration.resources import resource

SPAWN = "NAME_NOT_UNIQUE NAME_INVALID UNSUPPORTED_FORMAT NO_RESOURCE NAMESPACE_INVALID RESOURCE_PARSE_ERROR"
SPAWN += " MISSING_ASSETS UNSUPPORTED_ASSETS INVALID_POSE"
LOAD = "UNSUPPORTED_FORMAT NO_RESOURCE RESOURCE_PARSE_ERROR MISSING_ASSETS UNSUPPORTED_ASSETS UNSUPPORTED_ELEMENTS"
TRAJECTORY = (
    "GOAL_TOLERANCE_VIOLATED PATH_TOLERANCE_VIOLATED OLD_HEADER_TIMESTAMP INVALID_JOINTS INVALID_GOAL SUCCESSFUL"
)
CONSTANTS: dict[tuple[str, str], tuple[int, str]] = {
    ("msg.Result", "RESULT_"): (0, "FEATURE_UNSUPPORTED OK NOT_FOUND INCORRECT_STATE OPERATION_FAILED"),
    ("msg.SimulationState", "STATE_"): (0, "STOPPED PLAYING PAUSED QUITTING NO_WORLD LOADING_WORLD"),
    ("srv.ResetSimulation.Request", "SCOPE_"): (0, "DEFAULT TIME STATE"),
    ("srv.SpawnEntity.Response", ""): (101, SPAWN),
    ("srv.SpawnEntities.Response", ""): (150, "ENTITIES_SPAWN_FAILED"),
    ("srv.SetEntityState.Response", ""): (101, "INVALID_POSE"),
    ("srv.UnloadWorld.Response", ""): (101, "NO_WORLD_LOADED"),
    ("srv.GetAvailableWorlds.Response", ""): (101, "DEFAULT_SOURCES_FAILED"),
    ("srv.LoadWorld.Response", ""): (101, LOAD),
    ("srv.SetSimulationState.Response", ""): (
        101,
        "ALREADY_IN_TARGET_STATE STATE_TRANSITION_ERROR INCORRECT_TRANSITION",
    ),
    ("action.FollowJointTrajectory.Result", ""): (-5, TRAJECTORY),
    ("msg.Bounds", "TYPE_"): (0, "EMPTY BOX CONVEX_HULL SPHERE"),
    ("msg.TagsFilter", "FILTER_MODE_"): (0, "ANY ALL"),
}
"""Constants of simulation_interfaces and control_msgs: those that begin with a word count from a number on."""


def interfaces() -> list[Path]:
    return sorted(path for kind in ("msg", "srv", "action") for path in resource(kind).glob(f"*.{kind}"))


@pytest.mark.parametrize("path", interfaces(), ids=lambda path: path.stem)
def test_each_file_is_built(path: Path) -> None:
    interface = getattr(importlib.import_module(f"simspark_ros.{path.parent.name}"), path.stem)
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


@pytest.mark.parametrize(("kind", "prefix"), CONSTANTS)
def test_constants_of_the_standard(kind: str, prefix: str) -> None:
    folder, _, attribute = kind.partition(".")
    interface = attrgetter(attribute)(importlib.import_module(f"simspark_ros.{folder}"))
    first, names = CONSTANTS[kind, prefix]
    numbers = [getattr(interface, prefix + name) for name in names.split()]
    assert numbers == list(range(first, first + len(numbers)))


def test_scopes_of_a_reset_are_bits_and_a_step_request_without_a_number_makes_one_step() -> None:
    from simspark_ros.srv import ResetSimulation

    assert (ResetSimulation.Request.SCOPE_SPAWNED, ResetSimulation.Request.SCOPE_ALL) == (4, 255)
    # The file itself: the installed interfaces are as old as the installation.
    assert "uint64 steps 1" in resource("srv", "StepSimulation.srv").read_text(encoding="utf-8").splitlines()
