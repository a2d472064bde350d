"""Adds robots and objects to the world, drags and removes the chosen one, and undoes that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.physics.engine import Array
from simspark_ros.robots.files.robot_file import ROBOTS
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.panels.handle import DragPanel

SOLIDS: dict[str, Callable[[float, float, float], tuple[float, ...]]] = {
    "box": lambda length, width, height: (length, width, height),
    "sphere": lambda length, width, height: (length / 2.0,),
    "cylinder": lambda length, width, height: (length / 2.0, height),
    "capsule": lambda length, width, height: (length / 2.0, max(height - length, 0.001)),
    "ellipse": lambda length, width, height: (length / 2.0, width / 2.0, height),
}
"""Shapes of objects: their sizes as in world files, of length, width and height, m; round ones are as wide as long."""


class ScenePanel:
    """The elements; `command` takes trainer commands, `inspection` knows the chosen robot."""

    def __init__(self, gui: Any, scene: Any, command: Callable[[str], None], inspection: Inspection) -> None:
        self._command, self._inspection = command, inspection
        self._kind = gui.add_dropdown("Robot", ROBOTS.names, hint="it comes where there is room")
        gui.add_button("add robot").on_click(self._add_robot)
        with gui.add_folder("Object", expand_by_default=False):
            self._shape = gui.add_dropdown(
                "Shape", tuple(SOLIDS), hint="a solid that moves; it comes where there is room"
            )
            edges = {"Length, m": 0.4, "Width, m": 0.4, "Height, m": 0.2}
            self._edges = [gui.add_number(label, value, min=0.001, max=100.0) for label, value in edges.items()]
            self._mass = gui.add_number("Mass, kg", 1.0, min=0.001, max=1e5)
            gui.add_button("add object").on_click(self._add_object)
        buttons = gui.add_button_group("Scene", ("remove", "undo"), hint="remove: the chosen robot or object")
        buttons.on_click(self._pressed)
        self._handle = DragPanel(gui, scene, "Drag the chosen", self._dragged)

    def show(self, place: Array | None) -> None:
        """Put the handle at the chosen robot (3,), m; None = none is chosen."""
        self._handle.show(place)

    async def _pressed(self, event: Any) -> None:
        if event.target.value == "undo":
            self._command("(undo)")
        else:
            self._command(f"(removeRobot (robot {self._inspection.chosen}))")

    async def _add_robot(self, event: Any) -> None:
        self._command(f"(addRobot {self._kind.value})")

    async def _add_object(self, event: Any) -> None:
        shape = self._shape.value
        sizes = SOLIDS[shape](*(edge.value for edge in self._edges))
        self._command(f"(addObject {shape}/{','.join(f'{size:g}' for size in sizes)}/{self._mass.value:g})")

    def _dragged(self, place: Array) -> None:
        self._command(f"(placeRobot (robot {self._inspection.chosen})(pos {place[0]:.4f} {place[1]:.4f}))")
