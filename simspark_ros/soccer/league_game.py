"""The state of a game of a league whose robots follow a GameController: stages and penalties."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from simspark_ros.soccer.teams import Side


class Stage(Enum):
    """The states of a game, as a GameController tells them."""

    INITIAL = "initial"
    READY = "ready"
    SET = "set"
    PLAYING = "playing"
    FINISHED = "finished"


class PenaltyKind(Enum):
    """Why a player is punished; the values are kinds of decisions."""

    ILLEGAL_POSITION = "illegal_position"
    ILLEGAL_POSITION_IN_SET = "illegal_position_in_set"
    MOTION_IN_SET = "motion_in_set"
    FALLEN = "fallen"
    INACTIVE = "inactive"
    LEAVING_FIELD = "leaving_field"
    PUSHING = "pushing"
    BALL_HOLDING = "ball_holding"


@dataclass
class Penalty:
    """A player is out of the game for a while.

    Attributes:
        remaining: time until it may play again, s.
        place: where it has to stay, x, y, m; the robot of that handle was put there.
        is_removed: whether that is beside the field, from where it has to come back.
    """

    kind: PenaltyKind
    remaining: float
    place: tuple[float, float]
    handle: int
    is_removed: bool


@dataclass
class LeagueGame:
    """What a GameController knows beside the play mode, clock and score.

    Attributes:
        time: since the stage began, s.
        remaining: until stage or set play end by themselves, s; 0 = they do not.
        kicking: who has the next kick-off or the running set play; None = both teams.
        may_beam: whether players may beam in this stage, if they may in the play mode.
        penalties: those being served, by side and uniform number.
        counts: penalties so far that make the next one of the side longer.
        returning: handles of players whose penalty is over and who have not been on the field since.
    """

    stage: Stage = Stage.INITIAL
    time: float = 0.0
    remaining: float = 0.0
    kicking: Side | None = None
    may_beam: bool = True
    penalties: dict[tuple[Side, int], Penalty] = field(default_factory=dict)
    counts: dict[Side, int] = field(default_factory=lambda: dict.fromkeys(Side, 0))
    returning: set[int] = field(default_factory=set)

    def enter(self, stage: Stage, *, may_beam: bool = False) -> None:
        """Begin a stage."""
        self.stage, self.time, self.remaining, self.may_beam = stage, 0.0, 0.0, may_beam

    def change_sides(self) -> None:
        """Follow the teams, which have exchanged their sides."""
        self.counts = {side.other: count for side, count in self.counts.items()}
        self.penalties = {(side.other, unum): penalty for (side, unum), penalty in self.penalties.items()}
        self.kicking = self.kicking and self.kicking.other
