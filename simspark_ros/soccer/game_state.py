"""Play mode, with families and sides of modes, clock and score."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, NamedTuple

from simspark_ros.soccer.league_game import LeagueGame
from simspark_ros.soccer.referee.rulebook import GameBook
from simspark_ros.soccer.teams import Side

# Programs that run matches and read logs start without numpy.
if TYPE_CHECKING:
    import numpy as np


class PlayMode(Enum):
    """Play modes by their classic names, in the order in which monitors index them."""

    BEFORE_KICK_OFF = "BeforeKickOff"
    KICK_OFF_LEFT = "KickOff_Left"
    KICK_OFF_RIGHT = "KickOff_Right"
    PLAY_ON = "PlayOn"
    KICK_IN_LEFT = "KickIn_Left"
    KICK_IN_RIGHT = "KickIn_Right"
    CORNER_KICK_LEFT = "corner_kick_left"
    CORNER_KICK_RIGHT = "corner_kick_right"
    GOAL_KICK_LEFT = "goal_kick_left"
    GOAL_KICK_RIGHT = "goal_kick_right"
    OFFSIDE_LEFT = "offside_left"
    OFFSIDE_RIGHT = "offside_right"
    GAME_OVER = "GameOver"
    GOAL_LEFT = "Goal_Left"
    GOAL_RIGHT = "Goal_Right"
    FREE_KICK_LEFT = "free_kick_left"
    FREE_KICK_RIGHT = "free_kick_right"
    DIRECT_FREE_KICK_LEFT = "direct_free_kick_left"
    DIRECT_FREE_KICK_RIGHT = "direct_free_kick_right"
    PASS_LEFT = "pass_left"
    PASS_RIGHT = "pass_right"

    # A fast hash, as every rule looks modes up in every cycle: Enum's hash runs Python code; members are unique.
    __hash__ = object.__hash__


CLOCK_STANDS_STILL = frozenset({PlayMode.BEFORE_KICK_OFF, PlayMode.GAME_OVER})
BEAMING_ALLOWED = frozenset({PlayMode.BEFORE_KICK_OFF, PlayMode.GOAL_LEFT, PlayMode.GOAL_RIGHT})

RECENT_FOULS = 32
"""Number of fouls kept for monitors."""


class FoulKind(IntEnum):
    """Fouls by the numbers under which monitors know them (protocol reference, section 6)."""

    CROWDING = 0
    TOUCHING = 1
    ILLEGAL_DEFENCE = 2
    ILLEGAL_ATTACK = 3
    INCAPABLE = 4
    KICK_OFF = 5
    CHARGING = 6
    SELF_COLLISION = 7
    HAND_FOUL = 10


@dataclass(frozen=True)
class Foul:
    """One foul of a player; `index` counts from 1."""

    index: int
    kind: FoulKind
    side: Side
    unum: int


class PassRequest(NamedTuple):
    """A request of a robot's player for the pass mode; `cycle` is the last cycle before the request."""

    handle: int
    cycle: int


@dataclass
class GameState:
    """The state that every player receives.

    Attributes:
        time: game time, s; stands still before kick-off and after the game.
        mode_time: time since the last change of mode, s.
        half: number of the half: 1, 2, 3 and 4 of extra time, 5 a penalty shoot-out.
        score_wait: time for which a team may not score yet after its pass mode, by side, s.
        fouls: the last fouls.
        first_kick_off: side that had the first kick-off of the first half.
        kick_off_half: last half that had a kick-off, 0 = none.
        pass_requests: last request of each team for the pass mode, until the rules take it.
        sides_changed: whether the teams play on each other's first side.
        league: stages and penalties, if the rule `league_flow` leads the game.
    """

    play_mode: PlayMode = PlayMode.BEFORE_KICK_OFF
    time: float = 0.0
    mode_time: float = 0.0
    half: int = 1
    score_left: int = 0
    score_right: int = 0
    score_wait: dict[Side, float] = field(default_factory=dict)
    fouls: deque[Foul] = field(default_factory=lambda: deque(maxlen=RECENT_FOULS))
    first_kick_off: Side | None = None
    kick_off_half: int = 0
    pass_requests: dict[Side, PassRequest] = field(default_factory=dict)
    sides_changed: bool = False
    league: LeagueGame | None = None

    @classmethod
    def at_start(cls, rules: GameBook) -> GameState:
        """The state of a game that begins, with the half and at the time that the rules say."""
        time = rules.begin_of(rules.first_half) if rules.start_time < 0 else rules.start_time
        return cls(half=rules.first_half, time=time)

    def advance(self, seconds: float) -> None:
        """Let the clocks run."""
        self.mode_time += seconds
        if self.play_mode not in CLOCK_STANDS_STILL:
            self.time += seconds

    def set_play_mode(self, mode: PlayMode) -> None:
        """Change the mode; setting the current one again changes nothing."""
        if mode is not self.play_mode:
            self.play_mode = mode
            self.mode_time = 0.0

    def begin_half(self, half: int, rules: GameBook) -> None:
        """Begin a half (1 or 2); the clock goes on, or restarts if the rules say so."""
        self.half = half
        if rules.clock_restarts:
            self.time = 0.0

    def next_kick_off(self, rules: GameBook, random: np.random.Generator) -> Side:
        """The team whose turn it is to kick off.

        In the first half it is the left team, or by the rules a random one, in the second half the other team; further
        kick-offs of a half are random.
        """
        again = self.kick_off_half == self.half
        if again or (self.half == 1 and rules.coin_toss):
            return Side.LEFT if random.random() < 0.5 else Side.RIGHT
        first = self.first_kick_off or Side.LEFT
        # If sides were changed, the other team now has the same side.
        return first if self.half == 1 or rules.change_sides else first.other

    def note_kick_off(self, side: Side) -> None:
        """Remember that a team has the kick-off now."""
        if self.half == 1 and self.kick_off_half != 1:
            self.first_kick_off = side
        self.kick_off_half = self.half

    def change_sides(self) -> None:
        """Follow an exchange of the teams' sides."""
        self.score_left, self.score_right = self.score_right, self.score_left
        self.score_wait = {side.other: wait for side, wait in self.score_wait.items()}
        self.pass_requests.clear()
        self.sides_changed = not self.sides_changed
        if self.league is not None:
            self.league.change_sides()

    def add_goals(self, side: Side, goals: int) -> None:
        """Change the score of a side; it does not fall below zero."""
        if side is Side.LEFT:
            self.score_left = max(0, self.score_left + goals)
        else:
            self.score_right = max(0, self.score_right + goals)

    def report_foul(self, kind: FoulKind, side: Side, unum: int) -> Foul:
        """Note a foul, for monitors."""
        foul = Foul(self.fouls[-1].index + 1 if self.fouls else 1, kind, side, unum)
        self.fouls.append(foul)
        return foul

    def take_pass_requests(self) -> dict[Side, PassRequest]:
        """The last request of each team for pass mode since the last call, by team."""
        taken, self.pass_requests = self.pass_requests, {}
        return taken

    @property
    def may_beam(self) -> bool:
        """Whether the beam effector works in this mode and stage."""
        return self.play_mode in BEAMING_ALLOWED and (self.league is None or self.league.may_beam)


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
