"""How to walk somewhere without running into others."""

from __future__ import annotations

import math

from simspark_ros.players.geometry import Point, Pose, limited, towards, wrapped
from simspark_ros.players.motion.interface import Command, Stand, Walk
from simspark_ros.players.team_settings import SteeringSettings
from simspark_ros.players.world import World

ARRIVED, ARRIVED_FACING = 0.12, 0.25
"""Errors with which a player stands still, m and rad ..."""

LEAVE, LEAVE_FACING = 0.3, 0.6
"""... and with which it starts to walk again."""

MOST_DETOUR = 1.0
"""Largest turn away from the straight way past a robot, rad."""

SIDEWAYS_BACK = 1.2
"""Up to this bearing a near place is approached without turning to it first, rad."""


class Steering:
    """Walks one player to places on the field."""

    def __init__(self, settings: SteeringSettings) -> None:
        """Take the settings."""
        self._settings = settings
        self._stands = False

    def walk_to(self, world: World, place: Point, facing: Point) -> Command:
        """Walk to a place and stay there.

        Args:
            world: what the player believes.
            place: on the field.
            facing: what to look at there, on the field.
        """
        pose = world.pose
        if pose is None:
            return Stand()
        local = pose.local(place)
        error = pose.local(facing).bearing
        limit, facing_limit = (LEAVE, LEAVE_FACING) if self._stands else (ARRIVED, ARRIVED_FACING)
        self._stands = local.range < limit and abs(error) < facing_limit
        if self._stands:
            return Stand()
        if local.range > self._settings.near:
            return self.stride(self.around_others(world, pose, local))
        return self.shift(local, error)

    def stride(self, local: Point) -> Walk:
        """Turn to a place relative to the player and walk forward to it."""
        settings = self._settings
        bearing = local.bearing
        forward = settings.forward * max(0.0, math.cos(bearing)) ** 2
        return Walk(
            min(forward, settings.approach_gain * local.range + 0.1),
            0.0,
            limited(settings.turn_gain * bearing, settings.turn),
        )

    def shift(self, local: Point, turn: float) -> Walk:
        """Step to a near place relative to the player while turning by an angle (rad)."""
        settings = self._settings
        gain = settings.approach_gain
        return Walk(
            limited(gain * local.x, settings.forward),
            limited(gain * local.y, settings.sideways),
            limited(settings.turn_gain * turn, settings.turn),
        )

    def around_others(self, world: World, pose: Pose, local: Point) -> Point:
        """Bend the way to a place (relative to the player) past the first robot that stands in it."""
        settings = self._settings
        bearing, distance = local.bearing, local.range
        first, side = min(distance, settings.look_ahead), 0.0
        for other in world.others():
            ahead, left = pose.local(other.place).turned(-bearing)
            if 0.0 < ahead < first and abs(left) < settings.avoid:
                first, side = ahead, left
        if first >= min(distance, settings.look_ahead):
            return local
        # To the right of what is to the left; the nearer, the more.
        width = settings.avoid - abs(side) + 0.1
        detour = min(MOST_DETOUR, math.atan2(width, max(first - 0.2, 0.05)))
        return towards(wrapped(bearing - math.copysign(detour, side)), distance)
