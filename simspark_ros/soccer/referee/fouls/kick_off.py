"""Players who enter forbidden places before the ball is kicked off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import FoulKind, PlayMode, modes_of, side_in
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Time
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class KickOffFoulBook(Checked):
    """Section `kick_off_foul`."""

    grace_time: Time = 1.0


class KickOffFoul(Rule):
    """Reports, once a kick-off, every player who leaves its half or enters the circle before the first touch.

    The measured server has the type of this foul but only moves the players. Here the rule `kick_off` also moves them,
    so this rule has to come before it in the order. Nothing within `grace_time` of the kick-off is a foul.
    """

    name: ClassVar[str] = "kick_off_foul"
    options: ClassVar = KickOffFoulBook
    settings: KickOffFoulBook
    modes: ClassVar[frozenset[PlayMode]] = modes_of("kick_off")

    def __init__(self) -> None:
        self._reported: set[int] = set()

    def apply(self, match: Match) -> None:
        kicking = side_in(match.game.play_mode, "kick_off")
        if kicking is None or match.ball.touches:
            self._reported.clear()
            return
        if match.game.mode_time <= self.settings.grace_time:
            return
        for player in match.players:
            if player.handle not in self._reported and not _stands_right(match, player, kicking):
                self._report(match, player)

    def reset(self) -> None:
        self._reported.clear()

    def _report(self, match: Match, player: Player) -> None:
        x, y, _ = match.position(player)
        evidence = {
            "beyond_halfway_m": player.side.sign * x,
            "centre_distance_m": math.hypot(x, y),
            "mode_time_s": match.game.mode_time,
        }
        text = f"{player} is at ({x:.2f}, {y:.2f}) before the ball has been kicked off."
        match.foul(FoulKind.KICK_OFF, text, player, evidence)
        self._reported.add(player.handle)


def _stands_right(match: Match, player: Player, kicking: Side) -> bool:
    x, y, _ = match.position(player)
    at_home = player.side.sign * x <= 0
    in_circle = math.hypot(x, y) < match.field.centre_circle
    return at_home or in_circle if player.side is kicking else at_home and not in_circle
