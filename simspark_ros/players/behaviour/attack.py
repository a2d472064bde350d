"""Plays the ball: come from behind, line up, kick; or walk on into the ball where time is short."""

from __future__ import annotations

import math

from simspark_ros.motion.interface import Activity, Command, Foot, Kick, Stand, Walk
from simspark_ros.physics.geometry.scalars import limited, wrapped
from simspark_ros.players.behaviour.steering import Steering
from simspark_ros.players.geometry import Point, Pose
from simspark_ros.players.team_settings import AttackSettings
from simspark_ros.players.world_model import ObservedRobot, WorldModel

FAR, NEAR = 0.7, 0.5
"""Distance from which a player walks forward to a place, and up to which it steps in every direction, m; between them
it goes on as before."""

HOLD = 2.0
"""Longest wait for a kick that was decided on, s: the legs have to stop first."""

STILL, ROLLING = 0.25, 0.8
"""Speed up to which a ball counts as resting, and from which it certainly rolls, m/s; a walking player errs between."""

AHEAD = 0.4
"""Time ahead for which a rolling ball's place is predicted, to meet it there, s."""

KEEP_PUSHING = 1.7
"""Factor on the tolerances of a player that is pushing the ball already."""

PUSH_RANGE = 0.3
"""Distance beyond `push_ahead` from which on a player does not push yet but lines up, m."""

IN_THE_WAY = 0.9
"""Angle from the way to the ball, rad, within which a robot nearer to the ball may have it and is not wrestled with."""

SLIP = 0.08
"""Distance behind the ball below which a player has to walk round the ball first, m."""


class AttackPlay:
    """Plays the ball for one player; a `BallPlay`."""

    holds = False

    def __init__(self, settings: AttackSettings, steering: Steering) -> None:
        self._settings = settings
        self._steering = steering
        self._kick: Kick | None = None
        self._decided = 0.0
        self._strides = False
        self._pushes = False

    def play(self, world: WorldModel, target: Point, *, kick: bool = True) -> Command:
        """Play the ball toward a target on the field; without `kick` dribble it, without time lost by stopping."""
        kick = kick and self._settings.kick_strength > 0.0
        pose, ball = world.pose, world.ball.place
        if pose is None or ball is None or world.status.activity is Activity.KICKING:
            self._kick = None
            return Stand()
        clinch = self._steering.out_of_clinch(pose, _in_the_way(world, pose, ball))
        if clinch is not None:
            return clinch
        if world.ball.speed.range > ROLLING:
            ball = world.ball.after(AHEAD) or ball
        turn = wrapped(pose.outer(ball).to(target).bearing - pose.heading)
        # The player's place in the ball's axes; x points to the target.
        own = Point(-ball.x, -ball.y).turned(-turn)
        foot = Foot.RIGHT if own.y > 0.0 else Foot.LEFT
        outward = self._settings.push_outward
        pushed = Point(self._settings.push_ahead, outward if foot is Foot.LEFT else -outward)
        spot = world.kick_spots[foot] if kick else pushed
        if own.x > -SLIP:
            return self._go(world, pose, self._way_round(own), own, turn)
        if kick and (self._holds_kick(world, own, turn) or self._may_kick(world, own, spot, turn)):
            if self._kick is None:
                self._kick = Kick(foot, self._settings.kick_strength)
                self._decided = world.time
            return self._kick
        self._kick = None
        self._pushes = not kick and self._may_push(own, spot, turn)
        if self._pushes:
            return Walk(1.0, limited(1.5 * (ball.y - spot.y), 0.2), limited(turn, 0.6))
        return self._line_up(world, pose, own, spot, turn)

    def _way_round(self, own: Point) -> Point:
        """The place to go to first from the wrong side of the ball, in the ball's axes like `own`."""
        around = self._settings.around
        is_in_front = abs(own.y) < around / 2 and own.x > 0.0
        return Point(own.x if is_in_front else -around / 2, math.copysign(around, own.y))

    def _line_up(self, world: WorldModel, pose: Pose, own: Point, spot: Point, turn: float) -> Command:
        settings = self._settings
        # A spot is the ball as the player shall see it: the player as the ball sees it, with the same axes, is -spot.
        error = own.to(Point(-spot.x, -spot.y))
        ready = abs(error.y) < settings.push_place and abs(turn) < settings.push_heading
        aim = Point(-spot.x if ready else -spot.x - settings.gap, -spot.y)
        return self._go(world, pose, aim, own, turn)

    def _go(self, world: WorldModel, pose: Pose, aim: Point, own: Point, turn: float) -> Command:
        """Walk to a point in the ball's axes."""
        way = own.to(aim).turned(turn)
        self._strides = way.range > (NEAR if self._strides else FAR)
        if self._strides:
            return self._steering.stride(world, pose, way)
        return self._steering.shift(way, turn)

    def _holds_kick(self, world: WorldModel, own: Point, turn: float) -> bool:
        """Whether a kick that was decided on is still right, with larger tolerances."""
        if self._kick is None or world.time - self._decided > HOLD:
            return False
        settings = self._settings
        spot = world.kick_spots[self._kick.foot]
        error = own.to(Point(-spot.x, -spot.y))
        return (
            abs(error.x) < 2.0 * settings.place_tolerance
            and abs(error.y) < 1.3 * settings.place_tolerance
            and abs(turn) < 2.5 * settings.heading_tolerance
        )

    def _may_kick(self, world: WorldModel, own: Point, spot: Point, turn: float) -> bool:
        settings = self._settings
        error = own.to(Point(-spot.x, -spot.y))
        # In a duel a rough kick at once beats an exact one too late.
        factor = 1.5 if self.is_duel(world) else 1.0
        return (
            abs(turn) < factor * factor * settings.heading_tolerance
            and abs(error.x) < factor * settings.place_tolerance
            and abs(error.y) < settings.place_tolerance
            and world.ball.speed.range < factor * STILL
            and world.ball_age < 0.2
        )

    def is_duel(self, world: WorldModel) -> bool:
        """Whether an opponent is at the ball, too."""
        ball = world.ball_place
        reach = self._settings.duel
        return ball is not None and any(
            not other.is_mate and other.place.to(ball).range < reach for other in world.others()
        )

    def _may_push(self, own: Point, spot: Point, turn: float) -> bool:
        """Whether to walk on into the ball: from behind, in about the right direction."""
        settings = self._settings
        # From farther behind there is room to correct more.
        room = max(0.0, -own.x - settings.push_ahead)
        if room > PUSH_RANGE:
            return False
        # A player with the ball at its feet goes on until it has clearly lost it.
        factor = KEEP_PUSHING if self._pushes else 1.0
        place, heading = factor * settings.push_place, factor * settings.push_heading
        return abs(own.y + spot.y) < place + 0.5 * room and abs(turn) < heading + room


def _in_the_way(world: WorldModel, pose: Pose, ball: Point) -> list[ObservedRobot]:
    """Robots between the player and the ball."""
    place = pose.outer(ball)
    return [
        other
        for other in world.others()
        if other.place.to(place).range < ball.range
        and abs(wrapped(pose.local(other.place).bearing - ball.bearing)) < IN_THE_WAY
    ]
