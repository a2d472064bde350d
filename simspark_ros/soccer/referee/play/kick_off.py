"""The time before the kick-off, and the kick-off."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.clearing import clear_for_kick_off, clear_halves
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.modes import modes_of, side_in
from simspark_ros.soccer.referee.places import CENTRE
from simspark_ros.soccer.referee.restarts import drop_ball_after_time, kick_off, play_on, reached
from simspark_ros.soccer.referee.rule import Rule

AT_CENTRE = 1e-4
"""Distance from the centre spot within which the ball is left alone, m: placing it costs time for nothing visible."""


class AutomaticKickOff(Rule):
    """Begins a half by itself when there have been players for `wait_before_kick_off`."""

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
            kick_off(match, None, f"there have been players for {self._waited:.2f} s", timed=True)
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
