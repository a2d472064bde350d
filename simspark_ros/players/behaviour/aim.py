"""Where to play the ball: to the goal if the way is free, past opponents if not, and rather where one faces already."""

from __future__ import annotations

import math

from simspark_ros.players.geometry import Point, Pose, towards, wrapped
from simspark_ros.players.world import World

DIRECTIONS = tuple(math.radians(degrees) for degrees in (0, 15, -15, 30, -30, 45, -45, 60, -60, 80, -80, 100, -100))
"""Candidates relative to the direction of the goal's middle, rad."""

KICK_RANGE = 2.5
"""How far a kick goes, m; opponents within it may be in the way."""

CORRIDOR, CORRIDOR_GROWTH = 0.25, 0.15
"""Half of the width that a ball needs to pass at the ball, m, and its growth per metre: kicks are not exact."""

TURN_COST, DUEL_TURN_COST = 0.5, 1.2
"""Of the way round the ball, relative to deviation from the goal; with an opponent at the ball there is no time."""

DUEL = 0.7
"""How near to the ball an opponent takes the time, m."""

BLOCKED_COST = 2.0
"""Of an opponent in the way, as an angle, rad."""

OFF_COST = 1.5
"""Of a ball that would leave the field, rad."""

MATE_REACH, MATE_BONUS = 1.2, 0.35
"""A team mate this near to where the ball would stop (m) makes up for so much (rad)."""

LOYALTY = 0.25
"""A new direction has to be better than the last one by this much, rad; changes cost time."""


class Aim:
    """Chooses where one player plays the ball."""

    def __init__(self) -> None:
        """Without a last direction."""
        self._last: float | None = None

    def target(self, world: World) -> Point:
        """Where the ball is to go: a point on the field in the direction to play it, or the middle of the goal."""
        pose, ball = world.pose, world.ball_place
        if pose is None or ball is None:
            return world.goal
        goal = ball.to(self._mouth(world, ball))
        candidates = [wrapped(goal.bearing + direction) for direction in DIRECTIONS]
        costs = {direction: self._cost(world, pose, ball, direction, goal.bearing) for direction in candidates}
        best = min(candidates, key=costs.__getitem__)
        if self._last is not None:
            last = self._cost(world, pose, ball, self._last, goal.bearing)
            if abs(wrapped(self._last - goal.bearing)) < DIRECTIONS[-2] and last < costs[best] + LOYALTY:
                best = self._last
        self._last = best
        return ball.plus(towards(best, max(goal.range, KICK_RANGE)))

    @staticmethod
    def _mouth(world: World, ball: Point) -> Point:
        """The nearest point of the goal line that is well inside the goal, a little behind it."""
        side = 0.3 * world.pitch.goal_width
        return Point(world.goal.x + 0.3, max(-side, min(side, ball.y)))

    @staticmethod
    def _cost(world: World, pose: Pose, ball: Point, direction: float, goal: float) -> float:
        around = abs(wrapped(direction - pose.point.to(ball).bearing))
        duel = any(not other.is_mate and other.place.to(ball).range < DUEL for other in world.others())
        cost = abs(wrapped(direction - goal)) + (DUEL_TURN_COST if duel else TURN_COST) * around
        for other in world.others():
            ahead, left = ball.to(other.place).turned(-direction)
            if not other.is_mate and 0.0 < ahead < KICK_RANGE and abs(left) < CORRIDOR + CORRIDOR_GROWTH * ahead:
                cost += BLOCKED_COST
        end = ball.plus(towards(direction, KICK_RANGE))
        if any(other.is_mate and other.place.to(end).range < MATE_REACH for other in world.others()):
            cost -= MATE_BONUS
        is_goal = end.x > world.goal.x and abs(_crossing(ball, end, world.goal.x)) < 0.45 * world.pitch.goal_width
        if not is_goal and (abs(end.x) > world.pitch.length / 2 or abs(end.y) > world.pitch.width / 2):
            cost += OFF_COST
        return cost


def _crossing(start: Point, end: Point, x: float) -> float:
    """At which y the way from one point to another passes an x."""
    share = (x - start.x) / max(end.x - start.x, 1e-6)
    return start.y + share * (end.y - start.y)
