"""Engines by name: those of this package and those other packages announce.

A third party adds an engine with an entry point in the group `simspark_ros.engines` that names a callable
`factory(preset: str | None) -> EngineCore`; `create_engine` puts the guards of all engines around what it makes.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from simspark_ros.configuration.entry_points import Group
from simspark_ros.physics.engine import EngineCore, PhysicsError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.quiet_import import import_quietly

EngineFactory = Callable[[str | None], EngineCore]

# name -> (module, factory in it, what to install). Modules are imported when asked for: an engine whose library is
# missing must not hinder the others.
_BUILT_IN = {
    "bullet": ("simspark_ros.physics.bullet.engine", "create", "pybullet"),
    "ode": ("simspark_ros.physics.ode.engine", "create", "dartpy"),
    "mujoco": ("simspark_ros.physics.mujoco.engine", "create", "mujoco"),
}

GROUP = Group("simspark_ros.engines", built_in=_BUILT_IN)


def engine_names() -> tuple[str, ...]:
    """Names `create_engine` knows, built-in ones first."""
    return (*_BUILT_IN, *sorted(GROUP.plug_ins()))


def unknown_engine(name: str) -> str:
    """Text of an error about an engine that does not exist."""
    return f"no physics engine '{name}'; {GROUP.suggestion(name, engine_names())}"


def create_engine(name: str, preset: str | None = None) -> GuardedEngine:
    """A new, empty world of an engine, e.g. `bullet`; preset: named settings of it, None takes its default.

    Raises:
        PhysicsError: no such engine or preset, or the engine's library is not installed; says what there is or what
            to install.
    """
    return GuardedEngine(_factory(name)(preset))


def _factory(name: str) -> EngineFactory:
    if name in _BUILT_IN:
        module, factory, package = _BUILT_IN[name]
        try:
            import_quietly(module)
            loaded: EngineFactory = getattr(import_module(module), factory)
        except ImportError as error:
            raise PhysicsError(
                f"physics engine '{name}' needs the package '{package}': {error}; install it with "
                f"'pip install --upgrade {package}'"
            ) from error
        return loaded
    others = GROUP.plug_ins()
    if name not in others:
        raise PhysicsError(unknown_engine(name))
    found: EngineFactory = others[name]
    return found
