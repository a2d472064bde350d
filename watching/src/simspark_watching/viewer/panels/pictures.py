"""Pictures of the cameras of the chosen robot, or of all robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simspark_ros.rendering.renderer import Picture
from simspark_watching.broadcast.scene_recognition import SceneRobot

NONE, CHOSEN, ALL = "none", "chosen robot", "all robots"


class PicturesPanel:
    """A choice of cameras, and their pictures."""

    def __init__(self, gui: Any) -> None:
        self._gui = gui
        self._sheet: Any = None
        self._folder = gui.add_folder("Cameras")
        with self._folder:
            hint = "pictures of robots' cameras, as often as a core of the viewer's machine can draw"
            self._choice = gui.add_dropdown("Show", (NONE, CHOSEN, ALL), initial_value=NONE, hint=hint)

    def wanted(self, robots: Sequence[SceneRobot], chosen: int) -> tuple[int, ...]:
        """Indices of the robots whose pictures are wanted; `chosen` is the handle of the one that is looked into."""
        if self._choice.value == ALL:
            return tuple(range(len(robots)))
        if self._choice.value == CHOSEN and chosen >= 0:
            return tuple(index for index, robot in enumerate(robots) if robot.handle == chosen)
        return ()

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
