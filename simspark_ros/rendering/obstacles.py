"""Obstacles of a world as they look, in the world's frame."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.model import HeightField, Obstacle
from simspark_ros.rendering.meshes import Mesh, mesh_of
from simspark_ros.rendering.scenery import Colour


def obstacle_mesh(obstacle: Obstacle) -> tuple[Mesh, Colour]:
    """The mesh of an obstacle and its colour."""
    shape = obstacle.shape
    return (_hills(shape) if isinstance(shape, HeightField) else mesh_of(shape)), shape.rgba


def _hills(field: HeightField) -> Mesh:
    """The surface of a height field, with cells cut as for rays, and a wall down from its edge to height zero."""
    heights = np.array(field.heights)
    rows, columns = heights.shape
    x, y = (np.linspace(-0.5, 0.5, count) * size for count, size in zip((columns, rows), field.size, strict=True))
    across, along = np.meshgrid(x, y)
    vertices = np.stack((across, along, heights), axis=2).reshape(-1, 3)
    slope_y, slope_x = np.gradient(heights, y, x)
    normals = np.stack((-slope_x, -slope_y, np.ones_like(heights)), axis=2).reshape(-1, 3)
    corner = np.arange(rows * columns).reshape(rows, columns)
    base, east = corner[:-1, :-1].ravel(), corner[:-1, 1:].ravel()
    north, far = corner[1:, :-1].ravel(), corner[1:, 1:].ravel()
    top = np.concatenate((np.column_stack((base, east, far)), np.column_stack((base, far, north))))
    # Around the field, counter-clockwise seen from above.
    rim = np.concatenate((corner[0, :-1], corner[:-1, -1], corner[-1, :0:-1], corner[:0:-1, 0]))
    upper, lower = vertices[rim], vertices[rim] * (1.0, 1.0, 0.0)
    middle = len(rim)
    after = np.roll(np.arange(middle), -1)
    first = len(vertices) + np.arange(middle)
    wall = np.concatenate(
        (
            np.column_stack((first + middle, len(vertices) + middle + after, len(vertices) + after)),
            np.column_stack((first + middle, len(vertices) + after, first)),
        )
    )
    outward = upper * (1.0, 1.0, 0.0)
    all_normals = np.concatenate((normals, outward, outward))
    length = np.sqrt((all_normals * all_normals).sum(axis=1))
    return Mesh(
        np.concatenate((vertices, upper, lower)) + field.position,
        all_normals / np.where(length > 0.0, length, 1.0)[:, None],
        np.concatenate((top, wall)),
    )
