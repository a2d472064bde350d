"""Distortion of lenses by five coefficients: the model of Brown and Conrady, `plumb_bob` in sensor_msgs/CameraInfo.

Points are (2, N): x to the right and y down, each divided by the distance along the axis. Coefficients are in OpenCV's
order: k1, k2, p1, p2, k3.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array

Coefficients = tuple[float, float, float, float, float]

NO_DISTORTION: Coefficients = (0.0, 0.0, 0.0, 0.0, 0.0)

_ITERATIONS = 100
_CLOSE = 1e-9


class DistortionError(ValueError):
    """No ray of light falls on a point of the picture."""


def distorted(points: Array, coefficients: Coefficients) -> Array:
    """Places (2, N) at which the lens shows points."""
    x, y = points
    radial, dx, dy = _shift(x, y, coefficients)
    return np.stack((x * radial + dx, y * radial + dy))


def undistorted(points: Array, coefficients: Coefficients) -> Array:
    """The points that the lens shows at these places.

    Raises:
        DistortionError: the lens shows nothing at one of the places.
    """
    x, y = points
    with np.errstate(all="ignore"):
        for _ in range(_ITERATIONS):
            radial, dx, dy = _shift(x, y, coefficients)
            before, (x, y) = (x, y), ((points[0] - dx) / radial, (points[1] - dy) / radial)
            if max(np.abs(x - before[0]).max(initial=0.0), np.abs(y - before[1]).max(initial=0.0)) < _CLOSE:
                break
        found = np.stack((x, y))
        # If the radius in the picture shrinks while the radius of the point grows, the iteration finds another branch.
        r2 = x * x + y * y
        k1, k2, _, _, k3 = coefficients
        grows = 1.0 + r2 * (3.0 * k1 + r2 * (5.0 * k2 + 7.0 * r2 * k3)) > 0.0
        exact = np.abs(distorted(found, coefficients) - points).max(axis=0, initial=0.0) < 1e-6
    if not (grows & exact).all():
        raise DistortionError("the distortion leaves parts of the picture without light; use smaller coefficients")
    return found


def _shift(x: Array, y: Array, coefficients: Coefficients) -> tuple[Array, Array, Array]:
    """Radial factor, and tangential shifts."""
    k1, k2, p1, p2, k3 = coefficients
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return radial, 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x), p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y
