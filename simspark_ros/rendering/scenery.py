"""Goals, walls and obstacles as they look: nets that one can see through, though the physical goals are solid."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import HeightField, Obstacle, Vector
from simspark_ros.rendering.drawing.meshes import Colour, Mesh, box, joined, mesh_of
from simspark_ros.soccer.field import GOAL_COLOURS, Field

Bar = tuple[Vector, Vector]
"""Centre and edge lengths of a box, m."""

NET = (0.93, 0.94, 0.95, 1.0)
WALL = (0.50, 0.55, 0.60, 1.0)

_STRIP = 0.012
_NET_STEP = 0.1


def scenery(field: Field) -> list[tuple[Mesh, Colour]]:
    """Goals and walls of a field, in the world's frame, one mesh for each colour."""
    if not field.is_there:
        return []
    nets = [_net(field, sign) for sign in (-1, 1)]
    walls = [
        _above_ground(np.array(wall.centre), np.array(wall.size))
        for wall in field.boxes()
        if wall.name.startswith("wall")
    ]
    posts = [(_posts(field, sign), GOAL_COLOURS[side]) for side, sign in (("left", -1), ("right", 1))]
    return [*posts, (joined(nets), NET), (joined(walls), WALL)]


def _above_ground(centre: Array, size: Array) -> Mesh:
    """A box without its part below the ground, as the ground is painted behind everything."""
    low, high = np.maximum((centre - size / 2.0)[2], 0.0), (centre + size / 2.0)[2]
    return box(np.array([size[0], size[1], high - low]), np.array([centre[0], centre[1], (low + high) / 2.0]))


def _posts(field: Field, sign: int) -> Mesh:
    """Posts, crossbar and the frame that holds the net, all within the goal's solid boxes."""
    t, depth, height, width = field.goal_thickness, field.goal_depth, field.goal_height, field.goal_width
    line, back = field.length / 2.0 + t / 2.0, field.length / 2.0 + depth - t / 2.0
    side, top = (width + t) / 2.0, height + t / 2.0
    bars: list[Bar] = [((line, 0.0, top), (t, width + 2.0 * t, t)), ((back, 0.0, t / 4.0), (t, width, t / 2.0))]
    for y in (-side, side):
        bars.append(((line, y, height / 2.0), (t, t, height)))
        bars.append((((line + back) / 2.0, y, t / 4.0), (back - line, t / 2.0, t / 2.0)))
        bars.append((((line + back) / 2.0, y, top), (back - line, t / 2.0, t / 2.0)))
    return _boxes(bars, sign)


def _net(field: Field, sign: int) -> Mesh:
    depth, height, width = field.goal_depth, field.goal_height, field.goal_width
    front, back = field.length / 2.0 + field.goal_thickness, field.length / 2.0 + depth - _STRIP
    side, middle, s = (width + field.goal_thickness) / 2.0, (front + back) / 2.0, _STRIP
    bars: list[Bar] = []
    for y in _steps(-side, side):
        bars.append(((back, y, height / 2.0), (s, s, height)))
        bars.append(((middle, y, height), (back - front, s, s)))
    for z in _steps(0.0, height):
        bars.append(((back, 0.0, z), (s, 2.0 * side, s)))
        bars.extend(((middle, y, z), (back - front, s, s)) for y in (-side, side))
    for x in _steps(front, back):
        bars.append(((x, 0.0, height), (s, 2.0 * side, s)))
        bars.extend(((x, y, height / 2.0), (s, s, height)) for y in (-side, side))
    return _boxes(bars, sign)


def _steps(start: float, end: float) -> list[float]:
    values: list[float] = np.linspace(start, end, max(2, round((end - start) / _NET_STEP) + 1)).tolist()
    return values


def _boxes(bars: list[Bar], sign: int) -> Mesh:
    """Boxes of the right goal (sign 1), or mirrored for the left goal."""
    return joined(box(np.array(size), np.array(centre) * (sign, 1.0, 1.0)) for centre, size in bars)


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
