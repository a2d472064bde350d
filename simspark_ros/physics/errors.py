"""The error of engines, in a module of its own because their protocol needs numpy."""

from __future__ import annotations

from simspark_ros.configuration.errors import UserError


class PhysicsError(UserError):
    """An engine, a preset or a model cannot be used; the message names it and the remedy."""


class EngineFailedError(PhysicsError):
    """An engine's own code raised, so that no simulation can go on; the message names the engine."""
