"""The last line of defence against numbers that would ruin an engine's world."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from simspark_ros.physics.engine import Array, JointControl, PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Vector

Quaternion = tuple[float, float, float, float]


def require_finite(values: Iterable[float], what: str) -> None:
    """Refuse numbers that are not finite.

    Raises:
        PhysicsError: names what they are.
    """
    if not all(map(math.isfinite, values)):
        raise PhysicsError(f"{what} must be finite numbers, not {list(values)}")


def require_joint_positions(model: ArticulatedModel, positions: Array) -> None:
    """Refuse joint positions that are not one finite number for each joint of a model.

    Raises:
        PhysicsError: names the model and what was given.
    """
    if np.shape(positions) != (len(model.joints),):
        raise PhysicsError(f"model '{model.name}' has {len(model.joints)} joints, not {np.shape(positions)}")
    require_finite(positions, "joint position")


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


def require_control(control: JointControl, shape: tuple[int, ...]) -> None:
    """Refuse a control that does not fit joints of that shape.

    Raises:
        PhysicsError: wrong sizes or numbers that are not finite (an infinite effort limit is allowed).
    """
    if not control.velocity.shape == control.effort_limit.shape == control.effort.shape == shape:
        raise PhysicsError(f"the arrays of a JointControl must have the shape {shape} of the state's joints")
    finite = np.isfinite(control.velocity).all() and np.isfinite(control.effort).all()
    # A limit may be infinite, not NaN.
    if not (finite and (control.effort_limit >= 0.0).all()):
        raise PhysicsError("a JointControl holds numbers that are not finite, or a negative effort limit")
