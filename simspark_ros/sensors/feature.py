"""Features: the quantities that sensors measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Quantity = Literal["", "distance", "angle"]
"""Quantity of all values of a feature: distances, m, angles, rad, or anything else."""

_SAME = 1e-4
"""Difference, rad, below which bearings belong to the same beam."""


@dataclass(frozen=True)
class Feature:
    """One quantity that a sensor measures: the distances of a scan, the angles of goals, a pose.

    Attributes:
        name: name by which programs find the feature, with any sensor.
        columns: names of the values; for a picture the names of one pixel's values.
        quantity: quantity of the values; distances and angles can be learned and expected (`perceptual_model`).
        bearings: direction of each distance about the z axis of the sensor's frame, 0 = along x, rad; empty if they
            change.
    """

    name: str
    columns: tuple[str, ...]
    quantity: Quantity = ""
    bearings: tuple[float, ...] = ()

    def is_measured_as(self, other: Feature) -> bool:
        """Whether each value has the same meaning; unknown bearings match any."""
        a, b = self.bearings, other.bearings
        return (self.name, self.columns, self.quantity) == (other.name, other.columns, other.quantity) and (
            not a or not b or all(abs(x - y) < _SAME for x, y in zip(a, b, strict=True))
        )
