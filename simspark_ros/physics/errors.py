"""The error of engines, apart from their protocol, whose arrays need numpy."""

from __future__ import annotations

from simspark_ros.configuration.errors import UserError


class PhysicsError(UserError):
    """An engine, a preset or a model cannot be used; the message says which and what to do."""
