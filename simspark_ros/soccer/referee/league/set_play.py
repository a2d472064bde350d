"""Set plays and goals of leagues in which players are punished instead of moved.

Kick-in, corner kick, goal kick and free kicks; before a goal two players of a team have to play the ball.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import IN_PLAY, PlayMode, family_of, modes_of
from simspark_ros.soccer.league_game import PenaltyKind
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.league.penalties import penalise
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.play.goal import Goal
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, free_ball, play_on, reached
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule
from simspark_ros.soccer.referee.rulebook import Count, Time
from simspark_ros.soccer.teams import Side

MOVED = 0.01
"""Distance of the ball from its spot, m, from which on it is put back."""


@dataclass(frozen=True)
class LeagueSetPlayBook(Checked):
    """Section `league_set_play`."""

    time: Time = 30.0
    clear_time: Time = 10.0


class LeagueSetPlay(Rule):
    """After a short pause the ball lies on its spot until its team touches it, at most for `time`.

    Opponents have `clear_time` to leave the circle around the ball. Opponents in the circle later, and opponents who
    touch the ball, are punished.
    """

    name: ClassVar[str] = "league_set_play"
    options: ClassVar = LeagueSetPlayBook
    settings: LeagueSetPlayBook
    modes: ClassVar[frozenset[PlayMode]] = modes_of(
        "kick_in", "corner_kick", "goal_kick", "free_kick", "direct_free_kick"
    )

    def apply(self, match: Match) -> None:
        league = match.game.league
        _, side = family_of(match.game.play_mode)
        if match.game.play_mode not in self.modes or side is None or league is None:
            return
        time, limit = match.game.mode_time, self.settings.time
        league.kicking, league.remaining = side, max(0.0, limit - time)
        pause = match.book.set_plays.pause
        if not reached(time, pause):
            return
        ball = match.ball
        ball.forget_kick()
        touch = next((touch for touch in ball.touches if touch.side is side), None)
        if touch is not None and time > pause + match.book.set_plays.touch_margin + TIME_TOLERANCE:
            play_on(match, touch)
        elif reached(time, limit):
            free_ball(match, f"the {side.value} team has not touched the ball for {time:.1f} s", side)
        else:
            self._enforce(match, side.other, ball.restart_spot or ball.last_valid)

    def _enforce(self, match: Match, opponents: Side, spot: Spot) -> None:
        """Keep the ball at its spot, and opponents away from it."""
        x, y, _ = match.ball.position
        if math.dist((x, y), spot) > MOVED:
            match.place_ball(spot)
        touched = {touch.handle for touch in match.ball.touches}
        late = reached(match.game.mode_time, self.settings.clear_time)
        limit = match.book.set_plays.free_kick_distance
        for player in [player for player in match.players if player.side is opponents]:
            distance = math.dist(match.position(player)[:2], spot)
            if player.handle in touched or (late and distance < limit):
                why = f"is {distance:.2f} m from the ball in the opponents' set play (limit {limit:g} m)"
                evidence = {"distance_m": distance, "limit_m": limit}
                penalise(match, player, PenaltyKind.ILLEGAL_POSITION, why, evidence)


@dataclass(frozen=True)
class LeagueGoalBook(Checked):
    """Section `league_goal`: teams with at least `pass_players` players have to pass; 0 = no team has to."""

    pass_players: Count = 3


class LeagueGoal(Goal):
    """Counts a goal if two players of the team have touched the ball since play was restarted; own goals count."""

    name: ClassVar[str] = "league_goal"
    options: ClassVar = LeagueGoalBook
    settings: LeagueGoalBook
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE

    def __init__(self) -> None:
        self._touched: dict[Side, set[int]] = {side: set() for side in Side}

    def apply(self, match: Match) -> None:
        if match.game.play_mode not in IN_PLAY:
            self.reset()
            return
        for touch in match.ball.touches:
            self._touched[touch.side].add(touch.handle)
        super().apply(match)

    def refusal(self, match: Match, scorers: Side, own_goal: bool, evidence: dict[str, float]) -> tuple[str, bool]:
        """Reason why a goal does not count, so that the opponents get a goal kick; empty if it counts."""
        needed = self.settings.pass_players
        team = sum(player.side is scorers for player in match.players)
        touched = len(self._touched[scorers])
        if own_goal or not needed or team < needed or touched > 1:
            return "", False
        evidence["players_touched"] = touched
        return f"only {touched} of 2 required {scorers.value} players have touched the ball since the restart", False

    def reset(self) -> None:
        self._touched = {side: set() for side in Side}
