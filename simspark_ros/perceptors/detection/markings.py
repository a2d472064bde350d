"""Crossings of lines and the centre circle in pictures of detectors."""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from simspark_ros.perceptors.detection.detecting import DetectionParameters, Viewpoint, errors
from simspark_ros.perceptors.readings import Crossing, Ellipse, Markings
from simspark_ros.physics.engine import Array
from simspark_ros.soccer.field import Field

_SAME_PLACE = 1e-6
"""Places nearer to each other than this are the same, m."""
_STEP = 0.02
"""Way along a line that shows its direction in the picture, m."""
_ROUND = 48
"""Number of points on the circle, from which its box is made."""


class FieldMarkings(NamedTuple):
    """Crossings and the centre circle of a field.

    Attributes:
        points: (C, 3) crossings, m.
        rays: C arrays (R, 3) of unit vectors along the lines that go out from each crossing.
        circle: (_ROUND + 1, 3) middle of the centre circle and points on it, m; None without a field.
        diameter: diameter of the centre circle, m.
    """

    points: Array
    rays: tuple[Array, ...]
    circle: Array | None
    diameter: float

    @classmethod
    def of(cls, field: Field) -> FieldMarkings:
        """The markings of a field; crossings are corners, T and X shapes, and halfway line with circle."""
        if not field.is_there:
            return cls(np.zeros((0, 3)), (), None, 0.0)
        radius = field.centre_circle
        # The circle's chords come last.
        straight = np.array(field.lines()[: -field.circle_chords])[:, :, :2]
        found: dict[tuple[float, float], set[tuple[float, float]]] = {}
        for pair in combinations(straight, 2):
            place = _meeting(*pair)
            if place is not None:
                found.setdefault(_rounded(place), set()).update(_rays(place, pair))
        for y in (-radius, radius):
            found[_rounded(np.array([0.0, y]))] = {(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)}
        turns = np.arange(_ROUND) * (2.0 * math.pi / _ROUND)
        circle = np.vstack((np.zeros(3), radius * np.stack((np.cos(turns), np.sin(turns), np.zeros(_ROUND)), 1)))
        rays = tuple(_on_ground(sorted(those)) for those in found.values())
        return cls(_on_ground(list(found)), rays, circle, 2.0 * radius)


def find_markings(
    there: FieldMarkings, place: Viewpoint, options: DetectionParameters, random: np.random.Generator
) -> Markings:
    """The markings with their middle in one picture, with the errors of all detections."""
    crossings = []
    for point, rays in zip(there.points, there.rays, strict=True):
        seen = _seen(np.vstack((point, point + _STEP * rays)), place, options, random)
        if seen is not None:
            pixels = place.imager.pixels(seen)
            away = pixels[1:] - pixels[0]
            headings = np.sort(np.arctan2(away[:, 1], away[:, 0]) % (2.0 * math.pi))
            crossings.append(Crossing(pixels[0], headings, _in_frame(seen[0], place), rays @ place.frame[:, :3]))
    ellipses = []
    if there.circle is not None and (seen := _seen(there.circle, place, options, random)) is not None:
        box = place.imager.boxes(seen[1:], np.zeros(1, np.int64))[0]
        ellipses.append(Ellipse(place.imager.pixels(seen[:1])[0], box, _in_frame(seen[0], place), there.diameter))
    return Markings(tuple(crossings), tuple(ellipses))


def _seen(points: Array, place: Viewpoint, options: DetectionParameters, random: np.random.Generator) -> Array | None:
    """Points (N, 3) of the world in optical axes, all with one error; None if the first is not found."""
    missed, error = random.random() < options.missed, errors(1, options, random)[0]
    seen: Array = (points - place.camera[:, 3]) @ place.camera[:, :3] @ error.T
    return seen if not missed and place.imager.shows(seen[:1])[0] else None


def _in_frame(point: Array, place: Viewpoint) -> Array:
    """A point (3,) of the optical axes, in the detector's frame."""
    return (place.camera[:, :3] @ point + place.camera[:, 3] - place.frame[:, 3]) @ place.frame[:, :3]


def _meeting(first: Array, second: Array) -> Array | None:
    """The point where two segments (2, 2) meet; None if they do not, or are parallel."""
    # At the meeting first[0] + s (first[1] - first[0]) = second[0] + t (second[1] - second[0]).
    along = np.stack((first[1] - first[0], second[0] - second[1]), 1)
    if abs(np.linalg.det(along)) < _SAME_PLACE:
        return None
    parts = np.linalg.solve(along, second[0] - first[0])
    # The tolerance is a length, but s and t count in lengths of the segments.
    slack = _SAME_PLACE / np.linalg.norm(along, axis=0)
    if (parts < -slack).any() or (parts > 1.0 + slack).any():
        return None
    meeting: Array = first[0] + parts[0] * (first[1] - first[0])
    return meeting


def _rays(place: Array, lines: tuple[Array, ...]) -> set[tuple[float, float]]:
    """Directions from a place on segments toward their ends, except ends at that very place."""
    away = np.concatenate(lines) - place
    length = np.linalg.norm(away, axis=1)
    far = length > _SAME_PLACE
    return {_rounded(ray) for ray in away[far] / length[far, None]}


def _rounded(pair: Array) -> tuple[float, float]:
    """A key that is equal for equal places; without a negative zero."""
    x, y = (np.round(pair, 6) + 0.0).tolist()
    return x, y


def _on_ground(pairs: list[tuple[float, float]]) -> Array:
    return np.array([(x, y, 0.0) for x, y in pairs]).reshape(-1, 3)
