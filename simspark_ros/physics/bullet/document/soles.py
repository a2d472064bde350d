"""Corners that a robot stands on.

Bullet keeps four points where a hull or a cylinder meets the ground, and finds one a step, the deepest. The four change
without end, each change rocks the robot, and its friction changes, too: Kinova's gen3, 0.5 m above a foot of 9 cm, fell
over after two seconds. Small spheres at corners have points of their own, which stay.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.geometry.hulls import sharp_corners
from simspark_ros.physics.geometry.kinematics import link_frames, lowest_point
from simspark_ros.physics.geometry.transforms import Array, Transform, on_circle, product
from simspark_ros.physics.model import ArticulatedModel, Shape, ShapeKind, Vector

CORNER_RADIUS = 0.001
"""Radius of the spheres at corners, m."""

_FLAT = 0.0005
"""Height above the lowest corner up to which corners belong to the sole, m; of a wheel only one facet does."""

_UPRIGHT = 0.999
"""Least cosine of the lean of a cylinder that stands."""

# Directions in which the outermost corner of a sole is taken: eight, beside the directions of usual symmetric soles.
_DIRECTIONS = on_circle(np.pi / 8.0 + np.pi / 4.0 * np.arange(8)).T
# Points that stand for the rim of a cylinder of radius 1.
_RIM = on_circle(np.pi / 12.0 * np.arange(24))


def soles(model: ArticulatedModel) -> dict[str, list[Vector]]:
    """Places of spheres at up to eight corners of each sole, by link, in the link's frame, m; none for boxes.

    Soles are the lowest parts when all joints are at 0. A bolted robot has none.
    """
    if model.fixed_base:
        return {}
    found: dict[str, list[Vector]] = {}
    frames = link_frames(model)
    for link, shape, low in standing_corners(model):
        if shape.kind is not ShapeKind.BOX and len(low) > 2:
            outer = low[np.unique(product(low[:, :2], _DIRECTIONS).argmax(axis=0))]
            # Spheres inside the corners and above them by their radius touch the ground when the sole does.
            inward = low.mean(axis=0) - outer
            inward[:, 2] = 0.0
            outer += CORNER_RADIUS * inward / np.linalg.norm(inward, axis=1, keepdims=True)
            outer[:, 2] += CORNER_RADIUS
            x, y, z = product(outer - frames[link].position, frames[link].rotation).T.tolist()
            found.setdefault(link, []).extend(zip(x, y, z, strict=True))
    return found


def standing_corners(model: ArticulatedModel) -> list[tuple[str, Shape, Array]]:
    """Links with each of their solids and its corners (K, 3) on which the robot stands, in the base's frame, m."""
    frames = link_frames(model)
    solids = [(link.name, shape) for link in model.links for shape in link.collisions]
    ground = min((lowest_point(frames[link], shape) for link, shape in solids), default=0.0)
    corners = [_corners(frames[link] @ Transform.of(one.position, one.rpy), one) for link, one in solids]
    return [(*solid, low[low[:, 2] < ground + _FLAT]) for solid, low in zip(solids, corners, strict=True)]


def _corners(pose: Transform, shape: Shape) -> Array:
    """Corners (K, 3) of a box, a hull or the rims of an upright cylinder, in the base's frame, m; none of others."""
    if shape.is_boxed:
        places = sharp_corners(shape)
    elif shape.kind is ShapeKind.CYLINDER and abs(pose.rotation[2, 2]) > _UPRIGHT:
        radius, length = shape.size
        rim = np.column_stack((radius * _RIM, np.full(len(_RIM), length / 2.0)))
        places = np.concatenate([rim, rim * (1.0, 1.0, -1.0)])
    else:
        return np.zeros((0, 3))
    return pose.position + product(places, pose.rotation.T)
