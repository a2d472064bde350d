"""Engines by name: the built-in ones and the plug-ins of other packages.

A third party adds an engine with an entry point in the group `simspark_ros.engines` that names a callable
`factory(preset: str | None) -> EngineCore`; `create_engine` puts the guard around every engine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import cast

from simspark_ros.configuration.entry_points import Group
from simspark_ros.physics.blamed_engine import BlamedEngine
from simspark_ros.physics.engine import EngineCore, PhysicsError
from simspark_ros.physics.errors import EngineFailedError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.presets import DEFAULT_ENGINE, DEFAULT_PRESETS, default_preset
from simspark_ros.physics.quiet_import import import_quietly

EngineFactory = Callable[[str | None], EngineCore]

# name -> package to install. An engine's module is imported when needed, so that a missing library affects its engine
# only.
_BUILT_IN = {"bullet": "pybullet", "ode": "dartpy", "mujoco": "mujoco", "planar": "numpy"}

PURPOSES = {
    "bullet": "PyBullet, which every installation by pip has; its preset `legacy` is for agents of the classic league.",
    "ode": "ODE, the physics of the original server, for a league of legacy teams.",
    "mujoco": "MuJoCo, the fastest: many robots, learning.",
    "planar": "Robots on wheels in the plane, as in the F2000 simulator.",
}
"""Purpose of each built-in engine."""

GROUP = Group("simspark_ros.engines", reserved=_BUILT_IN)


def engine_names() -> tuple[str, ...]:
    """Names that `create_engine` knows, built-in engines first."""
    return (*_BUILT_IN, *sorted(GROUP.plug_ins()))


def unknown_engine(name: str) -> str:
    """Text of an error about an engine that does not exist."""
    return f"unknown physics engine '{name}'; {GROUP.suggestion(name, engine_names())}"


def create_engine(name: str, preset: str | None = None, cycle_time: float | None = None) -> GuardedEngine:
    """A new, empty world of an engine.

    Args:
        name: name of the engine, e.g. `bullet`.
        preset: named settings of the engine; None takes the default, which built-in engines choose by the cycle time.
        cycle_time: length that the preset's cycles must have, s; None = any.

    Raises:
        PhysicsError: no such engine or preset, or the engine's library is not installed, or the preset's cycles have
            another length; the message names the choices or the package to install.
    """
    factory = _factory(name)
    if cycle_time is None:
        return GuardedEngine(factory(preset))
    if not preset and name in DEFAULT_PRESETS:
        preset = default_preset(name, cycle_time)
    engine = GuardedEngine(factory(preset))
    if engine.cycle_time != cycle_time:
        engine.close()
        raise PhysicsError(
            f"engine '{name}' with preset '{preset or 'default'}' makes cycles of {engine.cycle_time:g} s, but the "
            f"world's cycles last {cycle_time:g} s (time: cycle); choose another preset, or change the world"
        )
    return engine


def why_missing(name: str) -> str:
    """Why an engine cannot be used here, as when its library is not installed; empty if it can."""
    try:
        # A world of PyBullet takes long to make, and its library is its module.
        if name == DEFAULT_ENGINE:
            _factory(name)
        else:
            create_engine(name).close()
    except PhysicsError as error:
        return str(error)
    return ""


def _factory(name: str) -> EngineFactory:
    if name in _BUILT_IN:
        module, package = f"simspark_ros.physics.{name}.engine", _BUILT_IN[name]
        try:
            import_quietly(module)
            loaded: EngineFactory = import_module(module).create
        except ImportError as error:
            raise PhysicsError(
                f"physics engine '{name}' needs the package '{package}': {error}; install it with "
                f"'pip install --upgrade {package}'"
            ) from error
        return loaded
    others = GROUP.plug_ins()
    if name not in others:
        raise PhysicsError(unknown_engine(name))
    return partial(_plug_in, name, others[name])


def _plug_in(name: str, factory: EngineFactory, preset: str | None) -> EngineCore:
    def blame(error: Exception) -> EngineFailedError:
        return EngineFailedError(GROUP.blame(name, error, "no simulation can go on without it"))

    return cast(EngineCore, BlamedEngine(lambda: factory(preset), blame))
