"""Adds robots and objects to the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.robots.files.robot_file import ROBOTS

SOLIDS: dict[str, Callable[[float, float, float], tuple[float, ...]]] = {
    "box": lambda length, width, height: (length, width, height),
    "sphere": lambda length, width, height: (length / 2.0,),
    "cylinder": lambda length, width, height: (length / 2.0, height),
    "capsule": lambda length, width, height: (length / 2.0, max(height - length, 0.001)),
    "ellipse": lambda length, width, height: (length / 2.0, width / 2.0, height),
}
"""Shapes of objects: their sizes as in world files, of length, width and height, m; round ones are as wide as long."""


class AddingPanel:
    """The elements; `command` takes trainer commands."""

    def __init__(self, gui: Any, command: Callable[[str], None]) -> None:
        self._command = command
        self._kind = gui.add_dropdown("Robot", ROBOTS.names, hint="the robot appears where there is room")
        gui.add_button("add robot").on_click(self._add_robot)
        with gui.add_folder("Object", expand_by_default=False):
            self._shape = gui.add_dropdown(
                "Shape", tuple(SOLIDS), hint="a solid that can move; it appears where there is room"
            )
            edges = {"Length, m": 0.4, "Width, m": 0.4, "Height, m": 0.2}
            self._edges = [gui.add_number(label, value, min=0.001, max=100.0) for label, value in edges.items()]
            self._mass = gui.add_number("Mass, kg", 1.0, min=0.001, max=1e5)
            gui.add_button("add object").on_click(self._add_object)

    async def _add_robot(self, event: Any) -> None:
        self._command(f"(addRobot {self._kind.value})")

    async def _add_object(self, event: Any) -> None:
        shape = self._shape.value
        sizes = SOLIDS[shape](*(edge.value for edge in self._edges))
        self._command(f"(addObject {shape}/{','.join(f'{size:g}' for size in sizes)}/{self._mass.value:g})")
