"""Looks into one robot: its joints, which sliders turn, its sensors, a plot; pushes it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from simspark_ros.protocol.monitor.inspection import InspectedJoint, InspectedKind, Readings
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.panels.elements import LastUse
from simspark_watching.viewer.panels.plot import Plot
from simspark_watching.viewer.panels.sensors import table_of

PERIOD, HANDS_OFF = 0.2, 2.0
"""Least time between two changes of values on the page, and from a slider's use until it follows its joint, s."""

_DIRECTIONS = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_SMALLEST = 1e-3


class RobotPanel:
    """The elements; `command` takes trainer commands, `heading` tells where the chosen robot faces, rad."""

    def __init__(
        self, gui: Any, inspection: Inspection, command: Callable[[str], None], heading: Callable[[], float]
    ) -> None:
        self._gui, self._inspection, self._command, self._heading = gui, inspection, command, heading
        self._kind: InspectedKind | None = None
        self._sliders: list[tuple[Any, float, LastUse]] = []
        self._due = 0.0
        self._push = gui.add_folder("Push", visible=False, expand_by_default=False)
        with self._push:
            self._impulse = gui.add_slider("Impulse, N s", 0.5, 50.0, 0.5, 5.0)
            group = gui.add_button_group("Push", tuple(_DIRECTIONS), hint="direction of the push, as the robot sees it")
            group.on_click(self._pushed)
        self._plot = Plot(gui)
        self._readings = gui.add_folder("Sensors", visible=False)
        with self._readings:
            self._sensors = gui.add_html("")
        self._joints = gui.add_folder("Joints", visible=False, expand_by_default=False)

    def show(self, readings: list[Readings]) -> None:
        """Show the newest readings, if it is time."""
        if self._inspection.kind() != self._kind:
            self._build(self._inspection.kind())
        self._plot.take(readings)
        now = time.monotonic()
        if not readings or self._kind is None or now < self._due:
            return
        self._due = now + PERIOD
        last = readings[-1]
        for (slider, scale, use), position in zip(self._sliders, last.positions, strict=False):
            if use.is_over:
                # Tenths of degrees, millimetres; zero without a sign.
                shown = round(position * scale, 1 if scale > 1.0 else 3) + 0.0
                slider.value = min(max(shown, slider.min), slider.max)
        self._sensors.content = table_of(self._kind, last)
        self._plot.show()

    async def _pushed(self, event: Any) -> None:
        forward, left = _DIRECTIONS[event.target.value]
        angle = self._heading()
        x = forward * math.cos(angle) - left * math.sin(angle)
        y = forward * math.sin(angle) + left * math.cos(angle)
        size = self._impulse.value
        self._command(f"(push (robot {self._inspection.chosen})(impulse {x * size:.4f} {y * size:.4f} 0))")

    def _build(self, kind: InspectedKind | None) -> None:
        """Make the sliders of a robot."""
        self._kind = kind
        for slider, _, _ in self._sliders:
            slider.remove()
        self._plot.offer(kind)
        with self._joints:
            self._sliders = [self._slider(joint) for joint in (kind.joints if kind else ())]
        self._joints.visible = bool(self._sliders)
        self._push.visible = kind is not None
        self._readings.visible = bool(kind and kind.sensors)
        self._sensors.content = ""

    def _slider(self, joint: InspectedJoint) -> tuple[Any, float, LastUse]:
        use = LastUse(HANDS_OFF)
        scale = math.degrees(1.0) if joint.unit == "rad" else 1.0
        lower, upper = joint.lower * scale, max(joint.upper * scale, joint.lower * scale + _SMALLEST)
        unit = "degrees" if joint.unit == "rad" else joint.unit
        slider = self._gui.add_slider(
            joint.name[:24], lower, upper, 0.1 if joint.unit == "rad" else _SMALLEST, min(max(0.0, lower), upper),
            disabled=not joint.is_free, hint=unit,
        )  # fmt: skip

        async def moved(event: Any) -> None:
            if event.client_id is None:
                return
            use.note()
            place = f"(robot {self._inspection.chosen})(joint {joint.name})"
            self._command(f"(turnJoint {place}(position {slider.value / scale:.4f}))")

        slider.on_update(moved)
        return slider, scale, use
