"""The engine of a plug-in; its errors name the plug-in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.physics.engine import EngineCore, PhysicsError


class BlamedEngine:
    """Wraps a plug-in's `EngineCore`: its exceptions become errors that name it; its PhysicsErrors stay as they are.

    Args:
        make: maker of the engine.
        blame: function that turns an exception of the engine into the error to raise.
    """

    def __init__(self, make: Callable[[], EngineCore], blame: Callable[[Exception], PhysicsError]) -> None:
        self._blame = blame
        self._core = self._guard(make)()

    def __getattr__(self, name: str) -> Any:
        """Attributes and methods of the engine."""
        try:
            value = getattr(self._core, name)
        except PhysicsError:
            raise
        except Exception as error:
            # Some attributes of engines are optional.
            if isinstance(error, AttributeError) and error.name == name:
                raise
            raise self._blame(error) from error
        return self._guard(value) if callable(value) else value

    def _guard(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            except PhysicsError:
                raise
            except Exception as error:
                raise self._blame(error) from error

        return call
