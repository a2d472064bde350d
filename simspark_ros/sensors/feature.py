"""What a sensor measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Quantity = Literal["", "distance", "angle"]
"""Of all values of a feature: m, rad, or anything else."""

_SAME = 1e-4
"""Bearings that differ by less, rad, are those of the same beam."""


@dataclass(frozen=True)
class Feature:
    """One thing that a sensor tells: the distances of a scan, the angles of goals, a pose.

    Attributes:
        name: by which programs find it, whatever sensor tells it.
        columns: names of its values; of a picture those of one pixel.
        quantity: of distances and angles a robot can learn where to expect which (`perceptual_model`).
        bearings: in which each distance is measured about the z axis of the sensor's frame, 0 = along x, rad; empty if
            they change.
    """

    name: str
    columns: tuple[str, ...]
    quantity: Quantity = ""
    bearings: tuple[float, ...] = ()

    def is_measured_as(self, other: Feature) -> bool:
        """Whether each value means the same; bearings that are not known are any."""
        a, b = self.bearings, other.bearings
        return (self.name, self.columns, self.quantity) == (other.name, other.columns, other.quantity) and (
            not a or not b or all(abs(x - y) < _SAME for x, y in zip(a, b, strict=True))
        )
