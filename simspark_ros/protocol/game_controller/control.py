"""State of the game that a GameController tells robots, in any league."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simspark_ros.soccer.league_game import PenaltyKind

DATA_PORT = 3838
"""UDP port on which robots listen."""

RETURN_PORT = 3939
"""UDP port on which a GameController listens."""


class ControlState(IntEnum):
    """States of the game, by their numbers in both leagues."""

    INITIAL = 0
    READY = 1
    SET = 2
    PLAYING = 3
    FINISHED = 4


class SetPlayReason(Enum):
    """Why a team has the ball; a kick-off is none of these."""

    NONE = "none"
    GOAL_KICK = "goal kick"
    CORNER_KICK = "corner kick"
    KICK_IN = "kick-in"
    FREE_KICK = "free kick"
    DIRECT_FREE_KICK = "direct free kick"


@dataclass(frozen=True)
class TeamControl:
    """One team.

    Attributes:
        number: number of the team, 1 to 254.
        colour: number of its colour, the same in both leagues (0 blue, 1 red, ...).
        present: uniform numbers of the players on the field; all others count as substitutes.
        penalties: penalty of each punished player, by uniform number, with its remaining time, s.
    """

    number: int
    colour: int
    score: int = 0
    present: frozenset[int] = field(default_factory=frozenset)
    penalties: Mapping[int, tuple[PenaltyKind, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class GameControl:
    """The state of the game.

    Attributes:
        packet: number of the message; messages carry it modulo 256.
        kicking: number of the team that kicks off or has the set play; None = both may play.
        remaining: remaining time of the half, s.
        secondary: time until the next change that comes by itself, s, e.g. of the time before a kick-off.
        teams: the team that defends the left goal, and the other one.
    """

    packet: int
    players: int
    state: ControlState
    set_play: SetPlayReason
    is_first_half: bool
    kicking: int | None
    remaining: int
    secondary: int
    teams: tuple[TeamControl, TeamControl]
