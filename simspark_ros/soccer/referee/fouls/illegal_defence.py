"""Too many players of a team in their own penalty area."""

from __future__ import annotations

import math
from typing import ClassVar

from simspark_ros.soccer.game_state import FoulKind
from simspark_ros.soccer.referee.fouls.penalty_area import near_goal_lines, outside_spot, players_inside
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side


class IllegalDefence(Rule):
    """If more than `max_players`, goalkeeper included, are in their own penalty area, one field player has to leave.

    The field player who has just entered is blamed; if none has, the one farthest from the own goal. After a pause of
    the game all players count as just entered.
    """

    name: ClassVar[str] = "illegal_defence"

    def __init__(self) -> None:
        self._inside_before: frozenset[int] = frozenset()

    def apply(self, match: Match) -> None:
        near = () if match.paused else near_goal_lines(match)
        if not near:
            self._inside_before = frozenset()
            return
        inside = {side: players_inside(match, side, side, near) for side in Side}
        for side, players in inside.items():
            self._decide(match, side, players)
        self._inside_before = frozenset(player.handle for players in inside.values() for player in players)

    def reset(self) -> None:
        self._inside_before = frozenset()

    def _decide(self, match: Match, side: Side, inside: list[Player]) -> None:
        book = match.book.illegal_defence
        while len(inside) > book.max_players:
            blamed, entered = self._blamed(match, inside)
            if blamed is None:
                return
            x, y, _ = match.position(blamed)
            evidence = {
                "players": len(inside),
                "limit_players": book.max_players,
                "goal_distance_m": _goal_distance(match, blamed),
                "just_entered": float(entered),
            }
            why = "has just entered" if entered else "is farthest from the goal"
            text = f"{blamed} {why}: {len(inside)} players are in their own penalty area (limit {book.max_players})."
            match.foul(FoulKind.ILLEGAL_DEFENCE, text, blamed, evidence)
            inside.remove(blamed)
            if book.beam_out:
                match.beam_out(blamed)
            else:
                match.move_player(blamed, outside_spot(match, side, (x, y)))

    def _blamed(self, match: Match, inside: list[Player]) -> tuple[Player | None, bool]:
        """The player that has to leave, and whether it has just entered; None if only the goalkeeper is there."""
        field_players = [player for player in inside if not player.is_goalie]
        for player in field_players:
            if player.handle not in self._inside_before:
                return player, True
        return max(field_players, key=lambda player: _goal_distance(match, player), default=None), False


def _goal_distance(match: Match, player: Player) -> float:
    """Distance of a player from the middle of the own goal line, m."""
    x, y, _ = match.position(player)
    return math.hypot(x + player.side.sign * match.field.length / 2, y)
