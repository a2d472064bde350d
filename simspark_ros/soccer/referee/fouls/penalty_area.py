"""Too many players of a team in a penalty area: their own, or the opponents'."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.game_state import FoulKind
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.places import in_penalty_area
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Count, Time
from simspark_ros.soccer.teams import Side


def near_goal_lines(match: Match) -> list[Player]:
    """Players as near to a goal line as penalty areas reach, or beyond it: only they can be inside."""
    front = match.field.length / 2 - match.field.penalty_length
    places = match.places
    return [player for player in match.players if abs(places[player.row][0]) > front]


def players_inside(match: Match, team: Side, area: Side, candidates: Iterable[Player]) -> list[Player]:
    """The candidates of a team whose torso is in the penalty area in front of a side's goal, in their order."""
    field, places = match.field, match.places
    return [
        player
        for player in candidates
        if player.side is team and in_penalty_area(field, area, places[player.row][0], places[player.row][1])
    ]


def outside_spot(match: Match, area: Side, spot: Spot) -> Spot:
    """The place just outside a penalty area nearest to a spot in it; over the goal line it is beside the goal."""
    field, gap = match.field, match.book.repositioning.agent_radius
    x, y = spot
    depth, flank = field.length / 2 + area.sign * x, field.penalty_width / 2
    to_front, to_flank = field.penalty_length - depth, flank - abs(y)
    if depth < min(to_front, to_flank):
        beside = field.goal_width / 2 + gap
        return -area.sign * (field.length / 2 + gap), max(y, beside) if y >= 0 else min(y, -beside)
    if to_front <= to_flank:
        return -area.sign * (field.length / 2 - field.penalty_length - gap), y
    return x, (flank + gap if y >= 0 else -flank - gap)


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


@dataclass(frozen=True)
class IllegalAttackBook(Checked):
    """Section `illegal_attack`; numbers of the Humanoid League's rules."""

    max_players: Count = 1
    max_time: Time = 10.0


class IllegalAttack(Rule):
    """More than `max_players` attackers in the opponents' penalty area for longer than `max_time`.

    The measured server has the type of this foul but never reports it; the definition comes from the Humanoid League's
    rules ("Illegal defense and attack"). The player who entered last is moved out.
    """

    name: ClassVar[str] = "illegal_attack"
    options: ClassVar = IllegalAttackBook
    settings: IllegalAttackBook

    def __init__(self) -> None:
        self._entered: dict[int, float] = {}
        self._too_many_since: dict[Side, float] = {}

    def apply(self, match: Match) -> None:
        book = self.settings
        entered: dict[int, float] = {}
        near = near_goal_lines(match)
        for side in Side:
            inside = players_inside(match, side, side.other, near)
            entered.update({player.handle: self._entered.get(player.handle, match.now) for player in inside})
            if match.paused or len(inside) <= book.max_players:
                self._too_many_since.pop(side, None)
                continue
            lasted = match.now - self._too_many_since.setdefault(side, match.now)
            if lasted <= book.max_time + TIME_TOLERANCE:
                continue
            blamed = max(inside, key=lambda player: entered[player.handle])
            evidence = {"players": len(inside), "limit_players": book.max_players, "lasted_s": lasted}
            evidence["limit_s"] = book.max_time
            text = (
                f"{blamed} is the last of {len(inside)} attackers who are in the opponents' penalty area "
                f"(limit {book.max_players}) for {lasted:.1f} s (limit {book.max_time:g} s)."
            )
            x, y, _ = match.position(blamed)
            match.foul(FoulKind.ILLEGAL_ATTACK, text, blamed, evidence)
            match.move_player(blamed, outside_spot(match, side.other, (x, y)))
            self._too_many_since.pop(side, None)
        self._entered = entered

    def reset(self) -> None:
        self._entered.clear()
        self._too_many_since.clear()
