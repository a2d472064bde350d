"""The time before the kick-off, the kick-off, and the ends of halves and of the game."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.soccer.game_state import CLOCK_STANDS_STILL, PlayMode, modes_of, side_in
from simspark_ros.soccer.referee.clearing import clear_for_kick_off, clear_halves
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import CENTRE
from simspark_ros.soccer.referee.restarts import drop_ball_after_time, kick_off, play_on, reached
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule

AT_CENTRE = 1e-4
"""Distance from the centre spot within which the ball is left alone, m: placing it costs time for nothing visible."""


class AutomaticKickOff(Rule):
    """Begins a half by itself when players have been on the field for `wait_before_kick_off`."""

    name: ClassVar[str] = "automatic_kick_off"
    modes: ClassVar[frozenset[PlayMode]] = frozenset({PlayMode.BEFORE_KICK_OFF})

    def __init__(self) -> None:
        self._waited = 0.0

    def apply(self, match: Match) -> None:
        book = match.book.game
        waiting = book.automatic_kick_off and match.game.play_mode is PlayMode.BEFORE_KICK_OFF and match.team_players
        # The time of the mode counts, unless players came later.
        self._waited = min(self._waited + match.time_step, match.game.mode_time) if waiting else 0.0
        if waiting and reached(self._waited, book.wait_before_kick_off):
            kick_off(match, None, f"players have been on the field for {self._waited:.2f} s", timed=True)
            self._waited = 0.0

    def reset(self) -> None:
        self._waited = 0.0


class BeforeKickOff(Rule):
    """Keeps the ball on the centre spot and all players in their own half, as soon as there are any."""

    name: ClassVar[str] = "before_kick_off"
    modes: ClassVar[frozenset[PlayMode]] = frozenset({PlayMode.BEFORE_KICK_OFF})

    def apply(self, match: Match) -> None:
        if match.game.play_mode is not PlayMode.BEFORE_KICK_OFF or not match.team_players:
            return
        x, y, _ = match.ball.position
        if match.book.game.pin_ball and max(abs(x), abs(y)) > AT_CENTRE:
            match.place_ball(CENTRE)
        clear_halves(match)


class KickOff(Rule):
    """Keeps opponents away until the first touch by any player."""

    name: ClassVar[str] = "kick_off"
    modes: ClassVar[frozenset[PlayMode]] = modes_of("kick_off")

    def apply(self, match: Match) -> None:
        side = side_in(match.game.play_mode, "kick_off")
        if side is None:
            return
        match.ball.forget_kick()
        clear_for_kick_off(match, side)
        if not drop_ball_after_time(match) and match.ball.touches:
            play_on(match, match.ball.touches[0])


class HalfTime(Rule):
    """The first half ends with BeforeKickOff and the second half, the last one with GameOver."""

    name: ClassVar[str] = "half_time"
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE - {PlayMode.BEFORE_KICK_OFF}

    def apply(self, match: Match) -> None:
        game = match.game
        if game.play_mode in CLOCK_STANDS_STILL:
            self._quit(match)
        elif end_half(match) and game.play_mode is PlayMode.BEFORE_KICK_OFF:
            half, time = game.half, game.time
            begin_second_half(match)

            def undo() -> None:
                game.half, game.time = half, time
                if match.book.game.change_sides:
                    match.world.change_sides()

            match.on_undo(undo)

    def _quit(self, match: Match) -> None:
        book, game = match.book.game, match.game
        if match.end_requested or not (book.automatic_quit and game.play_mode is PlayMode.GAME_OVER):
            return
        if reached(game.mode_time, book.quit_after):
            text = f"The server ends {game.mode_time:.2f} s after the game (automatic_quit)."
            match.decide("server_end", text)
            match.end_requested = True


def end_half(match: Match) -> bool:
    """Decide that a half whose time is up has ended, and with the last one the game; returns whether one has ended."""
    game, book = match.game, match.book.game
    limit = book.end_of(game.half)
    if not reached(game.time, limit):
        return False
    evidence = {"time_s": game.time, "limit_s": limit}
    score = f"{game.score_left}:{game.score_right}"
    if game.half == 1 and not book.single_half:
        text = f"Half time after {game.time:.2f} s, {score}."
        match.decide("half_time", text, play_mode=PlayMode.BEFORE_KICK_OFF, evidence=evidence)
    else:
        text = f"The game is over after {game.time:.2f} s, {score}."
        match.decide("game_over", text, play_mode=PlayMode.GAME_OVER, evidence=evidence)
    return True


def begin_second_half(match: Match) -> None:
    """Begin the second half; the teams change sides if the rules say so."""
    match.game.begin_half(2, match.book.game)
    if match.book.game.change_sides:
        match.world.change_sides()
        # The player who last touched the ball then played on the other side.
        match.ball.last_touch = None
