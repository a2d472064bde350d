# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The view of cameras: points and parts of lines inside their views, as polar coordinates; see `perceptors.vision`."""

import cython
from cython.cimports.libc.math import asin, atan2, isinf, sqrt

# Distance of the image plane, m: lines are clipped there, and nearer objects are not seen.
_FOCAL_LENGTH = cython.declare(cython.double, 0.1)
# Number that avoids divisions by zero.
_TINY = cython.declare(cython.double, 1e-200)


@cython.cfunc
@cython.inline
def _planes(
    place: cython.double[:, ::1], point: cython.Py_ssize_t, across: cython.double, up: cython.double, n: cython.int
) -> cython.double:
    """Distance of a point from a plane around a view: right, left, bottom, top, image plane; outside it is negative.

    The lengths of the normals differ from one: only signs, and ratios along one line, are used.
    """
    if n == 0:
        return place[point, 0] * across + place[point, 1]
    if n == 1:
        return place[point, 0] * across - place[point, 1]
    if n == 2:
        return place[point, 0] * up + place[point, 2]
    if n == 3:
        return place[point, 0] * up - place[point, 2]
    return place[point, 0] - _FOCAL_LENGTH


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class SightKernel:
    """The views of C cameras on T targets and L lines.

    Attributes:
        points: (T + 2 L, 3) targets, then both ends of each line, world frame, m.
        ball: index of the ball among the targets; behind it are parts of robots, which move.
        owner: (T,) row of the robot that each target belongs to, -1 = none.
        nearest2: (T,) squared distance up to which a target is not seen, m2.
        rows: (C,) rows of the cameras' robots.
        slopes: (C, 2) tangents of half the horizontal and the vertical opening; infinite = no limit at all.
        sine2: (C,) squared sine of half the vertical opening.
        sees_lines: (C,) whether lines are seen.
        calibration: (C, 3) offset of all points in the camera's frame, m.
        noise: (C, 3) standard deviations of distance, as a fraction, and of azimuth and elevation, rad.
        occluder2: (C,) squared radius of the spheres around robots that hide what is behind them, m2; 0 = none.
        place: (T + 2 L, 3) room for points in a camera's frame, m.
        torsos: (N, 3) room for the centres of the spheres in a camera's frame, m.
        objects: (C T, 3) seen targets in the frames of their cameras, m.
        ends: (2 C L, 3) both ends of the seen parts of lines in the frames of their cameras, m.
        target: (C T,) seen targets.
        who, offsets: arguments of the last `look`.
    """

    points: cython.double[:, ::1]
    ball: cython.Py_ssize_t
    owner: cython.longlong[::1]
    nearest2: cython.double[::1]
    rows: cython.longlong[::1]
    slopes: cython.double[:, ::1]
    sine2: cython.double[::1]
    sees_lines: cython.uchar[::1]
    calibration: cython.double[:, ::1]
    noise: cython.double[:, ::1]
    occluder2: cython.double[::1]
    place: cython.double[:, ::1]
    torsos: cython.double[:, ::1]
    objects: cython.double[:, ::1]
    ends: cython.double[:, ::1]
    target: cython.longlong[::1]
    who: cython.longlong[::1]
    offsets: cython.longlong[:, ::1]

    def move(self, ball: cython.double[:], parts: cython.double[:, :]) -> None:
        """Put the ball (3,) and the parts of robots (P, 3) where they are now, world frame, m."""
        part: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for n in range(3):
            self.points[self.ball, n] = ball[n]
        for part in range(parts.shape[0]):
            for n in range(3):
                self.points[self.ball + 1 + part, n] = parts[part, n]

    def look(
        self,
        who: cython.longlong[::1],
        origins: cython.double[:, :],
        rotations: cython.double[:, :, :],
        torsos: cython.double[:, :],
        offsets: cython.longlong[:, ::1],
    ) -> tuple:
        """Find what cameras see.

        Args:
            who: (M,) cameras that look.
            origins: (C, 3) places of all cameras, m.
            rotations: (C, 3, 3) rotations from cameras to world.
            torsos: (N, 3) centres of the spheres around robots, world frame, m.
            offsets: (2, M + 1) first object and first line of each camera that looks, written.

        Returns:
            Numbers of objects and of lines.
        """
        observer: cython.Py_ssize_t
        objects: cython.Py_ssize_t = 0
        lines: cython.Py_ssize_t = 0
        self.who, self.offsets = who, offsets
        offsets[0, 0] = offsets[1, 0] = 0
        for observer in range(who.shape[0]):
            camera: cython.Py_ssize_t = who[observer]
            self._turn(camera, origins, rotations, self.points, self.place)
            if self.occluder2[camera] > 0.0:
                self._turn(camera, origins, rotations, torsos, self.torsos)
            objects = self._see_objects(camera, objects)
            if self.sees_lines[camera]:
                lines = self._see_lines(camera, lines)
            offsets[0, observer + 1] = objects
            offsets[1, observer + 1] = lines
        return objects, lines

    def polar(self, numbers: cython.double[:, ::1]) -> None:
        """After `look`, replace numbers of a standard normal distribution by polar coordinates with that noise.

        numbers: (K + 2 K', 3) numbers for K objects, then for both ends of K' lines.
        """
        observer: cython.Py_ssize_t
        k: cython.Py_ssize_t
        objects: cython.Py_ssize_t = self.offsets[0, self.who.shape[0]]
        for observer in range(self.who.shape[0]):
            for k in range(self.offsets[0, observer], self.offsets[0, observer + 1]):
                self._measure(self.who[observer], self.objects, k, numbers, k)
            for k in range(2 * self.offsets[1, observer], 2 * self.offsets[1, observer + 1]):
                self._measure(self.who[observer], self.ends, k, numbers, objects + k)

    @cython.cfunc
    def _turn(
        self,
        camera: cython.Py_ssize_t,
        origins: cython.double[:, :],
        rotations: cython.double[:, :, :],
        points: cython.double[:, :],
        place: cython.double[:, ::1],
    ) -> cython.void:
        """Write points (n, 3) of the world in the frame of a camera."""
        point: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for point in range(points.shape[0]):
            x: cython.double = points[point, 0] - origins[camera, 0]
            y: cython.double = points[point, 1] - origins[camera, 1]
            z: cython.double = points[point, 2] - origins[camera, 2]
            # Products with columns: the transposed rotation leads from the world into the camera's axes.
            for n in range(3):
                place[point, n] = (
                    rotations[camera, 0, n] * x + rotations[camera, 1, n] * y + rotations[camera, 2, n] * z
                ) + self.calibration[camera, n]

    @cython.cfunc
    def _see_objects(self, camera: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Note the targets that a camera sees behind `count` earlier ones; returns their number then."""
        across: cython.double = self.slopes[camera, 0]
        limited: cython.bint = not isinf(across)
        target: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for target in range(self.nearest2.shape[0]):
            x: cython.double = self.place[target, 0]
            y: cython.double = self.place[target, 1]
            height2: cython.double = self.place[target, 2] * self.place[target, 2]
            distance2: cython.double = x * x + y * y + height2
            # `not >` leaves NaN out, too.
            if not distance2 > self.nearest2[target]:
                continue
            # As measured on the reference, two planes limit the view horizontally, but a cone vertically.
            if limited and (x * across + y < 0.0 or x * across - y < 0.0 or height2 > self.sine2[camera] * distance2):
                continue
            if self.occluder2[camera] > 0.0 and self._is_hidden(camera, target, sqrt(distance2)):
                continue
            for n in range(3):
                self.objects[count, n] = self.place[target, n]
            self.target[count] = target
            count += 1
        return count

    @cython.cfunc
    def _is_hidden(self, camera: cython.Py_ssize_t, target: cython.Py_ssize_t, distance: cython.double) -> cython.bint:
        """Whether a target is behind the torso of a robot, a sphere: never its own, nor the observer's."""
        robot: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for robot in range(self.torsos.shape[0]):
            if robot == self.rows[camera] or robot == self.owner[target]:
                continue
            along: cython.double = 0.0
            across2: cython.double = 0.0
            for n in range(3):
                along += self.torsos[robot, n] * (self.place[target, n] / distance)
                across2 += self.torsos[robot, n] * self.torsos[robot, n]
            # Pythagoras: the squared perpendicular from the sphere's centre to the line of sight, which it has to meet
            # between the camera and the target.
            across2 -= along * along
            if 0.0 < along < distance and across2 < self.occluder2[camera]:
                return True
        return False

    @cython.cfunc
    def _see_lines(self, camera: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Note the parts of lines that a camera sees behind `count` earlier ones; returns their number then."""
        end: cython.Py_ssize_t
        n: cython.Py_ssize_t
        cut = cython.declare(cython.double[2])
        for end in range(self.nearest2.shape[0], self.place.shape[0], 2):
            cut[0] = cut[1] = 0.0
            if not isinf(self.slopes[camera, 0]):
                cut[0] = self._cut(camera, end, end + 1)
                cut[1] = self._cut(camera, end + 1, end)
            if cut[0] + cut[1] >= 1.0:
                continue
            for n in range(3):
                first: cython.double = self.place[end, n]
                second: cython.double = self.place[end + 1, n]
                self.ends[2 * count, n] = first + (second - first) * cut[0]
                self.ends[2 * count + 1, n] = second + (first - second) * cut[1]
            count += 1
        return count

    @cython.cfunc
    def _cut(self, camera: cython.Py_ssize_t, end: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.double:
        """The part of a line to cut off one end, by the five planes around a view (Liang-Barsky)."""
        cut: cython.double = 0.0
        n: cython.int
        for n in range(5):
            a: cython.double = _planes(self.place, end, self.slopes[camera, 0], self.slopes[camera, 1], n)
            if a < 0.0:
                b: cython.double = _planes(self.place, other, self.slopes[camera, 0], self.slopes[camera, 1], n)
                # The line meets the plane after this part. If both ends are outside, their parts add up to 1 at least,
                # and nothing is left. A parallel line outside is cut by more than its length.
                part: cython.double = a / (a - b - _TINY)
                if part > cut:
                    cut = part
        return cut

    @cython.cfunc
    def _measure(
        self,
        camera: cython.Py_ssize_t,
        points: cython.double[:, ::1],
        point: cython.Py_ssize_t,
        numbers: cython.double[:, ::1],
        k: cython.Py_ssize_t,
    ) -> cython.void:
        """Polar coordinates (distance, azimuth, elevation) of a point, m and rad, with noise."""
        x: cython.double = points[point, 0]
        y: cython.double = points[point, 1]
        z: cython.double = points[point, 2]
        distance: cython.double = sqrt(x * x + y * y + z * z)
        numbers[k, 0] = distance + numbers[k, 0] * self.noise[camera, 0] * distance
        numbers[k, 1] = atan2(y, x) + numbers[k, 1] * self.noise[camera, 1]
        # Rounding cannot make the distance smaller than a coordinate.
        numbers[k, 2] = asin(z / (distance + _TINY)) + numbers[k, 2] * self.noise[camera, 2]
