"""Ends halves and the game."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.soccer.game_state import CLOCK_STANDS_STILL, PlayMode
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.restarts import reached
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule
from simspark_ros.soccer.referee.sides import change_sides


class HalfTime(Rule):
    """The first half ends with BeforeKickOff and the second half, the last one with GameOver."""

    name: ClassVar[str] = "half_time"
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE - {PlayMode.BEFORE_KICK_OFF}

    def apply(self, match: Match) -> None:
        game, book = match.game, match.book.game
        if game.play_mode in CLOCK_STANDS_STILL:
            self._quit(match)
            return
        limit = book.end_of(game.half)
        if not reached(game.time, limit):
            return
        evidence = {"time_s": game.time, "limit_s": limit}
        if game.half == 1 and not book.single_half:
            _begin_second_half(match, evidence)
        else:
            score = f"{game.score_left}:{game.score_right}"
            text = f"The game is over after {game.time:.2f} s, {score}."
            match.decide("game_over", text, play_mode=PlayMode.GAME_OVER, evidence=evidence)

    def _quit(self, match: Match) -> None:
        book, game = match.book.game, match.game
        if match.end_requested or not (book.automatic_quit and game.play_mode is PlayMode.GAME_OVER):
            return
        if reached(game.mode_time, book.quit_after):
            text = f"The server ends {game.mode_time:.2f} s after the game, as automatic_quit says."
            match.decide("server_end", text)
            match.end_requested = True


def _begin_second_half(match: Match, evidence: dict[str, float]) -> None:
    game, book = match.game, match.book.game
    time = game.time
    text = f"Half time after {time:.2f} s, {game.score_left}:{game.score_right}."
    match.decide("half_time", text, play_mode=PlayMode.BEFORE_KICK_OFF, evidence=evidence)
    game.begin_half(2, book)
    if book.change_sides:
        change_sides(match.world)
        # The player who last touched the ball then played on the other side.
        match.ball.last_touch = None

    def undo() -> None:
        game.half, game.time = 1, time
        if book.change_sides:
            change_sides(match.world)

    match.on_undo(undo)
