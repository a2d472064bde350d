"""Engines by name: those of this package and those other packages announce.

A third party adds an engine with an entry point in the group `simspark_ros.engines` that names a callable
`factory(preset: str | None) -> EngineCore`; `create_engine` puts the guards of all engines around what it makes.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from simspark_ros.physics.engine import EngineCore, PhysicsError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.quiet_import import import_quietly

ENTRY_POINT_GROUP = "simspark_ros.engines"
EngineFactory = Callable[[str | None], EngineCore]

# name -> (module, factory in it, what to install). Modules are imported when asked for: an engine whose library is
# missing must not hinder the others.
_BUILT_IN = {
    "bullet": ("simspark_ros.physics.bullet.engine", "create", "pybullet"),
    "ode": ("simspark_ros.physics.ode.engine", "create", "dartpy"),
    "mujoco": ("simspark_ros.physics.mujoco.engine", "create", "mujoco"),
}


def engine_names() -> tuple[str, ...]:
    """Names `create_engine` knows, built-in ones first."""
    return (*_BUILT_IN, *sorted(set(_third_party()) - set(_BUILT_IN)))


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
    others = _third_party()
    if name not in others:
        raise PhysicsError(f"no physics engine '{name}'; known: {', '.join(engine_names())}")
    point = others[name]
    try:
        loaded = point.load()
    except Exception as error:
        # Foreign code may raise anything when it is imported.
        where = f"{point.value} of {point.dist.name}" if point.dist else point.value
        why = f"{type(error).__name__}: {error}"
        raise PhysicsError(f"physics engine '{name}' ({where}) cannot be imported: {why}") from error
    return loaded


def _third_party() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
