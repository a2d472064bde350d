"""Pictures of the cameras of the chosen robot, or of all robots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from simspark_ros.rendering.renderer import Picture

NONE, CHOSEN, ALL = "none", "chosen robot", "all robots"


class PicturesPanel:
    """A choice of cameras, and their pictures."""

    def __init__(self, gui: Any) -> None:
        self._gui = gui
        self._sheet: Any = None
        self._folder = gui.add_folder("Cameras")
        with self._folder:
            hint = "pictures of robots' cameras, as often as one core of the viewer's machine can draw them"
            self._choice = gui.add_dropdown("Show", (NONE, CHOSEN, ALL), initial_value=NONE, hint=hint)

    def wanted(self, chosen: Iterable[bool]) -> tuple[int, ...]:
        """Indices of the robots whose pictures are wanted; `chosen` says of each whether it is the chosen one."""
        if self._choice.value == NONE:
            return ()
        return tuple(index for index, one in enumerate(chosen) if one or self._choice.value == ALL)

    def show(self, sheet: Picture | None) -> None:
        """Show a sheet of pictures, none = hide the last one."""
        if sheet is None:
            if self._sheet is not None:
                self._sheet.remove()
                self._sheet = None
        elif self._sheet is None:
            with self._folder:
                self._sheet = self._gui.add_image(sheet, format="jpeg", jpeg_quality=80)
        else:
            self._sheet.image = sheet
