"""Places where rules put ball and players (rules reference, "Play modes and transitions"). World frame, m."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count

from simspark_ros.soccer.field import Field
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.rulebook import RepositioningBook
from simspark_ros.soccer.teams import Side

CENTRE: Spot = (0.0, 0.0)
"""The centre spot."""

MIDDLE_NUMBER = 7
"""The uniform number whose place beside the field is on the halfway line."""


def beside_field(field: Field, book: RepositioningBook, side: Side, unum: int, ball_y: float) -> Spot:
    """The place of a player outside, on the side without the ball; at negative y if the ball lies in the middle."""
    x = -side.sign * book.outside_step * (MIDDLE_NUMBER - unum)
    y = field.width / 2 + book.outside_gap
    return x, -y if ball_y >= 0 else y


def free_kick_spot(field: Field, spot: Spot) -> Spot:
    """Place of a free kick at a spot: on the field, and at the front corner of a penalty area instead of inside it."""
    x, y = inside_spot(field, spot, 0.0)
    front, flank = field.length / 2 - field.penalty_length, field.penalty_width / 2
    if abs(x) > front and abs(y) < flank:
        return (front if x > 0 else -front), (flank if y >= 0 else -flank)
    return x, y


def kick_in_spot(field: Field, radius: float, spot: Spot) -> Spot:
    """Place of the kick-in of a ball that left the field at a spot; radius: radius of the ball."""
    y = field.width / 2 - radius
    return spot[0], y if spot[1] > 0 else -y


def corner_spot(field: Field, radius: float, side: Side, y: float) -> Spot:
    """Place of a side's corner kick after the ball left at that y; radius: radius of the ball."""
    corner = (field.width + field.goal_width) / 4 - radius
    return side.sign * (field.length / 2 - radius), corner if y > 0 else -corner


def goal_kick_spot(field: Field, side: Side, distance: float) -> Spot:
    """Place of a side's goal kick; distance: distance from its goal line."""
    return -side.sign * (field.length / 2 - distance), 0.0


def plain_spot(field: Field, family: str, side: Side, spot: Spot) -> Spot:
    """Place of a side's set play of a family after the ball left at a spot, as on rcssservermj.

    It is the touchline, the corner or the middle of the goal area; other set plays are taken where the ball is.
    """
    flank = field.width / 2 if spot[1] >= 0 else -field.width / 2
    if family == "kick_in":
        return spot[0], flank
    if family == "corner_kick":
        return side.sign * field.length / 2, flank
    if family == "goal_kick":
        return -side.sign * (field.length - field.goal_area_length) / 2, 0.0
    return spot


def spot_on_lines(field: Field, family: str, side: Side, spot: Spot) -> Spot:
    """Place of a side's set play of a family in leagues that put the ball onto the lines.

    It is the touchline, the corner, or the corner of the goal area, on the side where the ball left; else its place.
    """
    x, y = inside_spot(field, spot, 0.0)
    flank = 1.0 if y >= 0 else -1.0
    if family == "kick_in":
        return x, flank * field.width / 2
    if family == "corner_kick":
        return side.sign * field.length / 2, flank * field.width / 2
    if family == "goal_kick":
        return -side.sign * (field.length / 2 - field.goal_area_length), flank * field.goal_area_width / 2
    return x, y


def cleared_spot(field: Field, side: Side, spot: Spot, centre: Spot, distance: float) -> Spot:
    """New place of a player at a spot who has to leave a centre: at that distance toward its own goal line.

    If that place is off the field, it is at that distance sideways, toward the middle.
    """
    back = centre[0] - side.sign * distance
    if abs(back) <= field.length / 2:
        return back, spot[1]
    return spot[0], centre[1] + (distance if centre[1] < 0 else -distance)


def pushed_spot(away_from: Spot, spot: Spot, distance: float, side: Side) -> Spot:
    """The spot, moved straight away from another spot to that distance; toward the own goal if both are the same."""
    dx, dy = spot[0] - away_from[0], spot[1] - away_from[1]
    length = (dx * dx + dy * dy) ** 0.5
    if length == 0.0:
        dx, dy, length = float(-side.sign), 0.0, 1.0
    return away_from[0] + dx / length * distance, away_from[1] + dy / length * distance


def places_beyond(
    spot: Spot, step: float, origin: Spot, side: Side, limit_x: float, adjust: Callable[[Spot], Spot]
) -> Iterator[Spot]:
    """Places for a player of a side that comes from an origin: the spot, then places farther on, nearest first.

    As on rcssserver3d: from each taken place the search goes on by a step away from the origin along x, as far as
    `limit_x` from the middle, and along y; both ways, to the own goal or to the middle first, if the place is level
    with the origin. `adjust` moves each place. The search ends when no place is left.
    """
    order = count()
    found: list[tuple[float, int, Spot]] = []
    seen = set[tuple[float, float]]()
    x, y = spot
    while True:
        yield x, y
        to_goal, to_middle = -side.sign * step, -step if origin[1] >= 0 else step
        along_x = [x + by for by in _ways(x - origin[0], to_goal)]
        around = [(to, y) for to in along_x if abs(to) <= limit_x]
        around += [(x, y + by) for by in _ways(y - origin[1], to_middle)]
        for place in map(adjust, around):
            key = round(place[0], 3), round(place[1], 3)
            if key not in seen:
                seen.add(key)
                heappush(found, (round(math.dist(place, origin), 6), next(order), place))
        if not found:
            return
        _, _, (x, y) = heappop(found)


def _ways(offset: float, first: float) -> tuple[float, ...]:
    """Steps of the search: away from the origin if the place is off it, else `first` and then the other way."""
    return (math.copysign(first, offset),) if offset else (first, -first)


def in_penalty_area(field: Field, side: Side, x: float, y: float) -> bool:
    """Whether a point is in the penalty area of a side, which ends at the goal line."""
    depth = field.length / 2 + side.sign * x
    return 0.0 <= depth < field.penalty_length and abs(y) < field.penalty_width / 2


def in_goal_area(field: Field, side: Side, x: float, y: float) -> bool:
    """Whether a point is in the goal area of a side, which ends at the goal line."""
    depth = field.length / 2 + side.sign * x
    return 0.0 <= depth <= field.goal_area_length and abs(y) <= field.goal_area_width / 2


def beside_own_area(field: Field, side: Side, spot: Spot, gap: float, origin: Spot) -> Spot:
    """The spot, or if it is in a side's penalty area or nearer to it than the gap, a place beside the area.

    The place is in front of the area for a player that comes from nearer to the goal line, else at the flank farther
    from the origin.
    """
    x, y = spot
    depth = field.length / 2 + side.sign * x
    front, flank = field.penalty_length + gap, field.penalty_width / 2 + gap
    if not (-gap < depth < front and abs(y) < flank):
        return spot
    if side.sign * (x - origin[0]) > 0:
        return side.sign * (front - field.length / 2), y
    up = y > origin[1] or (y == origin[1] and y < 0)
    return x, flank if up else -flank


def inside_spot(field: Field, spot: Spot, margin: float) -> Spot:
    """The spot, or the nearest spot on the field and at least the margin away from its lines."""
    limit_x, limit_y = field.length / 2 - margin, field.width / 2 - margin
    return min(max(spot[0], -limit_x), limit_x), min(max(spot[1], -limit_y), limit_y)
