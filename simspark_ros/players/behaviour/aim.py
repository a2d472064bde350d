"""The direction to play the ball: to the goal if the way is free, else past opponents, with little turning."""

from __future__ import annotations

import math

from simspark_ros.physics.geometry.scalars import wrapped
from simspark_ros.players.geometry import Point, Pose, towards
from simspark_ros.players.world_model import WorldModel

DIRECTIONS = tuple(math.radians(degrees) for degrees in (0, 15, -15, 30, -30, 45, -45, 60, -60, 80, -80, 100, -100))
"""Candidates relative to the direction of the goal's middle, rad."""

MOUTH = (0.6, 0.3, -0.3, -0.6)
"""Points of a near goal that are candidates, too, as shares of half its width."""

SHOT_RANGE = 6.0
"""Greatest distance of a goal that counts as near, m."""

INSIDE_COST, MISS_COST, POST_MARGIN = 0.3, 2.0, 0.3
"""Cost of a shot's deviation from the goal's middle, extra cost beyond the posts, and margin inside the posts, m."""

KICK_RANGE = 2.5
"""Length of a kick, m; nearer opponents may be in the way."""

CORRIDOR, CORRIDOR_GROWTH = 0.25, 0.15
"""Half the width that a ball needs to pass, at its start, m, and its growth per metre: kicks are not exact."""

TURN_COST, DUEL_TURN_COST = 0.3, 1.2
"""Cost of the way round the ball, relative to deviation from the goal; higher in a duel, where time is short."""

DUEL = 0.7
"""Distance of an opponent from the ball that makes a duel, m."""

BLOCKED_COST, OFF_COST = 2.0, 1.5
"""Costs of an opponent in the way, and of a ball that would leave the field, as an angle, rad. A shot may pass an
opponent narrowly; the wider it passes, the less it costs."""

MATE_REACH, MATE_BONUS = 1.2, 0.6
"""Greatest distance of a free team mate from the place where the ball would stop, m, and the bonus for one, rad."""

FREE = 1.2
"""Least distance of all opponents from a free team mate, m."""

BEHIND_LINE = 0.3
"""Distance behind the goal line of the point at which a ball straight before the goal aims, m."""

CUT_IN, MOST_CUT_IN = 0.35, 1.3
"""Decrease of `BEHIND_LINE` per metre of the ball from the middle, to pass the near post, and the largest one, m."""

LOYALTY, SHOT_LOYALTY = 0.25, 0.1
"""Lead that a new direction needs over the last one, rad, as changes cost time; less before the goal."""


class Aim:
    """Chooses where one player plays the ball."""

    def __init__(self) -> None:
        self._last: float | None = None

    def target(self, world: WorldModel) -> Point:
        """A point on the field in the direction to play the ball, or the middle of the goal."""
        pose, ball = world.pose, world.ball_place
        if pose is None or ball is None:
            return world.goal
        goal = ball.to(Point(world.goal.x + BEHIND_LINE - min(CUT_IN * abs(ball.y), MOST_CUT_IN), 0.0))
        scene = _Scene(world, pose, ball, goal)
        candidates = [wrapped(goal.bearing + direction) for direction in DIRECTIONS]
        loyalty = LOYALTY
        if scene.shoots:
            loyalty = SHOT_LOYALTY
            half = world.pitch.goal_width / 2.0
            candidates += [ball.to(Point(world.goal.x, share * half)).bearing for share in MOUTH]
        costs = {direction: scene.cost(direction) for direction in candidates}
        best = min(candidates, key=costs.__getitem__)
        last = self._last
        if last is not None and abs(wrapped(last - goal.bearing)) < DIRECTIONS[-2]:
            best = last if scene.cost(last) < costs[best] + loyalty else best
        self._last = best
        return ball.plus(towards(best, max(goal.range, KICK_RANGE)))


class _Scene:
    """The situation in which directions are compared; `goal` is the way from the ball to the goal, m.

    Attributes:
        shoots: whether the goal is near enough for a shot.
    """

    def __init__(self, world: WorldModel, pose: Pose, ball: Point, goal: Point) -> None:
        others = world.others()
        opponents = [ball.to(other.place) for other in others if not other.is_mate]
        self._pitch, self._ball, self._goal = world.pitch, ball, goal.bearing
        self.shoots = goal.range < SHOT_RANGE
        half = max(world.pitch.goal_width / 2.0 - POST_MARGIN, 0.1)
        self._left, self._right = (ball.to(Point(world.goal.x, side)).bearing for side in (half, -half))
        self._approach = pose.point.to(ball).bearing
        self._turn_cost = DUEL_TURN_COST if any(place.range < DUEL for place in opponents) else TURN_COST
        self._opponents = [place for place in opponents if place.range < KICK_RANGE + CORRIDOR]
        places = [other.place for other in others if not other.is_mate]
        mates = [other.place for other in others if other.is_mate]
        self._mates = [mate for mate in mates if all(mate.to(place).range > FREE for place in places)]

    def cost(self, direction: float) -> float:
        """Cost of a direction, rad."""
        off = abs(wrapped(direction - self._goal))
        beyond = max(0.0, wrapped(direction - self._left), wrapped(self._right - direction))
        cost = INSIDE_COST * off + (MISS_COST if self.shoots else 1.0) * beyond
        cost += self._turn_cost * abs(wrapped(direction - self._approach))
        for opponent in self._opponents:
            ahead, left = opponent.turned(-direction)
            width = CORRIDOR + CORRIDOR_GROWTH * ahead
            if 0.0 < ahead < KICK_RANGE and abs(left) < width:
                cost += BLOCKED_COST * (1.0 - abs(left) / width if self.shoots else 1.0)
        end = self._ball.plus(towards(direction, KICK_RANGE))
        if any(mate.to(end).range < MATE_REACH for mate in self._mates):
            cost -= MATE_BONUS
        return cost if self._stays(end) else cost + OFF_COST

    def _stays(self, end: Point) -> bool:
        """Whether a ball that goes there stays on the field, or goes into the goal."""
        x, y = self._pitch.length / 2, self._pitch.width / 2
        if abs(end.x) <= x and abs(end.y) <= y:
            return True
        return end.x > x and abs(_crossing(self._ball, end, x)) < 0.45 * self._pitch.goal_width


def _crossing(start: Point, end: Point, x: float) -> float:
    """The y at which the way from one point to another passes an x."""
    share = (x - start.x) / max(end.x - start.x, 1e-6)
    return start.y + share * (end.y - start.y)
