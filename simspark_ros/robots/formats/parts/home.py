"""Names of the pose in which a robot starts, in all formats that name poses."""

from __future__ import annotations

from collections.abc import Iterable

NAMES = ("home", "stand")
"""Usual names of that pose, the first one first."""


def home_among(names: Iterable[str]) -> str | None:
    """The name of the pose in which a robot starts: a usual one, else the first; None if there are no poses."""
    given = list(names)
    return next((name for name in (*NAMES, *given) if name in given), None)
