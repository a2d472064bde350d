"""Goals of a league in which two players of a team have to play the ball before it scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.modes import IN_PLAY
from simspark_ros.soccer.referee.play.goal import Goal
from simspark_ros.soccer.referee.rule import EVERY_MODE
from simspark_ros.soccer.referee.rulebook import Count
from simspark_ros.soccer.teams import Side


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
        return f"{touched} of the {scorers.value} team has touched the ball since play was restarted, not two", False

    def reset(self) -> None:
        self._touched = {side: set() for side in Side}
