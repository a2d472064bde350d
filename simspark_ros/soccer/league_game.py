"""The state of a game of a league whose robots follow a GameController: stages and penalties."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from simspark_ros.soccer.teams import Side


class Stage(Enum):
    """The states of a game in a GameController."""

    INITIAL = "initial"
    READY = "ready"
    SET = "set"
    PLAYING = "playing"
    FINISHED = "finished"


class PenaltyKind(Enum):
    """Reasons to punish a player; the values are kinds of decisions."""

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
    """A penalty: a player is out of the game for a while.

    Attributes:
        remaining: time until the player may play again, s.
        place: place (x, y), m, where the robot of that handle was put and has to stay.
        is_removed: whether the place is beside the field, so that the player has to come back.
    """

    kind: PenaltyKind
    remaining: float
    place: tuple[float, float]
    handle: int
    is_removed: bool


@dataclass
class LeagueGame:
    """The state of a GameController besides play mode, clock and score.

    Attributes:
        time: time since the stage began, s.
        remaining: time until stage or set play end by themselves, s; 0 = they do not.
        kicking: side that has the next kick-off or the running set play; None = both teams.
        may_beam: whether players may beam in this stage, if the play mode allows beaming.
        penalties: penalties being served, by side and uniform number.
        counts: number of penalties so far that make the side's next penalty longer.
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
        """Follow an exchange of the teams' sides."""
        self.counts = {side.other: count for side, count in self.counts.items()}
        self.penalties = {(side.other, unum): penalty for (side, unum), penalty in self.penalties.items()}
        self.kicking = self.kicking and self.kicking.other
