"""A handle in the scene that drags something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.physics.engine import Array
from simspark_watching.viewer.panels.elements import LastUse

ROOT = "/handles/"
"""Start of the names of handles in viser's scene."""


class DragPanel:
    """A checkbox that shows the handle.

    Args:
        gui: viser's elements.
        scene: viser's scene.
        label: label of the checkbox.
        dragged: function that takes the place (3,), m, to which the handle was dragged, and whether a drag goes on.
    """

    def __init__(self, gui: Any, scene: Any, label: str, dragged: Callable[[Array, bool], object]) -> None:
        self._scene, self._name, self._dragged_to = scene, f"{ROOT}{label}".replace(" ", "_"), dragged
        self._handle: Any = None
        self._use = LastUse()
        self._goes_on = False
        self._wanted = gui.add_checkbox(label, initial_value=False, hint="by arrows")

    def show(self, place: Array | None) -> None:
        """Put the handle at a place (3,), m; None = there is nothing to drag."""
        wanted = self._wanted.value and place is not None
        if not wanted and self._handle is not None:
            self._handle.remove()
            self._handle = None
        if not wanted or place is None:
            return
        if self._handle is None:
            self._handle = self._scene.add_transform_controls(self._name, 0.4, disable_rotations=True, depth_test=False)
            self._handle.on_update(self._dragged)
        if self._use.is_over:
            self._handle.position = place

    async def _dragged(self, event: Any) -> None:
        if event.client_id is None or self._handle is None:
            return
        self._use.note()
        if event.phase == "update":
            self._dragged_to(self._handle.position, self._goes_on)
        self._goes_on = event.phase == "update"
