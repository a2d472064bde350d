"""Plays the ball on wheels: fetch it, keep it at the front, pass it past opponents, shoot at the goal."""

from __future__ import annotations

import math

from simspark_ros.motion.interface import Command, Foot, Shoot, Stand, Walk
from simspark_ros.physics.geometry.scalars import limited
from simspark_ros.players.behaviour.steering import Steering
from simspark_ros.players.geometry import Point, Pose, towards
from simspark_ros.players.team_settings import DribbleSettings
from simspark_ros.players.world_model import WorldModel

FACING, WAIT = 0.4, 0.25
"""Bearing of the ball within which a robot faces it, rad, and distance at which it waits until it does, m."""

BRAKING, TURN_GAIN = 1.5, 5.0
"""Deceleration before the ball, m/s2, and turn per angle, 1/s."""

NEAR = 1.2
"""Distance of the ball within which a robot moves relative to the ball's velocity, m."""

AHEAD = 1.0
"""Longest time ahead for which a rolling ball's place is predicted, to meet it there, s."""

KEEPS = 1.6
"""Factor on the distance from its place within which a ball counts as held, once it is held."""

CREEP = 0.3
"""Speed forward of a player that turns to shoot, so that it keeps hold of the ball, m/s."""

POSTS = (0.38, -0.38, 0.2, -0.2, 0.0)
"""Places in the goal for shots, as shares of its width."""

BESIDE, IN_FRONT = 1.0, 3.0
"""Bearing of the goal beyond which a player first goes to its front, rad, and the distance of that place, m."""

BETTER = 1.1
"""Factor by which a mate has to see the goal wider to get the ball."""


class DribblePlay:
    """Plays the ball for one player on wheels; a `BallPlay`."""

    holds = True

    def __init__(self, settings: DribbleSettings, steering: Steering, ball_friction: float) -> None:
        self._settings = settings
        self._steering = steering
        self._friction = ball_friction
        self._has_ball = False
        self._shot = -math.inf

    def is_duel(self, world: WorldModel) -> bool:
        """Never: a shot takes no time to line up."""
        return False

    def play(self, world: WorldModel, target: Point, *, kick: bool = True) -> Command:
        """Play the ball toward a target on the field.

        Shoot where the goal appears wide and the way is free. Elsewhere pass with `kick` or if an opponent is in the
        way, else dribble.
        """
        pose, ball = world.pose, world.ball.place
        if pose is None or ball is None:
            return Stand()
        spot = Point(*world.kick_spots[Foot.LEFT])
        away = self._settings.capture * (KEEPS if self._has_ball else 1.0)
        self._has_ball = spot.to(ball).range < away and world.time - self._shot > self._settings.recharge
        if not self._has_ball:
            return self._fetch(world, pose, ball, spot)
        if self._has_chance(world, pose):
            return self._shoot(world, pose, self._mouth(world, pose), self._settings.shot_speed)
        mate = self._receiver(world, pose) if kick or self._is_blocked(world, pose) else None
        if mate is None and not kick:
            return self._dribble(world, pose, target)
        return self._pass(world, pose, mate or target)

    def _fetch(self, world: WorldModel, pose: Pose, ball: Point, spot: Point) -> Command:
        settings = self._settings
        meet = world.ball.after(min(ball.range / settings.fetch_speed, AHEAD)) or ball
        is_facing = abs(ball.bearing) < FACING
        left = meet.range - spot.x - (0.0 if is_facing else WAIT)
        way = towards(meet.bearing, left)
        if left > 2.0 * WAIT:
            way = self._steering.around_others(world, pose, way)
        least = settings.fetch_slowest if is_facing else 0.0
        # As fast as it can still brake; near a ball that rolls, relative to it.
        speed = min(settings.fetch_speed, max(least, math.sqrt(2.0 * BRAKING * abs(left))))
        way = way.times(speed / max(way.range, 1e-6))
        if ball.range < NEAR:
            way = way.plus(world.ball.speed)
        return Walk(way.x, way.y, limited(TURN_GAIN * ball.bearing, settings.turn))

    def _dribble(self, world: WorldModel, pose: Pose, target: Point) -> Command:
        settings = self._settings
        if abs(pose.point.to(world.goal).bearing) > BESIDE:
            target = Point(world.goal.x - IN_FRONT, 0.0)
        way = self._steering.around_others(world, pose, pose.local(target))
        forward = settings.speed * max(0.0, math.cos(way.bearing)) ** 3
        return Walk(max(forward, CREEP), 0.0, limited(TURN_GAIN * way.bearing, settings.turn))

    def _shoot(self, world: WorldModel, pose: Pose, target: Point, speed: float) -> Command:
        """Turn to a place on the field and shoot the ball there."""
        error, settings, ball = pose.local(target).bearing, self._settings, world.ball.place
        away = math.inf if ball is None else Point(*world.kick_spots[Foot.LEFT]).to(ball).range
        if abs(error) < settings.shot_heading and away < settings.shot_place:
            self._shot = world.time
            return Shoot(speed)
        return Walk(CREEP, 0.0, limited(TURN_GAIN * error, settings.turn))

    def _pass(self, world: WorldModel, pose: Pose, target: Point) -> Command:
        settings = self._settings
        # A rolling ball loses speed in proportion to its way: this one arrives with the speed of a pass.
        speed = settings.pass_speed + self._friction * pose.point.to(target).range
        return self._shoot(world, pose, target, min(speed, settings.shot_speed))

    def _has_chance(self, world: WorldModel, pose: Pose) -> bool:
        """Whether a shot from here is likely to go in."""
        view, settings = _view(world, pose.point), self._settings
        if view < settings.shot_view:
            return False
        # From very near, shoot whatever is in the way.
        return (
            view > 2.0 * settings.shot_view or self._room(world, pose.point, self._mouth(world, pose)) > settings.lane
        )

    def _mouth(self, world: WorldModel, pose: Pose) -> Point:
        """The place in the goal with the most room on the way there."""
        places = [Point(world.goal.x, share * world.pitch.goal_width) for share in POSTS]
        return max(places, key=lambda place: self._room(world, pose.point, place))

    def _receiver(self, world: WorldModel, pose: Pose) -> Point | None:
        """The team mate that sees the goal widest, if wider than from here and a pass to it is free."""
        settings, least = self._settings, BETTER * _view(world, pose.point)
        mates = [
            other.place
            for other in world.others()
            if other.is_mate
            and _view(world, other.place) > least
            and settings.pass_shortest < pose.point.to(other.place).range < settings.pass_longest
        ]
        free = [mate for mate in mates if self._room(world, pose.point, mate) > settings.lane]
        return max(free, key=lambda mate: _view(world, mate), default=None)

    def _is_blocked(self, world: WorldModel, pose: Pose) -> bool:
        """Whether an opponent is near ahead."""
        places = [pose.local(other.place) for other in world.others() if not other.is_mate]
        return any(place.range < self._settings.careful and abs(place.bearing) < 1.0 for place in places)

    @staticmethod
    def _room(world: WorldModel, start: Point, end: Point) -> float:
        """Distance of the nearest opponent from the straight way between two places, m."""
        way = start.to(end)
        room = math.inf
        for other in world.others():
            if not other.is_mate:
                ahead, left = start.to(other.place).turned(-way.bearing)
                if 0.0 < ahead < way.range:
                    room = min(room, abs(left))
        return room


def _view(world: WorldModel, place: Point) -> float:
    """The angle under which the opponents' goal appears from a place on the field, rad."""
    half = world.pitch.goal_width / 2.0
    left, right = (place.to(Point(world.goal.x, side * half)).bearing for side in (1.0, -1.0))
    return left - right
