"""Who is in a penalty area, and where players are put who must not be there."""

from __future__ import annotations

from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.places import in_penalty_area
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.teams import Side


def players_inside(match: Match, team: Side, area: Side) -> list[Player]:
    """Players of a team whose torso is in the penalty area in front of a side's goal, in the order of the match."""
    field, sign = match.field, area.sign
    front = field.penalty_length - field.length / 2
    places = match.state.position.tolist()
    # Most players are elsewhere: the first condition sorts them out at little cost.
    return [
        player
        for player in match.players
        if player.side is team
        and places[player.row][0] * sign < front
        and in_penalty_area(field, area, *places[player.row][:2])
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
