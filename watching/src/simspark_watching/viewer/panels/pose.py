"""Turns and lifts the chosen robot or object."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.panels.elements import LastUse

_HIGHEST, _HANDS_OFF = 100.0, 2.0
"""Greatest height, m, and time from an element's use until it shows the state again, s."""


class PosePanel:
    """The elements; `command` takes trainer commands, `inspection` knows the chosen robot or object."""

    def __init__(self, gui: Any, command: Callable[[str], None], inspection: Inspection) -> None:
        self._command, self._inspection = command, inspection
        hint = "from +x; what is turned is put upright"
        self._heading = gui.add_slider(
            "Heading, °", min=-180.0, max=180.0, step=1.0, initial_value=0.0, visible=False, hint=hint
        )
        hint = "height of the object's middle"
        self._height = gui.add_number(
            "Middle at, m", initial_value=0.0, min=0.0, max=_HIGHEST, step=0.01, visible=False, hint=hint
        )
        self._uses = {"heading": LastUse(_HANDS_OFF), "height": LastUse(_HANDS_OFF)}
        self._heading.on_update(self._on_move("heading", self._heading))
        self._height.on_update(self._on_move("height", self._height))

    def show(self, heading: float | None, height: float | None) -> None:
        """Show where the chosen one faces, rad, and its height, m; None = it is not for turning, or lifting."""
        degrees = None if heading is None else round(math.degrees(heading)) + 0.0
        metres = None if height is None else round(min(max(height, 0.0), _HIGHEST), 2)
        shown = (self._heading, self._uses["heading"], degrees), (self._height, self._uses["height"], metres)
        for element, use, value in shown:
            # Each change is a message to all browsers.
            if element.visible is not (value is not None):
                element.visible = value is not None
            if value is not None and use.is_over and element.value != value:
                element.value = value

    def _on_move(self, name: str, element: Any) -> Callable[[Any], Any]:
        """The function that viser calls; movements of an element that follow one another are undone together."""
        use = self._uses[name]

        async def moved(event: Any) -> None:
            if event.client_id is None:
                return
            drag = "" if use.is_over else "(drag)"
            use.note()
            self._command(f"(placeRobot (robot {self._inspection.chosen})({name} {element.value:g}){drag})")

        return moved
