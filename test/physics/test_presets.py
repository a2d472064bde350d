from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import yaml

from simspark_ros.configuration.resources import resource
from simspark_ros.physics import registry
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.registry import create_engine, engine_names

SHIPPED = resource("config", "physics", "bullet.yaml")


@pytest.fixture
def changed(tmp_path: Path):
    """Writes the shipped presets with one value of J1 changed; None removes it."""

    def change(key: str, value: object) -> Path:
        document = yaml.safe_load(SHIPPED.read_text())
        if value is None:
            del document["presets"]["J1"][key]
        else:
            document["presets"]["J1"][key] = value
        path = tmp_path / "changed.yaml"
        path.write_text(yaml.safe_dump(document))
        return path

    return change


def test_shipped_presets():
    default = load_preset(SHIPPED, BulletSettings)
    assert default == load_preset(SHIPPED, BulletSettings, "J1")
    assert (default.cycle_time, default.substeps, default.cfm) == (0.02, 1, 2e-3)
    third, first = load_preset(SHIPPED, BulletSettings, "J3"), load_preset(SHIPPED, BulletSettings, "F1")
    assert (third.contact_erp, first.contact_erp) == (0.45, 0.6)
    assert third.solver == first.solver == "dantzig"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("cfm", -1.0, r"changed.yaml: preset 'J1': cfm is -1.0, must lie in 0 ... 1"),
        ("cfm", float("nan"), "cfm is nan, must lie in"),
        ("cfm", "much", "cfm is 'much', must be a number"),
        ("substeps", 1.5, "substeps is 1.5, must be a whole number"),
        ("substeps", True, "substeps is True, must be a whole number"),
        ("solver", "magic", "solver is 'magic', must be one of: dantzig, si, pgs"),
        ("max_ball_speed", 10, "max_ball_speed is 10, must lie in 20 ... 1000"),
        ("gravity", 1.0, "unknown key 'gravity'; allowed: cycle_time"),
        ("cfm", None, "key 'cfm' is missing"),
    ],
)
def test_bad_values_are_named_with_what_is_allowed(changed, key, value, message):
    with pytest.raises(PhysicsError, match=message):
        load_preset(changed(key, value), BulletSettings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (": [", "not valid YAML"),
        ("[]", "must be a mapping"),
        ("default: a", "needs a mapping 'presets'"),
        ("presets: {a: 1}\ndefault: a", "preset 'a' must be a mapping"),
        ("presets: {a: {}}\ndefault: b", "no preset 'b'; there are: a"),
    ],
)
def test_bad_files_are_named(tmp_path, text, message):
    path = tmp_path / "file.yaml"
    path.write_text(text)
    with pytest.raises(PhysicsError, match=message):
        load_preset(path, BulletSettings)
    with pytest.raises(PhysicsError, match="cannot be read"):
        load_preset(tmp_path / "none.yaml", BulletSettings)


def test_whole_numbers_serve_as_numbers(changed):
    assert load_preset(changed("max_ball_speed", 25), BulletSettings).max_ball_speed == 25.0


def test_engines_by_name():
    engine = create_engine("bullet", "F1")
    assert engine.cycle_time == 0.02
    engine.close()
    assert "bullet" in engine_names()
    with pytest.raises(PhysicsError, match=r"no physics engine 'chrono'; known: bullet"):
        create_engine("chrono")
    with pytest.raises(PhysicsError, match=r"no preset 'Z9'; there are: J1, J3, F1"):
        create_engine("bullet", "Z9")


def test_engines_of_other_packages(monkeypatch):
    points = [
        EntryPoint("echo", f"{__name__}:unused", registry.ENTRY_POINT_GROUP),
        EntryPoint("lost", "package_that_is_not_there:make", registry.ENTRY_POINT_GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", load_or_fail)
    assert create_engine("echo", "loud") == "engine with preset loud"
    assert engine_names()[0] == "bullet"
    assert engine_names()[-2:] == ("echo", "lost")
    with pytest.raises(PhysicsError, match=r"'lost' \(package_that_is_not_there:make\) cannot be imported"):
        create_engine("lost")


def load_or_fail(point: EntryPoint) -> object:
    if point.name == "lost":
        raise ImportError("no module")
    return lambda preset: f"engine with preset {preset}"


def test_missing_library_says_what_to_install(monkeypatch):
    def fail(module: str) -> None:
        raise ImportError("No module named 'pybullet'")

    monkeypatch.setattr(registry, "import_module", fail)
    with pytest.raises(PhysicsError, match="pip install --upgrade pybullet"):
        create_engine("bullet")
