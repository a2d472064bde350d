"""Finds players in a penalty area, and places outside for players who must not be in it."""

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
