"""Families of play modes, and the side of a play mode."""

from __future__ import annotations

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

_FAMILY = {
    mode: (family, Side(side))
    for mode in PlayMode
    for family, _, side in [mode.name.lower().rpartition("_")]
    if side in ("left", "right")
}
_MODE = {of_family: mode for mode, of_family in _FAMILY.items()}

IN_PLAY = frozenset({PlayMode.PLAY_ON, PlayMode.PASS_LEFT, PlayMode.PASS_RIGHT})
"""Modes in which the ball may leave the field and goals are scored."""

FREE_KICKS = frozenset({"free_kick", "direct_free_kick"})
"""Set plays that are taken outside of penalty areas."""

INDIRECT = frozenset({"kick_off", "kick_in", "free_kick"})
"""Set plays from which no goal may be scored straight."""


def modes_of(*families: str) -> frozenset[PlayMode]:
    """The play modes of families, such as `kick_in`, for either side."""
    return frozenset(_MODE[family, side] for family in families for side in Side)


def mode_of(family: str, side: Side) -> PlayMode:
    """The play mode of a family, such as `kick_in`, for a side."""
    return _MODE[family, side]


def side_in(mode: PlayMode, family: str) -> Side | None:
    """The side of a play mode, if the mode belongs to that family."""
    found, side = family_of(mode)
    return side if found == family else None


def family_of(mode: PlayMode) -> tuple[str, Side | None]:
    """The family and the side of a play mode; empty and None for modes without a family."""
    return _FAMILY.get(mode, ("", None))
