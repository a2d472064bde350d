"""The ball has left the field."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.soccer.game_state import IN_PLAY, PlayMode, mode_of
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import inside_spot
from simspark_ros.soccer.referee.restarts import drop_ball, set_play
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side


class BallOut(Rule):
    """Over a side line there is a kick-in; over a goal line a corner kick or goal kick, by the last touch of the ball.

    At a corner flag the goal line counts as soon as the ball's centre is beyond it.

    A ball that was never touched is dropped at a side line, and gives a goal kick at a goal line (on the reference
    nothing happens then).
    """

    name: ClassVar[str] = "ball_out"
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY

    def apply(self, match: Match) -> None:
        if match.game.play_mode not in self.modes or match.ball.on_field:
            return
        x, y, z = match.ball.position
        evidence = {"ball_x_m": x, "ball_y_m": y, "ball_z_m": z}
        touch = match.ball.last_touch
        last = f"{touch.side.value} {touch.unum}" if touch else "nobody"
        reason = f"touched last by {last}, the ball left the field at ({x:.2f}, {y:.2f})"
        if match.book.ball.out_reset == "put_back":
            _put_back(match, reason, evidence)
        elif abs(x) > match.field.length / 2:
            defenders = Side.RIGHT if x > 0 else Side.LEFT
            if touch is not None and touch.side is defenders:
                set_play(match, mode_of("corner_kick", defenders.other), reason, evidence=evidence)
            else:
                set_play(match, mode_of("goal_kick", defenders), reason, evidence=evidence)
        elif touch is not None:
            set_play(match, mode_of("kick_in", touch.side.other), reason, evidence=evidence)
        else:
            self.untouched(match, reason, evidence)

    def untouched(self, match: Match, reason: str, evidence: dict[str, float]) -> None:
        """Let play go on with a ball that nobody has touched."""
        drop_ball(match, reason, evidence)


def _put_back(match: Match, reason: str, evidence: dict[str, float]) -> None:
    """Take the ball back into the game where it left the field, without stopping play."""
    spot = inside_spot(match.field, match.ball.last_valid, match.world.settings.ball.radius)
    match.decide("put_back", f"Ball back into the game: {reason}.", place=spot, evidence=evidence)
    match.place_ball(spot)
