"""Settings of ODE's likeness that engines share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range


@dataclass(frozen=True)
class LikenessSettings(Checked):
    """Part of an engine's preset; see `physics.ode_likeness`."""

    cycle_time: Annotated[float, Range(0.0005, 0.1)]
    hinge_drift: Annotated[int, Range(0, 1)]
    hinge_erp: Annotated[float, Range(0.01, 1.0)]
    max_hinge_drift: Annotated[float, Range(0.001, 1.0)]
    stop_margin: Annotated[float, Range(0.0, 0.1)]
    stop_bounce: Annotated[float, Range(0.0, 1.0)]
    stop_erp: Annotated[float, Range(0.0, 1.0)]
    contact_layer: Annotated[float, Range(0.0, 0.01)]
