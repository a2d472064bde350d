"""Drawings of programs for people who watch: particles, maps, features. The world does not depend on them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import shown
from simspark_ros.physics.engine import Array

Colours = NDArray[np.uint8]

MOST_DRAWINGS, LONGEST_NAME = 32, 128
MOST_POINTS, MOST_SEGMENTS = 10_000, 5_000
MOST_TEXTS, LONGEST_TEXT = 100, 64
MOST_CELLS = 512 * 512
FARTHEST = 1000.0
"""Greatest coordinate, m."""

ORANGE = (255, 140, 0)


def tinted(count: int, colour: tuple[int, int, int]) -> Colours:
    """The same colour `count` times, (count, 3)."""
    return np.tile(np.array(colour, np.uint8), (count, 1))


def _none() -> Colours:
    return np.zeros((0, 3), np.uint8)


@dataclass(frozen=True, eq=False)
class Plane:
    """A picture that lies in the world, such as a map.

    Attributes:
        pixels: (h, w, 3) colours; the first row is at the greatest y of the picture's frame, the first column at the
            least x.
        width, height: extent along the picture's own x and y, m.
        centre: place of its middle, m.
        heading: turn about the vertical, rad.
    """

    pixels: Colours
    width: float
    height: float
    centre: tuple[float, float, float]
    heading: float = 0.0

    def __post_init__(self) -> None:
        """Raise ValueError for a map that cannot be shown."""
        if self.pixels.ndim != 3 or self.pixels.shape[2] != 3 or not 0 < self.pixels[..., 0].size <= MOST_CELLS:
            raise ValueError(f"a map has to have 1 to {MOST_CELLS} cells")
        if not np.isfinite([*self.centre, self.heading]).all() or np.abs(self.centre).max() > FARTHEST:
            raise ValueError(f"a map has to be within {FARTHEST:g} m")
        if not (0.0 < self.width <= 2.0 * FARTHEST and 0.0 < self.height <= 2.0 * FARTHEST):
            raise ValueError(f"a map has to be 0 to {2.0 * FARTHEST:g} m wide and high")


@dataclass(frozen=True, eq=False)
class Drawing:
    """Points, lines, texts and a map, in the frame of the world, m.

    Attributes:
        points: (N, 3) places of dots, with `point_colours` (N, 3) and the diameter `point_size`.
        segments: (M, 2, 3) ends of lines, with `segment_colours` (M, 3).
        texts: x, y, z and text of each label.

    Raises:
        ValueError: the drawing is too large; the message says in what.
    """

    points: Array = field(default_factory=lambda: np.zeros((0, 3)))
    point_colours: Colours = field(default_factory=_none)
    point_size: float = 0.05
    segments: Array = field(default_factory=lambda: np.zeros((0, 2, 3)))
    segment_colours: Colours = field(default_factory=_none)
    texts: tuple[tuple[float, float, float, str], ...] = ()
    plane: Plane | None = None

    def __post_init__(self) -> None:
        """Check shapes, numbers and sizes."""
        counts = (
            ("points", len(self.points), MOST_POINTS),
            ("lines", len(self.segments), MOST_SEGMENTS),
            ("texts", len(self.texts), MOST_TEXTS),
        )
        for what, count, most in counts:
            if count > most:
                raise ValueError(f"a drawing has {count} {what}; at most {most} are allowed")
        if self.points.shape != (len(self.point_colours), 3) or self.segments.shape != (
            len(self.segment_colours),
            2,
            3,
        ):
            raise ValueError("each point and each line has to have three coordinates and a colour")
        numbers = [self.points.ravel(), self.segments.ravel(), np.array([text[:3] for text in self.texts]).ravel()]
        if not (np.abs(np.concatenate([*numbers, [self.point_size]])) <= FARTHEST).all():
            raise ValueError(f"coordinates have to be numbers up to {FARTHEST:g} m")
        if any(len(text[3]) > LONGEST_TEXT for text in self.texts):
            raise ValueError(f"a text may have at most {LONGEST_TEXT} characters")

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not (len(self.points) or len(self.segments) or self.texts or self.plane)

    @classmethod
    def of_poses(cls, poses: Array, colour: tuple[int, int, int] = ORANGE, length: float = 0.15) -> Drawing:
        """Poses (N, 3) in the plane, x, y (m) and heading (rad), as short lines along the headings."""
        starts = np.column_stack([poses[:, :2], np.full(len(poses), 0.05)])
        faces = np.column_stack([np.cos(poses[:, 2]), np.sin(poses[:, 2]), np.zeros(len(poses))])
        return cls(
            segments=np.stack([starts, starts + length * faces], axis=1), segment_colours=tinted(len(poses), colour)
        )


class Drawings:
    """The drawings of a simulation, by name; safe from any thread.

    Attributes:
        is_wanted: whether anybody watches; if nobody does, programs may save the work.
    """

    def __init__(self) -> None:
        self.is_wanted = False
        self._lock = threading.Lock()
        self._revision = 0
        self._kept: dict[str, tuple[int, Drawing]] = {}

    def put(self, name: str, drawing: Drawing) -> None:
        """Draw, in place of the earlier drawing of that name.

        Raises:
            ValueError: there are too many drawings, or the name is too long.
        """
        if not 0 < len(name) <= LONGEST_NAME:
            raise ValueError(f"the name of a drawing has to have 1 to {LONGEST_NAME} characters, not {shown(name)}")
        with self._lock:
            if name not in self._kept and len(self._kept) == MOST_DRAWINGS:
                empty = next((other for other, (_, one) in self._kept.items() if one.is_empty), None)
                if empty is None:
                    raise ValueError(f"there are {MOST_DRAWINGS} drawings already")
                del self._kept[empty]
            self._revision += 1
            self._kept[name] = self._revision, drawing

    def remove(self, name: str) -> None:
        """Remove a drawing."""
        if name in self._kept:
            self.put(name, Drawing())

    def since(self, revision: int) -> list[tuple[int, str, Drawing]]:
        """Revision, name and drawing of drawings newer than a revision, oldest first; a removed drawing is empty."""
        with self._lock:
            newer = [(at, name, drawing) for name, (at, drawing) in self._kept.items() if at > revision]
        return sorted(newer, key=lambda one: one[0])
