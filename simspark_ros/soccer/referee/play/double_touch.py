"""The taker of a set play may not touch the ball again before another player has touched it."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.modes import IN_PLAY, mode_of
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE, set_play
from simspark_ros.soccer.referee.rule import Rule


class DoubleTouch(Rule):
    """An indirect free kick for the opponents; not after a kick-off with very few players on the field."""

    name: ClassVar[str] = "double_touch"
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY

    def apply(self, match: Match) -> None:
        kick, book = match.ball.kick, match.book.set_plays
        if kick is None or kick.others or match.game.play_mode not in IN_PLAY:
            return
        if kick.kick_off and len(match.team_players) < book.min_players:
            return
        touch = next((touch for touch in match.ball.touches if touch.handle == kick.taker.handle), None)
        if touch is None or touch.time - kick.taker.time <= book.same_kick_time + TIME_TOLERANCE:
            return
        since = touch.time - kick.taker.time
        set_play(
            match,
            mode_of("free_kick", touch.side.other),
            f"{touch.side.value} {touch.unum} touched the ball again {since:.2f} s after its kick",
            kind="double_touch",
            about=touch,
            evidence={"since_kick_s": since, "limit_s": book.same_kick_time},
        )
        match.ball.kick = None
