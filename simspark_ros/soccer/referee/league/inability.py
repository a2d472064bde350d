"""Players who lie on the ground or do nothing any more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.soccer.league_game import PenaltyKind, Stage
from simspark_ros.soccer.referee.league.penalties import penalise
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Time

STILL = 0.02
"""Speed below which joints, rad/s, or robots without joints, m/s, count as still."""


@dataclass(frozen=True)
class FallenInactiveBook(Checked):
    """Section `fallen_inactive`; a time of 0 switches its half of the rule off."""

    fallen_tilt_deg: Annotated[float, Range(0.0, 180.0, "degrees")] = 60.0
    fallen_time: Time = 20.0
    inactive_time: Time = 10.0


class FallenInactive(Rule):
    """A player tilted more than `fallen_tilt_deg` for too long, or still for too long in PLAYING, is punished."""

    name: ClassVar[str] = "fallen_inactive"
    options: ClassVar = FallenInactiveBook
    settings: FallenInactiveBook

    def __init__(self) -> None:
        self._fallen: dict[int, float] = {}
        self._inactive: dict[int, float] = {}

    def apply(self, match: Match) -> None:
        league, book = match.game.league, self.settings
        if league is None or league.stage in (Stage.INITIAL, Stage.FINISHED):
            self.reset()
            return
        upright = math.cos(math.radians(book.fallen_tilt_deg))
        fallen, inactive = dict[int, float](), dict[int, float]()
        for player in match.players:
            handle = player.handle
            if float(match.state.rotation[player.row, 2, 2]) < upright:
                fallen[handle] = self._fallen.get(handle, 0.0) + match.time_step
                self._judge(match, player, PenaltyKind.FALLEN, fallen[handle], book.fallen_time)
            elif league.stage is Stage.PLAYING and _is_still(match, player):
                inactive[handle] = self._inactive.get(handle, 0.0) + match.time_step
                self._judge(match, player, PenaltyKind.INACTIVE, inactive[handle], book.inactive_time)
        self._fallen, self._inactive = fallen, inactive

    def reset(self) -> None:
        self._fallen.clear()
        self._inactive.clear()

    def _judge(self, match: Match, player: Player, kind: PenaltyKind, time: float, limit: float) -> None:
        if limit and time > limit + TIME_TOLERANCE:
            what = "has been on the ground" if kind is PenaltyKind.FALLEN else "has moved nothing"
            evidence = {"time_s": time, "limit_s": limit}
            penalise(match, player, kind, f"{what} for {time:.1f} s (limit {limit:g} s)", evidence)


def _is_still(match: Match, player: Player) -> bool:
    state = match.state
    speeds = state.joint_velocity[state.joints_of(player.row)]
    if not len(speeds):
        speeds = state.linear_velocity[player.row]
    return bool(np.abs(speeds).max() < STILL)
