"""Players who keep the ball under themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.league_game import PenaltyKind
from simspark_ros.soccer.referee.league.penalties import penalise
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.modes import IN_PLAY
from simspark_ros.soccer.referee.places import in_penalty_area
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Distance, Time


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
