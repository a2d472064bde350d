"""Adds robots and objects to the world, and changes objects."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.robot_file import ROBOTS
from simspark_ros.robots.objects import settings_of
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.panels.elements import note_choice

SOLIDS: dict[str, Callable[[float, float, float], tuple[float, ...]]] = {
    "box": lambda length, width, height: (length, width, height),
    "sphere": lambda length, width, height: (length / 2.0,),
    "cylinder": lambda length, width, height: (length / 2.0, height),
    "capsule": lambda length, width, height: (length / 2.0, max(height - length, 0.001)),
    "ellipse": lambda length, width, height: (length / 2.0, width / 2.0, height),
}
"""Shapes of objects: their sizes as in world files, of length, width and height, m; round ones are as wide as long."""

_EDGES: dict[str, Callable[..., tuple[float, float, float]]] = {
    "box": lambda length, width, height: (length, width, height),
    "sphere": lambda radius: (2.0 * radius, 2.0 * radius, 2.0 * radius),
    "cylinder": lambda radius, height: (2.0 * radius, 2.0 * radius, height),
    "capsule": lambda radius, height: (2.0 * radius, 2.0 * radius, height + 2.0 * radius),
    "ellipse": lambda x, y, height: (2.0 * x, 2.0 * y, height),
}
"""Length, width and height of shapes by their sizes, m."""

COLOURS = {
    "grey": (0.7, 0.7, 0.7),
    "white": (1.0, 1.0, 1.0),
    "black": (0.1, 0.1, 0.1),
    "red": (0.8, 0.1, 0.1),
    "orange": (1.0, 0.5, 0.0),
    "yellow": (0.9, 0.8, 0.1),
    "green": (0.1, 0.6, 0.2),
    "blue": (0.1, 0.3, 0.8),
}
"""Colours of objects, shares of red, green and blue."""


class AddingPanel:
    """The elements; `command` takes trainer commands, `inspection` knows the chosen object."""

    def __init__(self, gui: Any, command: Callable[[str], None], inspection: Inspection) -> None:
        self._command, self._inspection = command, inspection
        self._kind = gui.add_dropdown("Robot", ROBOTS.names, hint="the robot appears where there is room")
        gui.add_button("add robot").on_click(self._add_robot)
        with gui.add_folder("Object", expand_by_default=False):
            hint = "a solid that can move; it appears where there is room, or takes the place of the chosen object"
            self._shape = gui.add_dropdown("Shape", tuple(SOLIDS), hint=hint)
            edges = {"Length, m": 0.4, "Width, m": 0.4, "Height, m": 0.2}
            self._edges = [
                gui.add_number(label, initial_value=value, min=0.001, max=100.0) for label, value in edges.items()
            ]
            self._mass = gui.add_number("Mass, kg", initial_value=1.0, min=0.001, max=1e5)
            self._colour = gui.add_dropdown("Colour", tuple(COLOURS))
            gui.add_button("add object").on_click(self._add_object)
            gui.add_button("change the chosen object").on_click(self._change_object)

    def show(self, chosen: RobotDescription | None) -> None:
        """Show the shape, sizes, mass and colour of an object that was chosen, to be changed."""
        # Another server may tell anything of an object, or nothing.
        with suppress(ValueError, KeyError, TypeError, AttributeError, StopIteration):
            if chosen is None or not chosen.is_object:
                return
            settings = settings_of(chosen)
            shape = next(filter(settings.__contains__, _EDGES))
            sizes = settings[shape]
            edges = _EDGES[shape](*(sizes if isinstance(sizes, list) else [sizes]))
            own = tuple(map(float, settings["colour"]))
            self._shape.value = shape
            for element, value in zip((*self._edges, self._mass), (*edges, settings["mass"]), strict=True):
                element.value = round(min(max(float(value), 0.001), 1e5), 4)
            self._colour.value = min(COLOURS, key=lambda name: math.dist(COLOURS[name], own))

    async def _add_robot(self, event: Any) -> None:
        self._command(f"(addRobot {self._kind.value})")

    async def _add_object(self, event: Any) -> None:
        self._command(f"(addObject {self._word()})")

    async def _change_object(self, event: Any) -> None:
        if self._inspection.chosen < 0:
            note_choice(event)
        else:
            self._command(f"(changeObject (robot {self._inspection.chosen}) {self._word()})")

    def _word(self) -> str:
        """The solid as trainer commands name it."""
        shape = self._shape.value
        sizes, colour = SOLIDS[shape](*(edge.value for edge in self._edges)), COLOURS[self._colour.value]
        numbers = (",".join(f"{number:g}" for number in group) for group in (sizes, (self._mass.value,), colour))
        return f"{shape}/{'/'.join(numbers)}"
