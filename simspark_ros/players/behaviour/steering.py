"""Walks somewhere without running into others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simspark_ros.motion.interface import Command, Stand, Walk
from simspark_ros.physics.geometry.scalars import limited, wrapped
from simspark_ros.players.geometry import Point, Pose, towards
from simspark_ros.players.team_settings import SteeringSettings
from simspark_ros.players.world_model import ObservedRobot, WorldModel

ARRIVED, ARRIVED_FACING = 0.12, 0.25
"""Errors with which a player stands still, m and rad."""

LEAVE, LEAVE_FACING = 0.3, 0.6
"""Errors with which a standing player starts to walk again, m and rad."""

CLINCH = 0.38
"""Distance of two robots' middles within which they hold one another, m."""

BESIDE = 0.2
"""Distance ahead below which a robot is beside the way, m."""

MOST_DETOUR = 1.2
"""Largest turn away from the straight way past a robot, rad."""

BEYOND_LINE, BESIDE_GOAL = 0.1, 0.4
"""Distance beyond the goal line from which the goal is in the way, and room to leave beside the goal, m."""


class Steering:
    """Walks one player to places on the field."""

    def __init__(self, settings: SteeringSettings) -> None:
        self._settings = settings
        self._stands = False

    def walk_to(self, world: WorldModel, place: Point, facing: Point, clear_of_ball: float = 0.0) -> Command:
        """Walk to a place on the field and stay there, facing a point, at least `clear_of_ball` (m) from the ball."""
        pose = world.pose
        if pose is None:
            return Stand()
        clinch = self.out_of_clinch(pose, world.others())
        if clinch is not None:
            return clinch
        local = self._out_of_the_way(world, clear_of_ball) or pose.local(place)
        error = pose.local(facing).bearing
        limit, facing_limit = (LEAVE, LEAVE_FACING) if self._stands else (ARRIVED, ARRIVED_FACING)
        self._stands = local.range < limit and abs(error) < facing_limit
        if self._stands:
            return Stand()
        if local.range > self._settings.near:
            if self._settings.holonomic:
                return self.shift(self.around_others(world, pose, local, clear_of_ball), error)
            return self.stride(world, pose, local, clear_of_ball)
        return self.shift(local, error)

    def out_of_clinch(self, pose: Pose, others: Sequence[ObservedRobot]) -> Walk | None:
        """Step back from a robot so near that arms and feet get caught; None if there is none."""
        near = (other.place for other in others if math.dist(other.place, pose.point) < CLINCH)
        place = next(near, None)
        return None if place is None else self.shift(pose.local(place).times(-1.0), 0.0)

    def _out_of_the_way(self, world: WorldModel, clear_of_ball: float) -> Point | None:
        """Way straight away from a ball that is nearer than allowed, relative to the player; None if it is not."""
        ball = world.ball.place
        if ball is None or ball.range > clear_of_ball - LEAVE:
            return None
        return ball.times(-clear_of_ball / max(ball.range, 1e-6)).plus(ball)

    def stride(self, world: WorldModel, pose: Pose, local: Point, clear_of_ball: float = 0.0) -> Walk:
        """Turn to a place relative to the player, past other robots, and walk forward to it."""
        settings, way = self._settings, self.around_others(world, pose, local, clear_of_ball)
        # Slow until the place is ahead: a player that walks on while turning may circle around a near place.
        forward = settings.forward * max(0.0, math.cos(way.bearing)) ** 3
        turn = limited(settings.turn_gain * way.bearing, settings.turn)
        return Walk(min(forward, settings.approach_gain * way.range + 0.1), 0.0, turn)

    def shift(self, local: Point, turn: float) -> Walk:
        """Step to a near place relative to the player while turning by an angle (rad)."""
        settings = self._settings
        distance = max(local.range, 1e-6)
        # Never too slow to arrive, and straight to the place: steps to the side cost steps forward.
        speed = max(settings.approach_gain * distance, settings.slowest)
        forward, left = speed * local.x / distance, speed * local.y / distance
        share = abs(forward) / settings.forward + abs(left) / settings.sideways
        factor = min(1.0, 1.0 / max(share, 1e-6))
        return Walk(forward * factor, left * factor, limited(settings.turn_gain * turn, settings.turn))

    def around_others(self, world: WorldModel, pose: Pose, local: Point, clear_of_ball: float = 0.0) -> Point:
        """Bend the way to a place (relative to the player) past the first obstacle in it."""
        out = _out_of_goal(world, pose)
        if out is not None:
            return pose.local(out)
        settings = self._settings
        bearing, distance = local.bearing, local.range
        own, reach = pose.point, math.hypot(settings.look_ahead, settings.avoid)
        near = (other.place for other in world.others() if math.dist(other.place, own) < reach)
        obstacles = [(pose.local(place), settings.avoid) for place in near]
        if clear_of_ball > 0.0 and world.ball.place is not None:
            obstacles.append((world.ball.place, clear_of_ball))
        first, side, width = min(distance, settings.look_ahead), 0.0, 0.0
        for place, room in obstacles:
            ahead, left = place.turned(-bearing)
            # The way ahead to the obstacle's clear space.
            begins = ahead - (room - settings.avoid)
            if ahead > BESIDE and begins < first and abs(left) < room:
                first, side, width = begins, left, room - abs(left) + 0.1
        if width == 0.0:
            return local
        # Pass an obstacle on the left on its right, and turn more the nearer it is.
        detour = min(MOST_DETOUR, math.atan2(width, max(first - 0.2, 0.05)))
        return towards(wrapped(bearing - math.copysign(detour, side)), distance)


def _out_of_goal(world: WorldModel, pose: Pose) -> Point | None:
    """The place to go to first from beyond the goal line, past the walls of the goal; None on the field."""
    pitch = world.pitch
    beyond = abs(pose.x) - pitch.length / 2
    if beyond < BEYOND_LINE:
        return None
    side = math.copysign(pitch.goal_width / 2 + BESIDE_GOAL, pose.y)
    is_behind = beyond > pitch.goal_depth and abs(pose.y) < abs(side)
    line = pitch.length / 2 - BESIDE_GOAL
    return Point(pose.x, side * 1.5) if is_behind else Point(math.copysign(line, pose.x), pose.y)
