"""Features of a vision perceptor in the container of sensors: ball, poles, goals, lines by distance and angle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.sensors.feature import Feature

POLES = ("F1L", "F2L", "F1R", "F2R")
"""Poles at the corners of the field: of the left half at positive and negative y, then of the right half."""

POSTS = {"left": ("G1L", "G2L"), "right": ("G1R", "G2R")}

SIGHT_FEATURES = (
    Feature("ball_distance", ("ball",), "distance"),
    Feature("ball_angle", ("ball",), "angle"),
    Feature("pole_distance", POLES, "distance"),
    Feature("pole_angle", POLES, "angle"),
    Feature("goal_distance", tuple(POSTS), "distance"),
    Feature("goal_angle", tuple(POSTS), "angle"),
)
"""Distances along the ground (m) and angles to the left of the camera (rad), NaN for things out of sight."""

LINES = 40
"""Largest number of lines that are reported; the fields of the package have up to 37."""

_ENDS = tuple(f"line{number}_end{end}" for number in range(LINES) for end in (1, 2))

LINE_FEATURES = (Feature("line_distance", _ENDS), Feature("line_angle", _ENDS))
"""Distances and angles of both ends of the visible part of each line; lines have no order, NaN follows the last."""

_UNSEEN = (math.nan, math.nan)


def features_of_sight(seen: Mapping[str, Sequence[float]]) -> dict[str, Array]:
    """Values of `SIGHT_FEATURES` by name; `seen` has range (m), bearing and elevation (rad) by the names of marks."""
    flat = {name: (distance * math.cos(up), bearing) for name, (distance, bearing, up) in seen.items()}
    ball, poles = flat.get("B", _UNSEEN), [flat.get(name, _UNSEEN) for name in POLES]
    goals = [_between(flat.get(first, _UNSEEN), flat.get(second, _UNSEEN)) for first, second in POSTS.values()]
    pairs = (np.array([ball]), np.array(poles), np.array(goals))
    columns = (column for pair in pairs for column in pair.T)
    return {feature.name: column for feature, column in zip(SIGHT_FEATURES, columns, strict=True)}


def features_of_lines(ends: Array) -> dict[str, Array]:
    """Values of `LINE_FEATURES` by name, from (L, 2, 3) range (m), bearing and elevation (rad) of both ends."""
    ups = [[math.cos(up) for up in line] for line in ends[..., 2].tolist()]
    distance, angle = ends[..., 0] * np.reshape(ups, ends.shape[:2]), ends[..., 1]
    return {"line_distance": filled(distance, LINES), "line_angle": filled(angle, LINES)}


def polar(places: Array) -> Array:
    """Range along the ground (m), bearing (rad) and no elevation of (K, 3) places: (K, 3)."""
    found = [(math.hypot(x, y), math.atan2(y, x), 0.0) for x, y, _ in places.tolist()]
    return np.array(found).reshape(-1, 3)


def filled(rows: Array, most: int) -> Array:
    """The first `most` of rows (K, C), then NaN, as a flat array (most * C,)."""
    table = np.full((most, rows.shape[1]), np.nan)
    table[: len(rows)] = rows[:most]
    return table.ravel()


def _between(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The middle between two places in polar coordinates."""
    x, y = (sum(d * turn(angle) for d, angle in (first, second)) / 2.0 for turn in (math.cos, math.sin))
    return math.hypot(x, y), math.atan2(y, x)
