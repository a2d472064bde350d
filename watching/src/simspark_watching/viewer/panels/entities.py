"""A tree of what is in the world, which chooses a robot, an object or the ball, and buttons for the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from simspark_ros.physics.engine import Array
from simspark_ros.server.viewer_settings import BALL
from simspark_watching.broadcast.bodies import target_name
from simspark_watching.broadcast.scene_recognition import SceneObjects
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.panels.elements import note_choice
from simspark_watching.viewer.panels.handle import DragPanel
from simspark_watching.viewer.panels.pose import PosePanel

ROBOTS, OBJECTS = "robots", "objects"
BRANCHES = ("left", "right", ROBOTS, OBJECTS)
"""Branches of the tree: the teams, robots without a team, and objects that move."""

MARK = "● "
"""Sign before the chosen entity."""

_MOST_OBSTACLES = 12
"""Most obstacles that are named."""


def branches_of(objects: SceneObjects) -> dict[str, list[str]]:
    """Names of the entities of a scene by branch, as `target_rows` names them."""
    branches: dict[str, list[str]] = {label: [] for label in BRANCHES}
    if objects.ball is not None:
        branches[OBJECTS].append(BALL)
    for index, seen in enumerate(objects.robots):
        is_object = seen.described is not None and seen.described.is_object
        label = OBJECTS if is_object else seen.side.value if seen.side and seen.unum else ROBOTS
        name = target_name(objects, index)
        if name not in branches[label]:
            branches[label].append(name)
    return branches


class EntitiesPanel:
    """The tree and the buttons of the chosen entity.

    Args:
        gui, scene: viser's elements and scene.
        command: function that takes trainer commands.
        inspection: knowledge of the inside of robots, with the handle of the chosen one.
        choose: function that takes the name of the entity that was pressed; empty = none.
        follow: function that takes the name of the entity to follow.
        played: whether a log is shown, in which nothing can be moved.

    Attributes:
        chosen: name of the chosen entity; empty = none.
    """

    def __init__(
        self,
        gui: Any,
        scene: Any,
        command: Callable[[str], None],
        inspection: Inspection,
        choose: Callable[[str], object],
        follow: Callable[[str], object],
        *,
        played: bool,
    ) -> None:
        self._command, self._inspection, self._choose, self._follow = command, inspection, choose, follow
        self.chosen = ""
        self._branches: Mapping[str, Sequence[str]] = {}
        self._options: dict[str, dict[str, str]] = {label: {} for label in BRANCHES}
        self._rows = {label: gui.add_button_group(label, ("",), visible=False) for label in BRANCHES}
        for label, row in self._rows.items():
            row.on_click(self._on_press(label))
        self._obstacles = gui.add_html("", visible=False)
        hint = "follow or remove the chosen robot or object; undo: take back what was added, placed or removed"
        buttons = gui.add_button_group("Chosen", ("follow",) if played else ("follow", "remove", "undo"), hint=hint)
        buttons.on_click(self._pressed)
        self._handle = None if played else DragPanel(gui, scene, "Drag the chosen", self._dragged)
        self._pose = None if played else PosePanel(gui, command, inspection)

    def show(self, objects: SceneObjects) -> None:
        """Show the entities of another scene."""
        self._branches = branches_of(objects)
        self._renew()

    def show_obstacles(self, names: Sequence[str]) -> None:
        """Name what stands in the world."""
        more = f" and {len(names) - _MOST_OBSTACLES} more" if len(names) > _MOST_OBSTACLES else ""
        text = f"obstacles: {', '.join(names[:_MOST_OBSTACLES])}{more}"
        self._obstacles.content = f'<div style="font-size:12px;padding:2px 14px">{escape(text)}</div>'
        self._obstacles.visible = bool(names)

    def mark(self, chosen: str) -> None:
        """Mark the chosen entity."""
        self.chosen = chosen
        self._renew()

    def place(self, place: Array | None, heading: float = 0.0) -> None:
        """Put the handle at the chosen entity (3,), m, and show where it faces, rad; None = none is chosen."""
        if self._handle is not None:
            self._handle.show(place)
        if self._pose is not None:
            is_there = place is not None and self._inspection.chosen >= 0
            lifted = float(place[2]) if place is not None and is_there and self._is_object else None
            self._pose.show(heading if is_there else None, lifted)

    @property
    def _is_object(self) -> bool:
        return self.chosen in self._branches.get(OBJECTS, ())

    def _renew(self) -> None:
        """Change the rows that have changed: each change is a message to all browsers."""
        for label, row in self._rows.items():
            names = self._branches.get(label, ())
            marked = {(MARK if name == self.chosen else "") + name.removeprefix(f"{label} "): name for name in names}
            if marked != self._options[label]:
                self._options[label] = marked
                row.options = tuple(marked)
                row.visible = bool(marked)

    def _on_press(self, label: str) -> Callable[[Any], Any]:
        """The function that viser calls; a press on the chosen entity chooses none."""

        async def pressed(event: Any) -> None:
            name = self._options[label].get(event.target.value, "")
            self._choose("" if name == self.chosen else name)

        return pressed

    async def _pressed(self, event: Any) -> None:
        if event.target.value == "follow":
            self._follow(self.chosen)
        elif event.target.value == "undo":
            self._command("(undo)")
        elif self._inspection.chosen < 0:
            note_choice(event)
        else:
            self._command(f"(removeRobot (robot {self._inspection.chosen}))")

    def _dragged(self, place: Array, goes_on: bool) -> None:
        x, y, z = place.tolist()
        if self.chosen == BALL:
            self._command(f"(ball (pos {x:.4f} {y:.4f} {z:.4f})(vel 0 0 0))")
            return
        height = f"(height {max(z, 0.0):.4f})" if self._is_object else ""
        drag = "(drag)" if goes_on else ""
        self._command(f"(placeRobot (robot {self._inspection.chosen})(pos {x:.4f} {y:.4f}){height}{drag})")
