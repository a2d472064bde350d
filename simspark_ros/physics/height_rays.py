"""Rays against height fields: each goes from cell to cell, and meets the two triangles of each from above.

A cell is cut from its corner at least x and y to the opposite one.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.model import HeightField
from simspark_ros.physics.ray_entry import slab

# A ray that passes exactly between two triangles meets one of them.
_EDGE = 1e-9


def meet_height_field(field: HeightField, origins: Array, directions: Array) -> tuple[Array, Array]:
    """Distances (N,) at which rays with unit directions (N, 3) come down on a field, and normals (N, 3) there.

    A ray that does not come down on the field has an infinite distance.
    """
    heights = np.array(field.heights)
    shape = np.array([heights.shape[1] - 1, heights.shape[0] - 1])
    cell = np.array([*(np.array(field.size) / shape), 1.0])
    corner = np.array(field.position) - [field.size[0] / 2.0, field.size[1] / 2.0, 0.0]
    # Lengths along x and y in cells; distances along the rays stay in metres.
    start, course = (origins - corner) / cell, directions / cell
    distance, normal = np.full(len(start), np.inf), np.zeros_like(start)
    now, end = _inside(start, course, np.array([0.0, 0.0, field.lowest]), np.array([*shape, field.highest]))
    rays = np.flatnonzero(now <= end)
    entry = start[rays] + now[rays, None] * course[rays]
    # A ray along the border between two cells, or out of the grid, belongs to the cell that it enters.
    forward = np.where(course[rays, :2] >= 0.0, np.floor(entry[:, :2]), np.ceil(entry[:, :2]) - 1.0)
    cells = np.clip(forward, 0, shape - 1).astype(np.int64)
    while rays.size:
        met, slopes = _meet_cells(heights, cells, start[rays], course[rays])
        hit = np.isfinite(met)
        distance[rays[hit]] = met[hit]
        across = np.column_stack((-slopes[hit] / cell[:2], np.ones(np.count_nonzero(hit))))
        normal[rays[hit]] = across / np.sqrt((across * across).sum(axis=1))[:, None]
        cells, leave = _next_cells(cells, start[rays], course[rays])
        going = ~hit & (leave <= end[rays]) & (cells >= 0).all(axis=1) & (cells < shape).all(axis=1)
        rays, cells = rays[going], cells[going]
    return distance, normal


def _inside(start: Array, course: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Distances at which rays enter and leave a box with these corners; entry beyond exit where they miss it."""
    enter, leave = slab(low, high, (start >= low) & (start <= high), start, course)
    return np.maximum(enter.max(axis=1), 0.0), leave.min(axis=1)


def _meet_cells(heights: Array, cells: IntArray, start: Array, course: Array) -> tuple[Array, Array]:
    """Distances (K,) at which rays meet the surface of one cell each, and its slopes (K, 2) there, m per cell."""
    column, row = cells[:, 0], cells[:, 1]
    base, far = heights[row, column], heights[row + 1, column + 1]
    east, north = heights[row, column + 1], heights[row + 1, column]
    distance, slopes = np.full(len(cells), np.inf), np.zeros((len(cells), 2))
    local = start[:, :2] - cells
    for south, slope in (
        (True, np.column_stack((east - base, far - east))),
        (False, np.column_stack((far - north, north - base))),
    ):
        # Height above the plane of the triangle, and how fast it falls along the ray.
        above = start[:, 2] - base - (slope * local).sum(axis=1)
        fall = (slope * course[:, :2]).sum(axis=1) - course[:, 2]
        # From below, a ray does not come down on the surface.
        met = np.where(fall > 0.0, above / np.where(fall > 0.0, fall, 1.0), np.inf)
        met = np.where((met >= 0.0) & np.isfinite(met), met, np.inf)
        place = local + np.where(np.isfinite(met), met, 0.0)[:, None] * course[:, :2]
        nearer = _in_triangle(place, south) & (met < distance)
        distance[nearer], slopes[nearer] = met[nearer], slope[nearer]
    return distance, slopes


def _in_triangle(place: Array, south: bool) -> BoolArray:
    x, y = place[:, 0], place[:, 1]
    side = x - y if south else y - x
    return (side >= -_EDGE) & ((place >= -_EDGE) & (place <= 1.0 + _EDGE)).all(axis=1)


def _next_cells(cells: IntArray, start: Array, course: Array) -> tuple[IntArray, Array]:
    """The cell that each ray enters when it leaves its own, and the distance at which it does."""
    flat = course[:, :2]
    # The border ahead is the far one of a cell in the direction of an axis, and the near one against it.
    border = cells + (flat > 0.0)
    distance = np.where(flat == 0.0, np.inf, (border - start[:, :2]) / np.where(flat == 0.0, 1.0, flat))
    axis = distance.argmin(axis=1)
    rows = np.arange(len(cells))
    following = cells.copy()
    following[rows, axis] += np.sign(flat[rows, axis]).astype(np.int64)
    return following, distance[rows, axis]
