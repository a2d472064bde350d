"""The ball in a goal or off the field, in every play mode, as on rcssservermj."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.modes import family_of, modes_of, side_in
from simspark_ros.soccer.referee.play.ball_out import BallOut
from simspark_ros.soccer.referee.play.goal import Goal, crossing_of
from simspark_ros.soccer.referee.rule import EVERY_MODE
from simspark_ros.soccer.referee.ssim.exclusive_ball import BARRING, drop_at_goal_area
from simspark_ros.soccer.teams import Side

WATCHED = EVERY_MODE - modes_of("goal") - {PlayMode.GAME_OVER}
"""Modes in which lines and goals are watched."""


class RestartGoal(Goal):
    """Counts a goal in every mode, or gives a goal kick if the team may not score yet after its kick-off or free kick.

    A ball of a goal kick that is in the own goal is dropped at the corner of the goal area.
    """

    name: ClassVar[str] = "restart_goal"
    modes: ClassVar[frozenset[PlayMode]] = WATCHED

    def apply(self, match: Match) -> None:
        """Look whether the ball is in a goal."""
        kicking = side_in(match.game.play_mode, "goal_kick")
        crossing = None if kicking is None else crossing_of(match)
        if kicking is not None and crossing is not None and crossing[0] is kicking:
            drop_at_goal_area(match, kicking, "the ball of the goal kick is in the own goal")
        else:
            super().apply(match)

    def refusal(self, match: Match, scorers: Side, own_goal: bool, evidence: dict[str, float]) -> tuple[str, bool]:
        """Reason why a goal does not count, so that the opponents get a goal kick; empty if it counts."""
        family, side = family_of(match.game.play_mode)
        barred = side if family in BARRING else match.ball.barred
        if barred is not scorers:
            return "", False
        why = f"no opponent has touched the ball, nor anybody farther away, since the {scorers.value} team's kick"
        return why, False


class RestartOut(BallOut):
    """Restarts play as `ball_out` does, in every mode; a ball that nobody has touched goes back onto the touchline."""

    name: ClassVar[str] = "restart_out"
    modes: ClassVar[frozenset[PlayMode]] = WATCHED

    def untouched(self, match: Match, reason: str, evidence: dict[str, float]) -> None:
        """Put the ball onto the touchline; the mode stays."""
        x, y, _ = match.ball.position
        spot = (x, match.field.width / 2 if y > 0 else -match.field.width / 2)
        match.decide("put_back", f"Ball onto the touchline: {reason}.", place=spot, evidence=evidence)
        match.drop(spot)
