"""Offside in the classic definition (FIFA, Laws of the Game, Law 11); the reference has it switched off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import IN_PLAY, PlayMode, mode_of, modes_of, side_in
from simspark_ros.soccer.referee.ball_record import Touch
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.restarts import reached, set_play
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Distance
from simspark_ros.soccer.teams import Side

_EXEMPT = modes_of("goal_kick", "kick_in", "corner_kick")


@dataclass(frozen=True)
class OffsideBook(Checked):
    """Section `offside`."""

    margin: Distance = 0.0


class Offside(Rule):
    """A player who was in an offside position when a team mate touched the ball may not be the next to touch it.

    An offside position is in the opponents' half, nearer to their goal line than the ball and all but one opponent.
    There is no offside straight from goal kick, kick-in and corner kick. After the pause of a set play in the mode
    `offside_SIDE` of the offside team, its opponents have an indirect free kick where the player touched the ball.
    """

    name: ClassVar[str] = "offside"
    options: ClassVar = OffsideBook
    settings: OffsideBook
    modes: ClassVar[frozenset[PlayMode]] = IN_PLAY | modes_of("offside")

    def __init__(self) -> None:
        self._offside: dict[int, float] = {}
        self._kicker: Touch | None = None
        self._exempt = False
        self._spot: Spot | None = None

    def apply(self, match: Match) -> None:
        mode = match.game.play_mode
        side = side_in(mode, "offside")
        if side is not None:
            self._free_kick(match, side)
            return
        if mode not in IN_PLAY:
            self._offside.clear()
            self._exempt = mode in _EXEMPT
            return
        for touch in match.ball.touches:
            if touch.handle in self._offside and self._kicker is not None and touch.side is self._kicker.side:
                self._punish(match, touch)
                return
        if match.ball.touches:
            self._kicker = match.ball.touches[0]
            self._offside = {} if self._exempt else _offside_players(match, self._kicker, self.settings.margin)
            self._exempt = False

    def reset(self) -> None:
        self._offside.clear()
        self._kicker, self._exempt, self._spot = None, False, None

    def _punish(self, match: Match, touch: Touch) -> None:
        beyond = self._offside[touch.handle]
        x, y = match.ball.last_valid
        text = f"Offside: {touch.side.value} {touch.unum} was {beyond:.2f} m beyond ball and opponents at the pass."
        match.decide(
            "offside",
            text,
            touch,
            play_mode=mode_of("offside", touch.side),
            place=(x, y),
            evidence={"beyond_m": beyond, "limit_m": self.settings.margin},
        )
        match.ball.forget_kick()
        self._spot = (x, y)
        self._offside.clear()

    def _free_kick(self, match: Match, side: Side) -> None:
        if reached(match.game.mode_time, match.book.set_plays.pause):
            why = f"a player of the {side.value} team was offside"
            set_play(match, mode_of("free_kick", side.other), why, spot=self._spot)
            self._spot = None


def _offside_players(match: Match, kicker: Touch, margin: float) -> dict[int, float]:
    """Team mates in an offside position now: handle -> distance beyond, m."""
    sign = kicker.side.sign
    torsos = {player: sign * match.position(player)[0] for player in match.players}
    defenders = sorted((x for player, x in torsos.items() if player.side is not kicker.side), reverse=True)
    second_last = defenders[1] if len(defenders) > 1 else 0.0
    line = max(0.0, sign * match.ball.position[0], second_last) + margin
    mates = ((p, x) for p, x in torsos.items() if p.side is kicker.side and p.handle != kicker.handle)
    return {player.handle: x - line for player, x in mates if x > line}
