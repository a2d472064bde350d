"""Points and poses on the ground as plain numbers: m and rad, x forward, y left."""

from __future__ import annotations

import math
from typing import NamedTuple

from simspark_ros.motion.interface import Triple
from simspark_ros.physics.geometry.scalars import wrapped


class Point(NamedTuple):
    """A point or vector on the ground, m."""

    x: float
    y: float

    @property
    def range(self) -> float:
        """Length, m."""
        return math.hypot(self.x, self.y)

    @property
    def bearing(self) -> float:
        """Direction, rad."""
        return math.atan2(self.y, self.x)

    def to(self, other: Point) -> Point:
        """The vector from here to there."""
        return Point(other.x - self.x, other.y - self.y)

    def plus(self, other: Point) -> Point:
        """The sum of two vectors."""
        return Point(self.x + other.x, self.y + other.y)

    def times(self, factor: float) -> Point:
        """The scaled vector."""
        return Point(self.x * factor, self.y * factor)

    def turned(self, angle: float) -> Point:
        """The vector turned by an angle, rad."""
        c, s = math.cos(angle), math.sin(angle)
        return Point(c * self.x - s * self.y, s * self.x + c * self.y)


def towards(angle: float, length: float) -> Point:
    """The vector of this direction (rad) and length (m)."""
    return Point(length * math.cos(angle), length * math.sin(angle))


def crossing(x: float, ball: Point, speed: Point, slowest: float) -> tuple[float, float] | None:
    """When (s) and at which y (m) a ball crosses the line at x on its way to the goal at lower x.

    None for a ball behind the line, and for one that comes more slowly than `slowest`, m/s.
    """
    if -speed.x < slowest or ball.x < x:
        return None
    seconds = (ball.x - x) / -speed.x
    return seconds, ball.y + seconds * speed.y


class Pose(NamedTuple):
    """Place and heading in some frame: m, rad."""

    x: float
    y: float
    heading: float

    @property
    def point(self) -> Point:
        """The place."""
        return Point(self.x, self.y)

    def local(self, point: Point) -> Point:
        """A point of the outer frame as seen from this pose."""
        return Point(point.x - self.x, point.y - self.y).turned(-self.heading)

    def outer(self, point: Point) -> Point:
        """A point as seen from this pose, in the outer frame."""
        turned = point.turned(self.heading)
        return Point(self.x + turned.x, self.y + turned.y)

    def moved(self, forward: float, left: float, turn: float) -> Pose:
        """This pose after a movement in its own frame."""
        place = self.outer(Point(forward, left))
        return Pose(place.x, place.y, wrapped(self.heading + turn))


class Polar(NamedTuple):
    """Place of a thing as seen from the camera: m, and rad, positive left of and above its axis."""

    range: float
    bearing: float
    elevation: float


def below_torso(seen: Polar, camera: tuple[Triple, float, float]) -> Triple:
    """Place of a seen thing in the frame on the ground below the torso, m.

    `camera` is the camera's position in that frame, pan and tilt, as `MotionEngine.camera_pose` gives them.
    """
    (x, y, z), pan, tilt = camera
    flat, up = seen.range * math.cos(seen.elevation), seen.range * math.sin(seen.elevation)
    ahead, left = flat * math.cos(seen.bearing), flat * math.sin(seen.bearing)
    # Out of the camera the tilt comes first: the joint of the pan carries the one of the tilt.
    c, s = math.cos(tilt), math.sin(tilt)
    ahead, up = c * ahead - s * up, s * ahead + c * up
    c, s = math.cos(pan), math.sin(pan)
    return (x + c * ahead - s * left, y + s * ahead + c * left, z + up)
