"""Players who run into an opponent, in leagues that punish it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.league_game import PenaltyKind
from simspark_ros.soccer.referee.fouls.charging import Charging, ChargingBook
from simspark_ros.soccer.referee.league.penalties import penalise
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.modes import mode_of
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.referee.restarts import set_play
from simspark_ros.soccer.referee.rule import EVERY_MODE
from simspark_ros.soccer.referee.rulebook import Distance, Speed


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
