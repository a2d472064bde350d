"""The data that a sensor expects at a pose, and the probability of others: p(s | l) of Monte Carlo localization.

There are two tables, as in "Robust Monte Carlo localization for mobile robots" (Thrun, Fox, Burgard, Dellaert, 2001):
expectations, learned without noise at the poses of a grid, and values of a Gaussian by the deviation from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.sensors.feature import Feature

Array = NDArray[np.float64]

DEVIATIONS = {"distance": 0.02, "angle": math.radians(5.0)}
"""Default standard deviations, m and rad: 20 mm and 5 degrees."""

_STEPS_PER_SIGMA, _WIDEST = 100, 6
_RESOLUTION = 1e-9


@dataclass(frozen=True)
class PoseGrid:
    """Poses in rows: x and y from `lower` to `upper` (m), headings all around.

    Attributes:
        step: distance between two places, m.
        headings: number of headings.
    """

    lower: tuple[float, float]
    upper: tuple[float, float]
    step: float
    headings: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of x, of y and of headings."""
        x, y = (math.floor((b - a) / self.step + _RESOLUTION) + 1 for a, b in zip(self.lower, self.upper, strict=True))
        return x, y, self.headings

    def poses(self) -> Array:
        """All poses (N, 3): x, y, heading."""
        cells = np.stack(np.meshgrid(*map(np.arange, self.shape), indexing="ij"), -1).reshape(-1, 3)
        return cells * self._steps + [*self.lower, 0.0]

    def cells(self, poses: Array) -> Array:
        """Coordinates (N, 3) of poses (N, 3) in the grid, in steps; headings from 0 to below `headings`."""
        cells: Array = (poses - [*self.lower, 0.0]) / self._steps
        cells[:, 2] %= self.headings
        return cells

    @property
    def _steps(self) -> Array:
        return np.array([self.step, self.step, 2.0 * math.pi / self.headings])


def evenly_spread(count: int, most: int) -> NDArray[np.int64]:
    """Indices of at most `most` of `count` things in a row; 0 = all."""
    return np.unique(np.linspace(0, count - 1, min(most or count, count)).round().astype(np.int64))


class PerceptualModel:
    """Expectations of one feature on a grid, and the sensor's deviations.

    Args:
        sigma: standard deviation, m or rad; None = the value in `DEVIATIONS`.
        floor: least probability of a value, for other errors of sensors.
        most: number of values of the feature that count, evenly spread; 0 = all, K.

    Attributes:
        feature, grid, sigma, floor: arguments as above.
        columns: (M,) indices of the values that count.
        expectations: (x, y, heading, M) values learned at the poses of the grid; angles as numbers on the unit circle.
    """

    def __init__(
        self, feature: Feature, grid: PoseGrid, sigma: float | None = None, floor: float = 0.01, most: int = 0
    ) -> None:
        if not feature.quantity:
            raise ValueError(f"feature '{feature.name}' has neither distances nor angles, so nothing can be expected")
        self.feature, self.grid = feature, grid
        self._is_angle = feature.quantity == "angle"
        # Angles are complex numbers on the unit circle, so that interpolation also works across the half turn.
        kind = np.complex64 if self._is_angle else np.float32
        self.columns = evenly_spread(len(feature.columns), most)
        self.expectations: NDArray[Any] = np.full((*grid.shape, len(self.columns)), np.nan, kind)
        self.sigma = DEVIATIONS[feature.quantity] if sigma is None else sigma
        self.floor = floor
        deviations = np.arange(_WIDEST * _STEPS_PER_SIGMA + 1) / _STEPS_PER_SIGMA
        self._gaussian = floor + (1.0 - floor) * np.exp(-0.5 * deviations**2)

    def learn(self, pose: Array, values: Array) -> None:
        """Learn to expect values (K,) at the pose of the grid nearest to a pose (3,); infinite values are unknown."""
        x, y, heading = np.rint(self.grid.cells(np.asarray(pose, np.float64)[None])[0]).astype(int).tolist()
        values = np.asarray(values)[self.columns]
        known = np.where(np.isfinite(values), values, np.nan)
        self.expectations[x, y, heading % self.grid.headings] = np.exp(1j * known) if self._is_angle else known

    def expected(self, poses: Array) -> Array:
        """Values (N, M) at poses (N, 3), interpolated in the grid; NaN if a pose of the grid around has none."""
        cells = self.grid.cells(poses)
        limits = np.array(self.grid.shape)
        base = np.floor(cells).astype(np.int64)
        # Places in the last row are at the far end of the cells before it.
        base[:, :2] = np.clip(base[:, :2], 0, np.maximum(limits[:2] - 2, 0))
        part = cells - base
        outside = ((part[:, :2] < 0.0) | (part[:, :2] > 1.0)).any(axis=1)
        table = self.expectations.reshape(-1, self.expectations.shape[-1])
        found: NDArray[Any] = np.zeros((len(poses), table.shape[1]), np.complex128 if self._is_angle else np.float64)
        for corner in product((0, 1), repeat=3):
            x, y, heading = np.minimum(base + corner, [*(limits[:2] - 1), 2 * limits[2]]).T
            weight = np.where(corner, part, 1.0 - part).prod(axis=1)
            index = (x * limits[1] + y) * limits[2] + heading % limits[2]
            found = found + weight[:, None] * table.take(index, 0)
        values: Array = np.where(np.isnan(found), np.nan, np.angle(found)) if self._is_angle else found
        values[outside] = np.nan
        return values

    def probability(self, poses: Array, values: Array) -> Array:
        """(N,) probabilities of values (K,) at poses (N, 3): the product over known, expected values; -1 if none."""
        values = values[self.columns]
        known = np.flatnonzero(np.isfinite(values))
        off = self.expected(poses)[:, known] - values[known]
        if self._is_angle:
            off = (off + math.pi) % (2.0 * math.pi) - math.pi
        expected = ~np.isnan(off)
        steps = np.abs(np.where(expected, off, 0.0)) * (_STEPS_PER_SIGMA / self.sigma)
        # The table ends at the widest deviation: a known value that is not expected is as unlikely.
        likely = self._gaussian.take(np.minimum(steps, len(self._gaussian) - 1).astype(np.int64))
        return np.where(expected.any(axis=1), np.where(expected, likely, self._gaussian[-1]).prod(axis=1), -1.0)
