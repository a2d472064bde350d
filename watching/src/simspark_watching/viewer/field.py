"""Meshes of the field: grass, lines, goals and walls, in the sizes that a server sends to monitors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import Obstacle
from simspark_ros.rendering.drawing.meshes import Colour, Mesh, joined, turned
from simspark_ros.rendering.ground import FLOOR, GRASS, LINE, LINE_WIDTH
from simspark_ros.rendering.scenery import obstacle_mesh, scenery
from simspark_ros.soccer.field import LARGEST, Field

MARGIN = 3.0
"""Grass beyond the lines, m."""
SURROUNDINGS: Colour = (0.30, 0.40, 0.31, 1.0)

_STRIPES = 20
_ROUND = 96
# Faces in one plane flicker: each of these layers lies a little above the one before, m.
_FLOOR, _GRASS, _LINES = -0.03, 0.0, 0.005
_NAMES = {
    "FieldLength": "length",
    "FieldWidth": "width",
    "GoalWidth": "goal_width",
    "GoalDepth": "goal_depth",
    "GoalHeight": "goal_height",
}


def field_of(usual: Field, environment: Mapping[str, str]) -> Field:
    """Return the field with the sizes of a monitor's environment; `usual` replaces missing and impossible ones."""
    sizes: dict[str, Any] = {}
    for name, size in _NAMES.items():
        try:
            value = float(environment.get(name, "nan"))
        except ValueError:
            continue
        if 0.0 < value <= LARGEST:
            sizes[size] = value
    return replace(usual, **sizes)


def pitch(field: Field, obstacles: Sequence[Obstacle] = ()) -> list[tuple[Mesh, Colour]]:
    """Return everything that stands still: field, goals and walls by colour, then the obstacles."""
    standing = [obstacle_mesh(obstacle) for obstacle in obstacles]
    if not field.is_there:
        floor = _rectangle(-field.wall_distance_x, -field.wall_distance_y, field.wall_distance_x, field.wall_distance_y)
        return [(floor, _colour(FLOOR)), *standing]
    grass = [(mesh, _colour(shade)) for mesh, shade in zip(_stripes(field), GRASS, strict=True)]
    floor = _rectangle(-field.wall_distance_x, -field.wall_distance_y, field.wall_distance_x, field.wall_distance_y)
    lines = joined([*_straight_lines(field), ring(field.centre_circle, LINE_WIDTH), ring(0.0, 3.0 * LINE_WIDTH)])
    flat = [(_at(floor, _FLOOR), SURROUNDINGS), *grass, (_at(lines, _LINES), _colour(LINE))]
    return [*flat, *scenery(field), *standing]


def _colour(shade: tuple[int, int, int]) -> Colour:
    return (shade[0] / 255.0, shade[1] / 255.0, shade[2] / 255.0, 1.0)


def _stripes(field: Field) -> tuple[Mesh, Mesh]:
    """The grass in two greens."""
    x, y = field.length / 2.0 + MARGIN, field.width / 2.0 + MARGIN
    step = field.length / _STRIPES
    count = math.ceil(x / step)
    shades: tuple[list[Mesh], list[Mesh]] = ([], [])
    for number in range(-count, count):
        left, right = max(number * step, -x), min((number + 1) * step, x)
        shades[number % 2].append(_at(_rectangle(left, -y, right, y), _GRASS))
    return joined(shades[0]), joined(shades[1])


def _straight_lines(field: Field) -> list[Mesh]:
    half = LINE_WIDTH / 2.0
    return [
        _rectangle(min(ax, bx) - half, min(ay, by) - half, max(ax, bx) + half, max(ay, by) + half)
        for (ax, ay, _), (bx, by, _) in field.lines()[: -field.circle_chords]
    ]


def _rectangle(left: float, low: float, right: float, high: float) -> Mesh:
    vertices = np.array([(left, low, 0.0), (right, low, 0.0), (right, high, 0.0), (left, high, 0.0)])
    return Mesh(vertices, _up(4), np.array([(0, 1, 2), (0, 2, 3)]))


def ring(radius: float, width: float) -> Mesh:
    """A circle's line on the ground, m; a disc if the radius is 0."""
    inner, outer = max(radius - width / 2.0, 0.0), radius + width / 2.0
    return turned([(inner, 0.0, 0.0, 1.0), (outer, 0.0, 0.0, 1.0)], _ROUND)


def _at(mesh: Mesh, height: float) -> Mesh:
    return mesh.placed(np.array([0.0, 0.0, height]), np.eye(3))


def _up(count: int) -> Array:
    return np.tile(np.array([0.0, 0.0, 1.0]), (count, 1))
