"""Who is in a penalty area, and where players are put who must not be there."""

from __future__ import annotations

from collections.abc import Iterable

from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import in_penalty_area
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.teams import Side


def near_goal_lines(match: Match) -> list[Player]:
    """Players as near to a goal line as penalty areas reach, or beyond it: only they can be inside."""
    front = match.field.length / 2 - match.field.penalty_length
    places = match.places
    return [player for player in match.players if abs(places[player.row][0]) > front]


def players_inside(match: Match, team: Side, area: Side, candidates: Iterable[Player]) -> list[Player]:
    """Those candidates of a team whose torso is in the penalty area in front of a side's goal, in their order."""
    field, places = match.field, match.places
    return [
        player
        for player in candidates
        if player.side is team and in_penalty_area(field, area, places[player.row][0], places[player.row][1])
    ]


def outside_spot(match: Match, area: Side, spot: Spot) -> Spot:
    """The place just outside a penalty area that is nearest to a spot in it; never over the goal line."""
    field, gap = match.field, match.book.repositioning.agent_radius
    x, y = spot
    front, flank = field.length / 2 - field.penalty_length, field.penalty_width / 2
    to_front, to_flank = -area.sign * x - front, flank - abs(y)
    if to_front <= to_flank:
        return -area.sign * (front - gap), y
    line = field.length / 2
    return min(max(x, -line), line), (flank + gap if y > 0 else -flank - gap)
