import re
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simspark_ros.configuration import entry_points
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics import registry
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import EngineState, PhysicsError
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.registry import create_engine, engine_names
from test.physics.engine_availability import skip_without


@pytest.fixture
def own(tmp_path: Path):
    """Writes a preset that is based on J1 with other values."""

    def write(text: str) -> str:
        path = tmp_path / "own.yaml"
        path.write_text(f"based_on: J1\n{text}")
        return str(path)

    return write


def bullet(name: str) -> BulletSettings:
    return load_preset("bullet", BulletSettings, name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cfm: -1.0", "own.yaml: cfm must be at least 0 and at most 1, not -1.0"),
        ("substeps: 1.5", "own.yaml: substeps: must be a whole number, not 1.5"),
        ("solver: magic", "own.yaml: solver: must be one of 'dantzig', 'si', 'pgs', not 'magic'"),
        ("max_ball_speed: 10", "own.yaml: max_ball_speed must be at least 20 and at most 1000, not 10"),
        ("max_bal_speed: 30.0", "own.yaml: unknown key 'max_bal_speed'; use one of: cycle_time"),
    ],
)
def test_bad_values_are_named_with_what_is_allowed(own, text, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        bullet(own(text))


def test_a_preset_of_ones_own_needs_no_base_but_all_keys(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("cycle_time: 0.02")
    with pytest.raises(ConfigurationError, match=r"own.yaml: key 'hinge_drift' is missing"):
        bullet(str(path))


def test_engines_by_name():
    engine = create_engine("bullet", "legacy")
    assert engine.cycle_time == 0.02
    engine.close()
    assert "bullet" in engine_names()
    with pytest.raises(
        PhysicsError, match=r"unknown physics engine 'bulet'; use one of: bullet.*did you mean 'bullet'\?"
    ):
        create_engine("bulet")


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


def test_engines_of_other_packages(monkeypatch):
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


def test_an_engine_of_another_package_brings_its_cycles_and_is_closed_if_they_are_others(monkeypatch):
    bare = SimpleNamespace(cycle_time=0.03, state=EngineState(), recovered=[], closed=False)
    bare.close = lambda: setattr(bare, "closed", True)
    point = EntryPoint("slow", f"{__name__}:unused", registry.GROUP.name)
    monkeypatch.setattr(entry_points, "entry_points", lambda group: [point])
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda preset: bare)
    assert create_engine("slow", None, 0.03).cycle_time == 0.03
    assert not bare.closed
    with pytest.raises(
        PhysicsError, match=r"engine 'slow' with preset 'default' makes cycles of 0.03 s, .* last 0.02 s"
    ):
        create_engine("slow", None, 0.02)
    assert bare.closed


def test_missing_library_says_what_to_install(monkeypatch):
    def fail(module: str) -> None:
        raise ImportError("No module named 'pybullet'")

    monkeypatch.setattr(registry, "import_module", fail)
    with pytest.raises(PhysicsError, match="pip install --upgrade pybullet"):
        create_engine("bullet")


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ("contact_erp: 0", "ball_softness: needs a contact_erp above 0"),
        ("grip_slip: 0.00019", "more than twice cfm"),
        ("contact_layer: 0", "grip_slip: needs a contact_layer above 0"),
        ("stop_erp: 0", "stop_erp must be above 0 and at most 1, not 0"),
        ("ball_softness: 1.5", "ball_softness must be at least 0 and at most 1, not 1.5"),
    ],
)
def test_settings_of_the_legacy_preset_that_exclude_each_other_are_refused(tmp_path, change, refusal):
    path = tmp_path / "own.yaml"
    path.write_text(f"based_on: legacy\n{change}\n")
    with pytest.raises(ConfigurationError, match=refusal):
        create_engine("bullet", str(path))
