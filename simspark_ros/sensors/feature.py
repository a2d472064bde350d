"""What a sensor measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Quantity = Literal["", "distance", "angle"]
"""Of all values of a feature: m, rad, or anything else."""


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
