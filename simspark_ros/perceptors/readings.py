"""Readings without a fixed number of columns: seen objects, detections and heard messages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass
class Sight:
    """Observations of M observers in one cycle: ragged arrays in observer order; not to be changed, as `Percepts`.

    Polar coordinates are (distance m, azimuth rad, elevation rad) in the camera's frame (x forward, y left, z up):
    azimuth is positive to the left, elevation positive upward. Noise is already applied.

    Attributes:
        observers: (M,) rows of the robots that look, ascending.
        object_offset: (M + 1,) first object of each observer: observer i has `object_offset[i]:object_offset[i + 1]`.
        object_target: (K,) index into the targets of the layout (`Layout.targets`), ascending for one observer.
        object_polar: (K, 3) polar coordinates of each object.
        line_offset: (M + 1,) first line of each observer, likewise.
        line_polar: (L, 2, 3) polar coordinates of both ends of the visible part of each line.
    """

    observers: NDArray[np.int64]
    object_offset: NDArray[np.int64]
    object_target: NDArray[np.int64]
    object_polar: NDArray[np.float64]
    line_offset: NDArray[np.int64]
    line_polar: NDArray[np.float64]

    def observer(self, row: int) -> int | None:
        """The number of the observer in a row of the robots; None if that robot does not look."""
        number = int(self.observers.searchsorted(row))
        return number if number < len(self.observers) and self.observers[number] == row else None

    def objects_of(self, observer: int) -> slice:
        """Slice of the objects that an observer sees."""
        return slice(*self.object_offset[observer : observer + 2].tolist())

    def lines_of(self, observer: int) -> slice:
        """Slice of the lines that an observer sees."""
        return slice(*self.line_offset[observer : observer + 2].tolist())


class Heard(NamedTuple):
    """A message heard by one robot.

    Attributes:
        handle: handle of the robot that hears.
        team: team of the speaker.
        direction: direction to the speaker, positive = left, rad: in the hearer's team's field frame (0 = toward the
            opponent's goal), or relative to its head, as the world's speech settings say; None for its own message.
        time: game time when it was heard, s.
    """

    handle: int
    team: str
    direction: float | None
    message: str
    time: float


class Detected(IntEnum):
    """Kinds of things that detectors find."""

    BALL = 0
    GOALPOST = 1
    ROBOT = 2


class Crossing(NamedTuple):
    """A crossing of lines of the field.

    Attributes:
        pixel: (2,) column and row.
        headings: (R,) directions of the lines that go out from it in the picture, ascending, 0 to 2 pi, rad; 0 is to
            the right along the columns, then clockwise as seen.
        position: (3,) place in the detector's frame, m.
        rays: (R, 3) unit vectors along these lines in the detector's frame.
    """

    pixel: NDArray[np.float64]
    headings: NDArray[np.float64]
    position: NDArray[np.float64]
    rays: NDArray[np.float64]


class Ellipse(NamedTuple):
    """A circle on the ground.

    Attributes:
        pixel: (2,) column and row of its middle.
        box: (4,) least column and row, greatest column and row of its part in the picture.
        position: (3,) place of its middle in the detector's frame, m.
        diameter: its diameter, m.
    """

    pixel: NDArray[np.float64]
    box: NDArray[np.float64]
    position: NDArray[np.float64]
    diameter: float


class Markings(NamedTuple):
    """The detected crossings and circles of the field's lines."""

    crossings: tuple[Crossing, ...] = ()
    ellipses: tuple[Ellipse, ...] = ()


class Detections(NamedTuple):
    """The report of one detector in one cycle: K things and L lines, with all errors.

    Attributes:
        kind: (K,) `Detected` of each thing.
        team: (K,) team of a robot, or of the goal of a post: 0 unknown, 1 own, 2 opponent.
        number: (K,) number of a robot, 0 = unknown; 1 for left and 2 for right posts, as seen from before the goal.
        state: (K,) state of a robot: 1 standing, 2 fallen; else 0.
        facing: (K,) facing of a robot: 1 toward the camera, 2 away, 3 left, 4 right in the picture; else 0.
        pixel: (K, 2) column and row of the centre in the picture.
        box: (K, 4) least column and row, greatest column and row of the part in the picture.
        position: (K, 3) centre of the box around the thing, in the detector's frame, m.
        size: (K, 3) edges of that box along the axes of `map`, m.
        axes: (3, 3) axes of `map` in the detector's frame.
        line_pixels: (L, 2, 2) ends of the visible part of each line in the picture.
        lines: (L, 2, 3) ends of the visible part of each line in the detector's frame, m.
        in_map: (K, 3) positions in `map` by the robot's belief about its own pose, m.
        covariance: (K, 3, 3) covariances of `in_map`, m2.
        velocity: (K, 3) velocities in `map`, m/s.
        heading: (K,) headings of robots in `map`, rad; else 0.
        pose: (3, 4) rotation and position of the robot's base frame in `map`, by the robot's belief.
        markings: crossings and circles.
    """

    kind: NDArray[np.int64]
    team: NDArray[np.int64]
    number: NDArray[np.int64]
    state: NDArray[np.int64]
    facing: NDArray[np.int64]
    pixel: NDArray[np.float64]
    box: NDArray[np.float64]
    position: NDArray[np.float64]
    size: NDArray[np.float64]
    axes: NDArray[np.float64]
    line_pixels: NDArray[np.float64]
    lines: NDArray[np.float64]
    in_map: NDArray[np.float64]
    covariance: NDArray[np.float64]
    velocity: NDArray[np.float64]
    heading: NDArray[np.float64]
    pose: NDArray[np.float64]
    markings: Markings = Markings()
