"""The last line of defence against numbers that would ruin a Bullet world."""

from __future__ import annotations

import math
from collections.abc import Iterable

from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import Vector

Quaternion = tuple[float, float, float, float]


def require_finite(values: Iterable[float], what: str) -> None:
    """Refuse numbers that are not finite.

    Raises:
        PhysicsError: names what they are.
    """
    if not all(map(math.isfinite, values)):
        raise PhysicsError(f"{what} must be finite numbers, not {list(values)}")


def shortened(vector: Iterable[float], longest: float) -> Vector:
    """The vector, or one of that length in its direction if it is longer."""
    x, y, z = vector
    largest = max(abs(x), abs(y), abs(z))
    if largest > longest:
        # Scaled first: squares of very large numbers would leave the range of floats.
        x, y, z = x / largest * longest, y / largest * longest, z / largest * longest
    length = math.sqrt(x * x + y * y + z * z)
    if length <= longest:
        return x, y, z
    return x / length * longest, y / length * longest, z / length * longest


def inside(position: Iterable[float], reach: float) -> Vector:
    """The point of the cube -reach ... reach that is nearest to a position."""
    x, y, z = (min(max(value, -reach), reach) for value in position)
    return x, y, z


def unit_quaternion(quaternion: Quaternion) -> Quaternion:
    """The quaternion scaled to length one.

    Raises:
        PhysicsError: it is zero.
    """
    largest = max(map(abs, quaternion))
    if largest == 0.0:
        raise PhysicsError("a quaternion of zeros is no orientation")
    x, y, z, w = (value / largest for value in quaternion)
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length
