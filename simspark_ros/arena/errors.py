"""What a program asks of an arena that cannot be done."""

from __future__ import annotations

from simspark_ros.configuration.errors import UserError


class ArenaError(UserError):
    """A request cannot be carried out, and nothing was changed; the message says what is wrong and what to do."""
