"""Engines by name and preset, and the promises that each keeps."""

import re
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from simspark_conformance import CHECKS, Check, NotApplicableError, Subject
from simspark_ros.configuration import entry_points
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics import registry
from simspark_ros.physics.engine import EngineState, PhysicsError
from simspark_ros.physics.presets import DEFAULT_PRESETS
from simspark_ros.physics.registry import create_engine, engine_names
from test.physics.engine_availability import skip_without


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("based_on: J1\ncfm: -1.0", "own.yaml: cfm must be at least 0 and at most 1, not -1.0"),
        ("based_on: J1\nsubsteps: 1.5", "own.yaml: substeps: must be a whole number, not 1.5"),
        ("based_on: J1\nsolver: magic", "own.yaml: solver: must be one of 'dantzig', 'si', 'pgs', not 'magic'"),
        ("based_on: J1\nmax_ball_speed: 10", "own.yaml: max_ball_speed must be at least 20 and at most 1000, not 10"),
        ("based_on: J1\nmax_bal_speed: 9", "own.yaml: unknown key 'max_bal_speed'; use one of: cycle_time"),
        # Without a base all keys are needed.
        ("cycle_time: 0.02", "own.yaml: key 'hinge_drift' is missing"),
        # Settings of the legacy preset that exclude each other.
        ("based_on: legacy\ncontact_erp: 0", "ball_softness: needs a contact_erp above 0"),
        ("based_on: legacy\ngrip_slip: 0.00019", "more than twice cfm"),
        ("based_on: legacy\ncontact_layer: 0", "grip_slip: needs a contact_layer above 0"),
        ("based_on: legacy\nstop_erp: 0", "stop_erp must be above 0 and at most 1, not 0"),
        ("based_on: legacy\nball_softness: 1.5", "ball_softness must be at least 0 and at most 1, not 1.5"),
    ],
)
def test_bad_values_are_named_with_what_is_allowed(tmp_path, text, message):
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        create_engine("bullet", str(path))


def test_engines_have_names_and_a_missing_library_says_what_to_install(monkeypatch):
    engine = create_engine("bullet", "legacy")
    assert engine.cycle_time == 0.02
    engine.close()
    assert "bullet" in engine_names()
    told = r"unknown physics engine 'bulet'; use one of: bullet.*did you mean 'bullet'\?"
    with pytest.raises(PhysicsError, match=told):
        create_engine("bulet")
    monkeypatch.setattr(registry, "import_module", Mock(side_effect=ImportError("No module named 'pybullet'")))
    with pytest.raises(PhysicsError, match="pip install --upgrade pybullet"):
        create_engine("bullet")


@pytest.mark.parametrize(
    ("engine", "known"),
    [
        ("bullet", "J1, legacy, lola12"),
        ("mujoco", "lola12, ode20, rcssservermj, rigid20"),
        ("ode", "awake, fine, lola12, ref"),
    ],
)
def test_an_unknown_preset_is_refused_with_those_there_are(engine, known):
    skip_without(engine)
    with pytest.raises(ConfigurationError, match=f"unknown preset of {engine} 'Z9'; use one of: {known}"):
        create_engine(engine, "Z9")


def test_engines_of_other_packages_bring_their_cycles_and_are_closed_if_they_are_others(monkeypatch):
    def load(point: EntryPoint) -> object:
        if point.name == "lost":
            raise ValueError("odd")
        return lambda preset: SimpleNamespace(preset=preset, cycle_time=0.02, state=EngineState(), recovered=[])

    points = [
        EntryPoint("echo", f"{__name__}:unused", registry.GROUP.name),
        EntryPoint("lost", "package_that_is_not_there:make", registry.GROUP.name),
    ]
    monkeypatch.setattr(entry_points, "entry_points", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", load)
    made: Any = create_engine("echo", "loud").core
    assert made.preset == "loud"
    assert (engine_names()[0], engine_names()[-1]) == ("bullet", "echo")
    with pytest.raises(PhysicsError, match=r"'lost' \(package_that_is_not_there:make .*cannot .*: ValueError: odd"):
        create_engine("lost")
    bare = SimpleNamespace(cycle_time=0.03, state=EngineState(), recovered=[], closed=False)
    bare.close = lambda: setattr(bare, "closed", True)
    point = EntryPoint("slow", f"{__name__}:unused", registry.GROUP.name)
    monkeypatch.setattr(entry_points, "entry_points", lambda group: [point])
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda preset: bare)
    assert create_engine("slow", None, 0.03).cycle_time == 0.03
    assert not bare.closed
    told = r"engine 'slow' with preset 'default' makes cycles of 0.03 s, .* last 0.02 s"
    with pytest.raises(PhysicsError, match=told):
        create_engine("slow", None, 0.02)
    assert bare.closed


@pytest.mark.parametrize("check", CHECKS, ids=str)
@pytest.mark.parametrize(
    ("engine", "preset"),
    [
        *((engine, None) for engine in engine_names()),
        *((engine, "lola12") for engine in DEFAULT_PRESETS),
        ("bullet", "legacy"),
        ("ode", "fine"),
    ],
)
def test_engine_keeps_its_promise(engine, preset, check: Check):
    skip_without(engine)
    if check.spatial if engine == "planar" else check.planar:
        with pytest.raises(NotApplicableError, match="planar"):
            check.run(Subject.named(engine, preset))
    else:
        check.run(Subject.named(engine, preset))


def test_promises_have_names_and_words_and_nameless_engines_are_not_tried_in_fresh_processes():
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert all(len(check.promise) > 20 for check in CHECKS)
    check = next(check for check in CHECKS if check.name == "fresh_processes_give_same_bits")
    with pytest.raises(NotApplicableError, match="name"):
        check.run(Subject(lambda: create_engine("bullet")))
