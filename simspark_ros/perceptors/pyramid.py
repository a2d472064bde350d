"""View pyramids of cameras: visible points, and visible parts of lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array, IntArray

FOCAL_LENGTH = 0.1
"""Distance of the image plane, m: lines are clipped there, and nearer objects are not seen."""

_AXES = 3

ROWS = 8
"""Measures of a point by one camera: three axes and five planes."""

CUT = _AXES
"""Row in which `Pyramids.clip` writes its result, over the first plane, which is not needed any more."""

_TINY = 1e-200
"""Number that avoids divisions by zero."""


@dataclass(frozen=True)
class Pyramids:
    """The views of M cameras, independent of their poses.

    Attributes:
        rows: (M, 8, 3) vectors in the camera's frame: its axes, then the inward normals of the planes around its
            view (right, left, bottom, top, image plane).
        shift: (M, 8) lengths to add to the distances along `rows`, m.
        sine2: (M, 1) squared sine of half the vertical opening.
        room: (M, 1) 1 where lines are seen, else 0.
    """

    rows: Array
    shift: Array
    sine2: Array
    room: Array

    @classmethod
    def of(cls, openings: Array, lines: Array, calibration: Array) -> Pyramids:
        """Pyramids of M cameras.

        Args:
            openings: (M, 2) half the horizontal and the vertical field of view, rad; infinite = no limit.
            lines: (M,) whether lines are seen.
            calibration: (M, 3) offsets of all points in the camera's frame, m.
        """
        rows = np.zeros((len(openings), ROWS, 3))
        rows[:, :_AXES] = np.eye(3)
        unlimited = np.isinf(openings[:, 0])
        horizontal, vertical = np.where(unlimited[:, None], 0.0, openings).T
        right, left, bottom, top, image = range(_AXES, ROWS)
        # The pyramid has |y| <= x tan(h) and |z| <= x tan(v), both as two planes through the camera. These normals need
        # no length of one: only signs, and ratios along one line, are used.
        rows[:, right, 0] = rows[:, left, 0] = np.tan(horizontal)
        rows[:, right, 1], rows[:, left, 1] = 1.0, -1.0
        rows[:, bottom, 0] = rows[:, top, 0] = np.tan(vertical)
        rows[:, bottom, 2], rows[:, top, 2] = 1.0, -1.0
        rows[:, image, 0] = 1.0
        # Without limits every point is on or inside every plane, and lower than any cone.
        rows[unlimited, _AXES:] = 0.0
        shift = (rows @ calibration[:, :, None])[:, :, 0]
        shift[:, image] -= np.where(unlimited, -1.0, FOCAL_LENGTH)
        sine2 = np.where(unlimited, 2.0, np.sin(vertical) ** 2)
        return cls(rows, shift, sine2[:, None], lines.astype(float)[:, None])

    def measure(self, points: Array, rotation: Array, origin: Array) -> Array:
        """Measure points along the axes of all cameras, and from the planes around their views, in one product.

        Args:
            points: (4, P) x, y, z and 1 of each point, world frame.
            rotation: (M, 3, 3) rotations from cameras to world.
            origin: (M, 3) places of the cameras.

        Returns:
            (M, 8, P) in the order of `rows`, m.
        """
        # The distance of p from a plane in the camera's frame is n . R^T (p - o) + d = (R n) . p + (d - (R n) . o), so
        # points in the world are multiplied by R n, and their 1 by the number in brackets.
        rows = np.empty((*self.shift.shape, 4))
        normals = np.matmul(self.rows, rotation.transpose(0, 2, 1), out=rows[:, :, :3])
        rows[:, :, 3] = self.shift - (normals @ origin[:, :, None])[:, :, 0]
        measured: Array = rows @ points
        return measured

    def inside(self, measured: Array, nearest2: Array) -> tuple[IntArray, IntArray]:
        """Find the visible points: (K,) cameras ascending, (K,) points ascending for one camera.

        The horizontal limit is a pair of planes, the vertical one a cone, as measured on the reference.

        Args:
            measured: (M, 8, T) result of `measure`.
            nearest2: (T,) squared distance up to which a point is not seen, m2.
        """
        squares = measured[:, :_AXES] * measured[:, :_AXES]
        height2 = squares[:, 2]
        distance2 = squares[:, 0] + squares[:, 1]
        distance2 += height2
        # Squares spare the root and the arcsine of points that are not seen.
        visible = np.minimum(measured[:, _AXES], measured[:, _AXES + 1]) >= 0.0
        visible &= height2 <= self.sine2 * distance2
        visible &= distance2 > nearest2
        cameras, points = visible.nonzero()
        return cameras, points

    def clip(self, ends: Array) -> tuple[IntArray, IntArray]:
        """Clip lines by the five planes (Liang-Barsky): (L,) cameras ascending, (L,) lines that are partly inside.

        Args:
            ends: (M, 8, 2, lines) result of `measure` for both ends. The part to cut off either end, as a fraction of
                the line, is written to `ends[:, CUT]`.
        """
        # An end at the distance a < 0 from a plane is cut by a / (a - b) of the line, with b of the other end. If both
        # ends are outside, both parts add up to 1, and nothing is left of the line.
        planes = ends[:, _AXES:]
        part = planes - planes[:, :, ::-1]
        # A parallel line outside is cut by more than its length.
        part -= _TINY
        np.divide(np.minimum(planes, 0.0), part, out=part)
        cut = np.maximum.reduce(part, 1, initial=0.0, out=ends[:, CUT])
        cameras, lines = (cut[:, 0] + cut[:, 1] < self.room).nonzero()
        return cameras, lines
