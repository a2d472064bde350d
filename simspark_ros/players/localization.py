"""The pose of a player, by a Kalman filter over steps and gyroscope (odometry) and ranges and bearings of marks.

The state is the pose on the field. Every mark in view adds the information of two measurements, its range and its
bearing, so that one mark helps and two distant posts side by side are not believed more than their geometry allows
(extended Kalman filter in information form; Thrun, Burgard, Fox: Probabilistic Robotics, 2005, sections 3.5 and 7.4).
Plain numbers: for a state of three they are ten times as fast as arrays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simspark_ros.motion.interface import Travel, Triple
from simspark_ros.physics.geometry.scalars import wrapped
from simspark_ros.players.geometry import Point, Polar, Pose, below_torso

RANGE_NOISE, RANGE_NOISE_GROWTH = 0.03, 0.01
"""Standard deviation of a range, m, and per metre: calibration error, sway of the head while walking."""

BEARING_NOISE = 0.03
"""Standard deviation of a bearing, rad: the torso's tilt is only estimated."""

PLACE_DRIFT, HEADING_DRIFT = 0.02, 0.01
"""Growth of variance by odometry, m2/s and rad2/s."""

LOST = 1.0
"""Mean error of ranges beyond which the robot was carried away, m."""

ROUNDS = 4
"""Number of linearisations after the robot was lost; otherwise one is enough."""

_LOST_PLACE, _LOST_HEADING = 100.0, 10.0
_BEAM_PLACE, _BEAM_HEADING = 0.01, 0.02

Information = tuple[float, float, float, float, float, float]
"""Upper triangle of a symmetric 3 x 3 matrix: xx, xy, xh, yy, yh, hh."""


class Bearing(NamedTuple):
    """One mark in view: its place on the field, and its range (m) and bearing (rad) on the ground."""

    mark: Point
    range: float
    bearing: float


class Localization:
    """The pose of one player in the frame of its team (attacking +x); `marks` has places in that frame by name, m.

    Attributes:
        pose: believed pose; None until two marks were seen at a time, or the robot was beamed.
    """

    def __init__(self, marks: Mapping[str, Triple]) -> None:
        self.pose: Pose | None = None
        self._marks = marks
        self._variance: Information = _diagonal(_LOST_PLACE, _LOST_HEADING)

    def place(self, pose: Pose) -> None:
        """Believe a pose with the noise of a beam, e.g. after a beam."""
        self.pose = pose
        self._variance = _diagonal(_BEAM_PLACE, _BEAM_HEADING)

    def move(self, travel: Travel, seconds: float) -> None:
        """Add the torso's movement in this time (s)."""
        if self.pose is None:
            return
        self.pose = self.pose.moved(travel.forward, travel.left, travel.turn)
        xx, xy, xh, yy, yh, hh = self._variance
        place, heading = PLACE_DRIFT * seconds, HEADING_DRIFT * seconds
        self._variance = (xx + place, xy, xh, yy + place, yh, hh + heading)

    def look(self, seen: Mapping[str, Polar], camera: tuple[Triple, float, float]) -> None:
        """Correct the pose by marks in view, by name; unknown names are ignored.

        `camera` is as `MotionEngine.camera_pose` gives it.
        """
        bearings = [self._on_ground(name, polar, camera) for name, polar in seen.items() if name in self._marks]
        if not bearings:
            return
        if self.pose is None or self._is_lost(bearings):
            if len(bearings) < 2:
                return
            self.pose = _fit(bearings)
            self._variance = _diagonal(_LOST_PLACE, _LOST_HEADING)
            # These rounds move the point of linearisation only: each mark may count once.
            for _ in range(ROUNDS):
                self._correct(bearings, keep_variance=True)
        self._correct(bearings)

    def _on_ground(self, name: str, polar: Polar, camera: tuple[Triple, float, float]) -> Bearing:
        """Use the known height of the mark for its range: the tilt of the torso is known less well."""
        x, y, height = self._marks[name]
        (camera_x, camera_y, camera_z), _, _ = camera
        ahead, left, _ = below_torso(polar, camera)
        # The range and the difference of heights make a right triangle; noise may make the range the shorter one.
        flat = math.sqrt(max(polar.range**2 - (height - camera_z) ** 2, 0.0))
        direction = math.atan2(left - camera_y, ahead - camera_x)
        ahead, left = camera_x + flat * math.cos(direction), camera_y + flat * math.sin(direction)
        return Bearing(Point(x, y), math.hypot(ahead, left), math.atan2(left, ahead))

    def _is_lost(self, bearings: Sequence[Bearing]) -> bool:
        assert self.pose is not None
        place = self.pose.point
        errors = [abs(place.to(bearing.mark).range - bearing.range) for bearing in bearings]
        return len(errors) > 1 and sum(errors) / len(errors) > LOST

    def _correct(self, bearings: Sequence[Bearing], *, keep_variance: bool = False) -> None:
        assert self.pose is not None
        x, y, heading = self.pose
        xx, xy, xh, yy, yh, hh = _inverse(self._variance)
        gx = gy = gh = 0.0
        for (mark_x, mark_y), distance, bearing in bearings:
            dx, dy = mark_x - x, mark_y - y
            expected = math.hypot(dx, dy)
            # So near, the bearing changes with the place too fast for a linearisation, and at 0 there is none.
            if expected < 0.1:
                continue
            ex, ey = dx / expected, dy / expected
            # Range: its derivative by the place is -(ex, ey).
            weight = 1.0 / (RANGE_NOISE + RANGE_NOISE_GROWTH * distance) ** 2
            error = distance - expected
            xx, xy, yy = xx + weight * ex * ex, xy + weight * ex * ey, yy + weight * ey * ey
            gx, gy = gx - weight * ex * error, gy - weight * ey * error
            # Bearing: its derivative by the place is (ey, -ex) / distance, by the heading -1.
            weight = 1.0 / BEARING_NOISE**2
            error = wrapped(bearing - (math.atan2(dy, dx) - heading))
            bx, by = ey / expected, -ex / expected
            xx, xy, yy = xx + weight * bx * bx, xy + weight * bx * by, yy + weight * by * by
            xh, yh, hh = xh - weight * bx, yh - weight * by, hh + weight
            gx, gy, gh = gx + weight * bx * error, gy + weight * by * error, gh - weight * error
        variance = _inverse((xx, xy, xh, yy, yh, hh))
        xx, xy, xh, yy, yh, hh = variance
        self.pose = Pose(
            x + xx * gx + xy * gy + xh * gh,
            y + xy * gx + yy * gy + yh * gh,
            wrapped(heading + xh * gx + yh * gy + hh * gh),
        )
        if not keep_variance:
            self._variance = variance


def _fit(bearings: Sequence[Bearing]) -> Pose:
    """Pose from two or more marks: the rigid movement that brings seen marks onto the field, by least squares."""
    seen = [Point(b.range * math.cos(b.bearing), b.range * math.sin(b.bearing)) for b in bearings]
    count = len(bearings)
    middle = Point(sum(p.x for p in seen) / count, sum(p.y for p in seen) / count)
    field = Point(sum(b.mark.x for b in bearings) / count, sum(b.mark.y for b in bearings) / count)
    dot = cross = 0.0
    for point, bearing in zip(seen, bearings, strict=True):
        px, py = middle.to(point)
        qx, qy = field.to(bearing.mark)
        dot += px * qx + py * qy
        cross += px * qy - py * qx
    # This turn makes the sum of the products of seen and true places largest, and so the sum of squared errors least.
    heading = math.atan2(cross, dot)
    place = middle.turned(heading).to(field)
    return Pose(place.x, place.y, heading)


def _diagonal(place: float, heading: float) -> Information:
    return (place, 0.0, 0.0, place, 0.0, heading)


def _inverse(matrix: Information) -> Information:
    """Inverse of a positive definite matrix, by its cofactors."""
    xx, xy, xh, yy, yh, hh = matrix
    a, b, c = yy * hh - yh * yh, xh * yh - xy * hh, xy * yh - xh * yy
    d, e, f = xx * hh - xh * xh, xh * xy - xx * yh, xx * yy - xy * xy
    factor = 1.0 / (xx * a + xy * b + xh * c)
    return a * factor, b * factor, c * factor, d * factor, e * factor, f * factor
