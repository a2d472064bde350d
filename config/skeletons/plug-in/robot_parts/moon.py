"""An engine: `--engine moon` is PyBullet with a sixth of the gravity."""

from dataclasses import replace
from typing import Any, cast

from simspark_ros.plugins import EngineCore, SceneModel, create_engine


class Moon:
    """Another engine in a scene of less gravity. An engine of your own has all methods of `EngineCore` itself."""

    def __init__(self, engine: EngineCore) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        """Everything else is as in that engine."""
        return getattr(self._engine, name)

    def load_scene(self, scene: SceneModel) -> None:
        """Build ground, boxes and ball."""
        x, y, z = scene.gravity
        self._engine.load_scene(replace(scene, gravity=(x / 6, y / 6, z / 6)))


def create(preset: str | None) -> EngineCore:
    """A new, empty world; preset: named settings of the engine, None = its default."""
    return cast(EngineCore, Moon(create_engine("bullet", preset)))
