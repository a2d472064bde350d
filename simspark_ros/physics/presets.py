"""Presets of engines: named settings in `config/physics/ENGINE/NAME.yaml`, or in a file of the user's own."""

from __future__ import annotations

from typing import TypeVar

from simspark_ros.configuration.library import Library
from simspark_ros.configuration.schema import build
from simspark_ros.physics.errors import PhysicsError

Settings = TypeVar("Settings")

USUAL_CYCLE = 0.02
"""Length of a cycle of the classic server, s."""

DEFAULT_ENGINE = "bullet"
"""The engine that every installation by pip has."""

DEFAULT_PRESETS = {
    "bullet": {USUAL_CYCLE: "J1", 0.012: "lola12", 0.01: "sphere10"},
    "ode": {USUAL_CYCLE: "reference", 0.012: "lola12", 0.01: "sphere10"},
    "mujoco": {USUAL_CYCLE: "ode20", 0.012: "lola12", 0.01: "sphere10"},
    "planar": {USUAL_CYCLE: "f2000", 0.012: "lola12", 0.01: "sphere10"},
}
"""Default presets of the built-in engines, by the length of a cycle, s."""


def default_preset(engine: str, cycle_time: float) -> str:
    """The preset of a built-in engine for cycles of this length, s.

    Raises:
        PhysicsError: there is no such preset; the message names the lengths with a preset.
    """
    presets = DEFAULT_PRESETS[engine]
    if cycle_time not in presets:
        known = ", ".join(f"{length:g}" for length in sorted(presets))
        raise PhysicsError(
            f"engine '{engine}' has no preset for cycles of {cycle_time:g} s (the world's time: cycle), only for "
            f"{known} s; change the cycle, or give a preset file of your own with that cycle_time"
        )
    return presets[cycle_time]


def load_preset(engine: str, kind: type[Settings], name: str | None) -> Settings:
    """Read a preset of `config/physics/ENGINE`, or the YAML file of that name, and the presets that it is based on.

    None = the default preset for cycles of `USUAL_CYCLE`.

    Raises:
        ConfigurationError: preset, file or a value cannot be used; names file, key, value and the allowed values.
    """
    presets = _presets(engine)
    path = presets.path(name or default_preset(engine, USUAL_CYCLE))
    return build(kind, presets.document(path), str(path))


def check_preset(engine: str, name: str) -> None:
    """Raise a `ConfigurationError` if a built-in engine has no preset of this name, before anything is built.

    A preset without an engine is one of `DEFAULT_ENGINE`.
    """
    engine = engine or DEFAULT_ENGINE
    if name and engine in DEFAULT_PRESETS:
        _presets(engine).path(name)


def _presets(engine: str) -> Library:
    return Library(f"physics/{engine}", f"preset of {engine}")
