"""Readings without a fixed number of columns: seen objects and heard messages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Sight:
    """Observations of M observers in one cycle: ragged arrays in observer order.

    Polar coordinates are (distance m, azimuth rad, elevation rad) in the camera's frame (x forward, y left, z up):
    azimuth is positive to the left, elevation positive upward. Noise is already applied.

    Attributes:
        observers: (M,) rows of the robots that look, ascending.
        object_offset: (M + 1,) the objects of observer i are `object_offset[i]:object_offset[i + 1]`.
        object_target: (K,) index into the targets of the layout (`Layout.targets`), ascending for one observer.
        object_polar: (K, 3).
        line_offset: (M + 1,) the same for lines.
        line_polar: (L, 2, 3) both ends of the visible part of each line.
    """

    observers: NDArray[np.int64]
    object_offset: NDArray[np.int64]
    object_target: NDArray[np.int64]
    object_polar: NDArray[np.float64]
    line_offset: NDArray[np.int64]
    line_polar: NDArray[np.float64]


@dataclass(frozen=True)
class Heard:
    """A message heard by one robot.

    Attributes:
        handle: of the robot that hears.
        team: of the speaker.
        direction: from the hearer to the speaker, positive = left, rad: in the hearer's team's field frame (0 = toward
            the opponent's goal), or relative to its head, as the world's speech settings say; None for its own message.
        time: game time when it was heard, s.
    """

    handle: int
    team: str
    direction: float | None
    message: str
    time: float
