"""Offences of players in leagues that punish them: inability, holding the ball, running into an opponent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.soccer.game_state import IN_PLAY, PlayMode, mode_of
from simspark_ros.soccer.league_game import PenaltyKind, Stage
from simspark_ros.soccer.referee.fouls.charging import Charging, ChargingBook
from simspark_ros.soccer.referee.league.penalties import penalise
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.places import in_penalty_area
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, set_play
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule
from simspark_ros.soccer.referee.rulebook import Distance, Speed, Time


@dataclass(frozen=True)
class BallHoldingBook(Checked):
    """Section `ball_holding`."""

    distance: Distance = 0.1
    time: Time = 3.0
    goalie_time: Time = 10.0


class BallHolding(Rule):
    """A ball nearer than `distance` to the point below a torso is held; the goalkeeper may do so longer in its area."""

    name: ClassVar[str] = "ball_holding"
    options: ClassVar = BallHoldingBook
    settings: BallHoldingBook
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY

    def __init__(self) -> None:
        self._held: dict[int, float] = {}

    def apply(self, match: Match) -> None:
        book, before = self.settings, self._held
        self._held = {}
        if match.game.play_mode not in IN_PLAY:
            return
        for player in match.players:
            x, y, _ = match.position(player)
            distance = math.dist((x, y), match.ball.position[:2])
            # A player who lies on the ball will get up, or be punished for not getting up.
            if distance >= book.distance or match.state.rotation[player.row, 2, 2] < math.sqrt(0.5):
                continue
            held = self._held[player.handle] = before.get(player.handle, 0.0) + match.time_step
            at_home = player.is_goalie and in_penalty_area(match.field, player.side, x, y)
            limit = book.goalie_time if at_home else book.time
            if held > limit + TIME_TOLERANCE:
                evidence = {"time_s": held, "limit_s": limit, "distance_m": distance}
                why = f"has held the ball for {held:.1f} s (limit {limit:g} s)"
                penalise(match, player, PenaltyKind.BALL_HOLDING, why, evidence)

    def reset(self) -> None:
        self._held.clear()


@dataclass(frozen=True)
class PushingBook(ChargingBook):
    """Section `pushing`: the numbers of `charging`, and the distance from the ball that means a free kick; 0 = none."""

    min_speed: Speed = 0.2
    min_collision_speed: Speed = 0.1
    free_kick_within: Distance = 0.5


class Pushing(Charging):
    """Charging, judged by contacts and speeds, is punished; near the ball in free play also by a free kick."""

    name: ClassVar[str] = "pushing"
    options: ClassVar = PushingBook
    settings: PushingBook
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE

    def punish(self, match: Match, charger: Player, victim: Player, why: str, evidence: Mapping[str, float]) -> None:
        ball = match.ball.position[:2]
        near = math.dist(match.position(charger)[:2], ball) < self.settings.free_kick_within
        penalise(match, charger, PenaltyKind.PUSHING, why, evidence)
        if near and match.game.play_mode is PlayMode.PLAY_ON:
            set_play(match, mode_of("free_kick", victim.side), f"{charger} pushed {victim}", spot=ball)


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
            what = "has been on the ground" if kind is PenaltyKind.FALLEN else "has not moved"
            evidence = {"time_s": time, "limit_s": limit}
            penalise(match, player, kind, f"{what} for {time:.1f} s (limit {limit:g} s)", evidence)


def _is_still(match: Match, player: Player) -> bool:
    state = match.state
    speeds = state.joint_velocity[state.joints_of(player.row)]
    if not len(speeds):
        speeds = state.linear_velocity[player.row]
    return bool(np.abs(speeds).max() < STILL)
