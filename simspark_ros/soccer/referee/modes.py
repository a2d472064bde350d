"""Which play modes belong together, and to which side."""

from __future__ import annotations

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

_PAIRS = {
    "kick_off": (PlayMode.KICK_OFF_LEFT, PlayMode.KICK_OFF_RIGHT),
    "kick_in": (PlayMode.KICK_IN_LEFT, PlayMode.KICK_IN_RIGHT),
    "corner_kick": (PlayMode.CORNER_KICK_LEFT, PlayMode.CORNER_KICK_RIGHT),
    "goal_kick": (PlayMode.GOAL_KICK_LEFT, PlayMode.GOAL_KICK_RIGHT),
    "free_kick": (PlayMode.FREE_KICK_LEFT, PlayMode.FREE_KICK_RIGHT),
    "direct_free_kick": (PlayMode.DIRECT_FREE_KICK_LEFT, PlayMode.DIRECT_FREE_KICK_RIGHT),
    "offside": (PlayMode.OFFSIDE_LEFT, PlayMode.OFFSIDE_RIGHT),
    "goal": (PlayMode.GOAL_LEFT, PlayMode.GOAL_RIGHT),
    "pass": (PlayMode.PASS_LEFT, PlayMode.PASS_RIGHT),
}

_FAMILY = {
    mode: (family, side)
    for family, pair in _PAIRS.items()
    for mode, side in zip(pair, (Side.LEFT, Side.RIGHT), strict=True)
}

IN_PLAY = frozenset({PlayMode.PLAY_ON, PlayMode.PASS_LEFT, PlayMode.PASS_RIGHT})
"""Modes in which the ball may leave the field and goals are scored."""

INDIRECT = frozenset({"kick_off", "kick_in", "free_kick"})
"""Set plays from which no goal may be scored straight."""


def modes_of(*families: str) -> frozenset[PlayMode]:
    """The play modes of families, such as `kick_in`, for either side."""
    return frozenset(mode for family in families for mode in _PAIRS[family])


def mode_of(family: str, side: Side) -> PlayMode:
    """The play mode of a family, such as `kick_in`, for a side."""
    return _PAIRS[family][0 if side is Side.LEFT else 1]


def side_in(mode: PlayMode, family: str) -> Side | None:
    """The side whose mode it is, if the mode is of that family."""
    found, side = family_of(mode)
    return side if found == family else None


def family_of(mode: PlayMode) -> tuple[str, Side | None]:
    """The family of a play mode, and the side whose mode it is; empty and None for the others."""
    return _FAMILY.get(mode, ("", None))
