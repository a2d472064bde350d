"""The error of engines, apart from their protocol, whose arrays need numpy."""

from __future__ import annotations

from simspark_ros.configuration.errors import UserError


class PhysicsError(UserError):
    """An engine, a preset or a model cannot be used; the message says which and what to do."""


class EngineFailedError(PhysicsError):
    """An engine's own code raised, so that no simulation can go on; the message names the engine."""
