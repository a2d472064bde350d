"""A plot of one reading of the chosen robot over the last seconds of simulated time."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Literal

import numpy as np

from simspark_ros.protocol.monitor.inspection import InspectedKind, Readings

NONE = "none"
"""Choice that stands for no reading."""

SPAN, KEPT = 10.0, 2000
"""Simulated time shown, s, and most samples: a match may run in slow motion."""

_COLOUR = "#1c7ed6"

Field = Literal["positions", "velocities", "efforts", "sensors"]


class Plot:
    """The choice of a reading and its curve; while none is chosen, nothing is kept."""

    def __init__(self, gui: Any) -> None:
        from viser import uplot

        self._sources: dict[str, tuple[Field, int, float]] = {}
        self._samples: deque[tuple[float, float]] = deque(maxlen=KEPT)
        self._shown: tuple[str, int] = (NONE, -1)
        self._choice = gui.add_dropdown(
            "Plot", (NONE,), initial_value=NONE, hint="plot a reading over the last 10 s", visible=False
        )
        self._curve = gui.add_uplot(
            (np.zeros(0), np.zeros(0)),
            (uplot.Series(label="s"), uplot.Series(label="value", stroke=_COLOUR, width=1.5)),
            scales={"x": uplot.Scale(time=False)},
            height=180,
            visible=False,
        )

    def offer(self, kind: InspectedKind | None) -> None:
        """Offer the readings of a robot; the choice stays if the robot has that reading, too."""
        self._sources = _sources(kind) if kind else {}
        self._choice.options = (NONE, *self._sources)
        if self._choice.value not in self._choice.options:
            self._choice.value = NONE
        self._choice.visible = bool(self._sources)

    def take(self, readings: list[Readings]) -> None:
        """Keep the plotted values of new readings."""
        name, handle = self._choice.value, readings[-1].handle if readings else self._shown[1]
        if self._shown != (name, handle):
            self._shown = name, handle
            self._samples.clear()
            self._curve.visible = False
        source = self._sources.get(name)
        if source is None:
            return
        field, index, scale = source
        for one in readings:
            values = getattr(one, field)
            if index < len(values) and math.isfinite(values[index]):
                # Rounding errors of engines would fill an empty plot.
                self._keep(one.time, round(values[index] * scale, 6))

    def show(self) -> None:
        """Draw the values kept."""
        if self._samples:
            self._curve.data = tuple(np.array(self._samples).T.copy())
            self._curve.title = self._shown[0]
            self._curve.visible = True

    def _keep(self, time: float, value: float) -> None:
        if self._samples and time < self._samples[-1][0]:
            # Time went back: another match.
            self._samples.clear()
        self._samples.append((time, value))
        while self._samples[0][0] < time - SPAN:
            self._samples.popleft()


def _sources(kind: InspectedKind) -> dict[str, tuple[Field, int, float]]:
    """Places of readings, by their names: part of the message, index, factor from SI to the unit shown."""
    sources: dict[str, tuple[Field, int, float]] = {}
    for index, joint in enumerate(kind.joints):
        turns = joint.unit == "rad"
        unit, scale, effort = ("degrees", math.degrees(1.0), "N m") if turns else (joint.unit, 1.0, "N")
        sources.setdefault(f"{joint.name} position, {unit}", ("positions", index, scale))
        sources.setdefault(f"{joint.name} velocity, {unit}/s", ("velocities", index, scale))
        sources.setdefault(f"{joint.name} effort, {effort}", ("efforts", index, 1.0))
    for index, name in enumerate(kind.sensors):
        sources.setdefault(name, ("sensors", index, 1.0))
    return sources
