"""Illegal positions in SET, at kick-offs, in goal areas and off the carpet, and motion in SET.

The middle of the torso is a player's position; referees have to punish clear cases only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from simspark_ros.configuration.schema import Checked
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.game_state import PlayMode, side_in
from simspark_ros.soccer.league_game import LeagueGame, PenaltyKind, Stage
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.league.penalties import penalise
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import PAUSED, Player
from simspark_ros.soccer.referee.rule import EVERY_MODE, Rule
from simspark_ros.soccer.referee.rulebook import Count, Distance, Time
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class IllegalPositionBook(Checked):
    """Section `illegal_position`; 0 defenders = any number."""

    goal_area_defenders: Count = 3


class IllegalPosition(Rule):
    """From SET until the ball is in play players are in their own half, and the opponents out of the circle.

    One player of the kick-off team may stand in the other half of the circle. At most `goal_area_defenders` of a team
    may be in their own goal area: a player who has just entered is blamed, else the player nearest to the edge.
    """

    name: ClassVar[str] = "illegal_position"
    options: ClassVar = IllegalPositionBook
    settings: IllegalPositionBook

    def __init__(self) -> None:
        self._in_area: frozenset[int] = frozenset()

    def apply(self, match: Match) -> None:
        league = match.game.league
        if league is None:
            return
        if league.stage is Stage.SET and league.time == 0.0:
            self._look(match, league, PenaltyKind.ILLEGAL_POSITION_IN_SET)
            self._look_at_goal_areas(match, PenaltyKind.ILLEGAL_POSITION_IN_SET)
        elif league.stage is Stage.PLAYING and not match.paused:
            if side_in(match.game.play_mode, "kick_off") is not None:
                self._look(match, league, PenaltyKind.ILLEGAL_POSITION)
            self._look_at_goal_areas(match, PenaltyKind.ILLEGAL_POSITION)

    def reset(self) -> None:
        self._in_area = frozenset()

    def _look(self, match: Match, league: LeagueGame, kind: PenaltyKind) -> None:
        taker = _kick_off_player(match, league.kicking)
        for player in match.players:
            x, y, _ = match.position(player)
            ahead, distance, radius = player.side.sign * x, math.hypot(x, y), match.field.centre_circle
            if player.handle in league.returning or player.handle == taker:
                continue
            if ahead > 0.0:
                why = f"is {ahead:.2f} m in the opponents' half before the ball is in play"
            elif player.side is not league.kicking and distance < radius:
                why = f"is {distance:.2f} m from the centre of the circle before the ball is in play"
            elif kind is PenaltyKind.ILLEGAL_POSITION_IN_SET and _is_off_field(match.field, (x, y)):
                why = f"is off the field at ({x:.2f}, {y:.2f}) when the game is SET"
            else:
                continue
            penalise(match, player, kind, why, {"ahead_m": ahead, "centre_distance_m": distance})

    def _look_at_goal_areas(self, match: Match, kind: PenaltyKind) -> None:
        limit = self.settings.goal_area_defenders
        if not limit:
            return
        inside = {player.handle: player for player in match.players if _depth_in_goal_area(match, player) is not None}
        for side in Side:
            team = [player for player in inside.values() if player.side is side]
            # Newcomers first, then players by their distance to the edge; the goalkeeper last, never punished.
            team.sort(key=lambda p: (p.is_goalie, p.handle in self._in_area, _depth_in_goal_area(match, p) or 0.0))
            for player in team[: max(0, len(team) - limit)]:
                why = f"is one of {len(team)} players in their own goal area (limit {limit})"
                penalise(match, player, kind, why, {"players": len(team), "limit_players": limit})
        self._in_area = frozenset(inside)


@dataclass(frozen=True)
class MotionInSetBook(Checked):
    """Section `motion_in_set`."""

    settle_time: Time = 2.0
    distance: Distance = 0.1


class MotionInSet(Rule):
    """A player who moves farther than `distance` in SET, after a time to stop, is put back and punished there."""

    name: ClassVar[str] = "motion_in_set"
    options: ClassVar = MotionInSetBook
    settings: MotionInSetBook
    modes: ClassVar[frozenset[PlayMode]] = PAUSED

    def __init__(self) -> None:
        self._stood: dict[int, Spot] = {}

    def apply(self, match: Match) -> None:
        league, book = match.game.league, self.settings
        if league is None or league.stage is not Stage.SET or league.time < book.settle_time:
            self._stood.clear()
            return
        for player in match.players:
            x, y, z = match.position(player)
            stood = self._stood.setdefault(player.handle, (x, y))
            distance = math.dist((x, y), stood)
            if distance > book.distance and player.handle not in league.returning:
                match.put_player(player, (*stood, z))
                why = f"has moved {distance:.2f} m in SET (limit {book.distance:g} m)"
                evidence = {"distance_m": distance, "limit_m": book.distance}
                penalise(match, player, PenaltyKind.MOTION_IN_SET, why, evidence)

    def reset(self) -> None:
        self._stood.clear()


@dataclass(frozen=True)
class LeavingFieldBook(Checked):
    """Section `leaving_field`."""

    margin: Distance = 0.7


class LeavingField(Rule):
    """A player farther than `margin` beyond the lines has left the carpet."""

    name: ClassVar[str] = "leaving_field"
    options: ClassVar = LeavingFieldBook
    settings: LeavingFieldBook
    modes: ClassVar[frozenset[PlayMode]] = EVERY_MODE - {PlayMode.GAME_OVER}

    def apply(self, match: Match) -> None:
        league, margin = match.game.league, self.settings.margin
        if league is None or league.stage not in (Stage.READY, Stage.PLAYING):
            return
        for player in match.players:
            x, y, _ = match.position(player)
            beyond = max(abs(x) - match.field.length / 2, abs(y) - match.field.width / 2)
            if beyond > margin:
                why = f"leaves the field at ({x:.2f}, {y:.2f})"
                penalise(match, player, PenaltyKind.LEAVING_FIELD, why, {"beyond_m": beyond, "limit_m": margin})


def _kick_off_player(match: Match, side: Side | None) -> int:
    """Handle of the player that may stand in the opponents' half of the circle; -1 = there is none."""
    ahead = [
        (math.hypot(*match.position(player)[:2]), player.handle)
        for player in match.players
        if player.side is side and side is not None and side.sign * match.position(player)[0] > 0.0
    ]
    distance, handle = min(ahead, default=(math.inf, -1))
    return handle if distance < match.field.centre_circle else -1


def _is_off_field(field: Field, spot: Spot) -> bool:
    """Whether a place is beyond the lines, and not in a goal."""
    x, y = abs(spot[0]), abs(spot[1])
    in_goal = x < field.length / 2 + field.goal_depth and y < field.goal_width / 2
    return (x > field.length / 2 or y > field.width / 2) and not in_goal


def _depth_in_goal_area(match: Match, player: Player) -> float | None:
    """Depth of a player inside the edges of its own goal area, m; None = outside."""
    field = match.field
    x, y, _ = match.position(player)
    from_line = field.length / 2 + player.side.sign * x
    depth = min(field.goal_area_length - from_line, field.goal_area_width / 2 - abs(y))
    return depth if from_line >= 0.0 and depth >= 0.0 else None
