"""The goalkeeper: stays between ball and goal, dives for shots, clears a near ball."""

from __future__ import annotations

import math

from simspark_ros.motion.interface import Command, Dive, Foot
from simspark_ros.physics.geometry.scalars import limited
from simspark_ros.players.behaviour.intention import BallPlay
from simspark_ros.players.behaviour.steering import Steering
from simspark_ros.players.geometry import Point, crossing, towards
from simspark_ros.players.team_settings import GoalkeeperSettings
from simspark_ros.players.world_model import WorldModel

MOST_SIDE = 1.2
"""Largest angle from straight before the goal at which it stands, rad."""

MIDDLE = 0.3
"""Distance from the middle within which a ball is cleared to the same side as before, m."""


class Goalkeeper:
    """Keeps the goal."""

    def __init__(self, settings: GoalkeeperSettings, steering: Steering, attack: BallPlay) -> None:
        self._settings = settings
        self._steering = steering
        self._attack = attack
        self._side = 1.0

    def comes_out(self, world: WorldModel) -> bool:
        """Whether it goes for the ball itself."""
        ball = world.ball_place
        return ball is not None and ball.to(world.own_goal).range < self._settings.come_out

    def keep(self, world: WorldModel) -> Command:
        """Stay between ball and goal, or dive."""
        dive = self._dive(world)
        if dive is not None:
            return dive
        ball = world.ball_place or Point(0.0, 0.0)
        goal = world.own_goal
        direction = limited(goal.to(ball).bearing, MOST_SIDE)
        place = goal.plus(towards(direction, self._settings.radius))
        # The limit keeps this place beside the posts, not behind them.
        return self._steering.walk_to(world, place, ball)

    def clear(self, world: WorldModel) -> Command:
        """Play the ball away from the goal, to the ball's side, or dive if a shot comes meanwhile."""
        dive = self._dive(world)
        if dive is not None:
            return dive
        ball = world.ball_place or Point(0.0, 0.0)
        if abs(ball.y) > MIDDLE:
            self._side = math.copysign(1.0, ball.y)
        return self._attack.play(world, Point(ball.x + 5.0, ball.y + 2.5 * self._side))

    def _dive(self, world: WorldModel) -> Dive | None:
        """Dive for the ball, to the side where it will pass, if it is a shot within reach."""
        settings = self._settings
        ball, speed = world.ball.place, world.ball.speed
        if ball is None or world.ball_age > 0.2 or ball.x < 0.1:
            return None
        found = crossing(0.0, ball, speed, settings.dive_speed)
        if found is None:
            return None
        seconds, arrival = found
        if seconds > settings.dive_time or not settings.body < abs(arrival) < settings.reach:
            return None
        return Dive(Foot.LEFT if arrival > 0.0 else Foot.RIGHT)


class WheeledGoalkeeper(Goalkeeper):
    """Keeps the goal on wheels: it drives to where a shot will pass, and never dives."""

    def keep(self, world: WorldModel) -> Command:
        """Stay between ball and goal, or get into the way of a shot."""
        place = self._crossing(world)
        if place is None:
            return super().keep(world)
        return self._steering.walk_to(world, place, world.ball_place or place)

    def _crossing(self, world: WorldModel) -> Point | None:
        """The place between the posts, level with this player, that a fast ball will pass; None if there is none."""
        pose, ball, settings = world.pose, world.ball_place, self._settings
        if pose is None or ball is None:
            return None
        speed = world.ball.speed.turned(pose.heading)
        found = crossing(pose.x, ball, speed, settings.dive_speed)
        if found is None or found[0] > settings.dive_time:
            return None
        return Point(pose.x, limited(found[1], world.pitch.goal_width / 2.0))

    def _dive(self, world: WorldModel) -> Dive | None:
        return None
