"""Views of the field to choose from, and those that were kept on this page."""

from __future__ import annotations

import contextlib
from typing import Any

from simspark_ros.physics.engine import Array
from simspark_watching.broadcast.tv_camera import whole_view
from simspark_watching.viewer.panels.elements import READ

FIELD, ABOVE, LEFT, RIGHT = "whole field", "from above", "left goal", "right goal"
MOST = 9
"""Most views that are kept."""

NONE = "none"
"""Choice of kept views that is always shown, so that each may be chosen again after the camera has moved."""

_Place = tuple[float, ...]


class ViewsPanel:
    """A choice of views and a button that keeps the present one; each browser moves its own camera.

    Args:
        gui: viser's elements.
        follow: the choice of the body that cameras follow, which a view ends.
        free: its value for no body.
    """

    def __init__(self, gui: Any, follow: Any, free: str) -> None:
        self._follow, self._free = follow, free
        self._places: dict[str, tuple[_Place, _Place]] = {}
        self._choice = gui.add_button_group("View", (FIELD, ABOVE), hint="views of the field")
        self._goals = gui.add_button_group(" ", (LEFT, RIGHT))
        self._kept = gui.add_dropdown("Kept view", (NONE,), hint="views that were kept on this page")
        self._keep = gui.add_button("Keep this view")
        for element in (self._choice, self._goals):
            element.on_click(self._pressed)
        self._kept.on_update(self._chosen)
        self._keep.on_click(self._keeps)

    def begin(self, length: float) -> None:
        """Take the length of the field, m, by which the views are laid."""
        position, target = whole_view(length)
        goal = 0.5 * length
        self._places |= {
            FIELD: (_place(position), _place(target)),
            # Straight down, the camera would not know where up is.
            ABOVE: ((0.0, -0.01 * length, 1.05 * length), (0.0, 0.0, 0.0)),
            LEFT: ((-0.62 * goal, -0.45 * goal, 0.25 * goal), (-0.95 * goal, 0.0, 0.0)),
            RIGHT: ((0.62 * goal, -0.45 * goal, 0.25 * goal), (0.95 * goal, 0.0, 0.0)),
        }

    async def _pressed(self, event: Any) -> None:
        self._go(event.client, event.target.value)

    async def _chosen(self, event: Any) -> None:
        # The page itself chooses none.
        if event.client is not None:
            name, self._kept.value = self._kept.value, NONE
            self._go(event.client, name)

    async def _keeps(self, event: Any) -> None:
        kept = [name for name in self._kept.options if name in self._places]
        if event.client is None:
            return
        if len(kept) >= MOST:
            text = f"no more than {MOST} views are kept"
            event.client.add_notification("Keep this view", text, auto_close_seconds=READ)
            return
        # Viser asserts that the browser has sent the pose of its camera.
        with contextlib.suppress(AssertionError):
            camera = event.client.camera
            name = f"view {len(kept) + 1}"
            self._places[name] = _place(camera.position), _place(camera.look_at)
            self._kept.options = (NONE, *kept, name)
            event.client.add_notification("Keep this view", f"kept as {name}", auto_close_seconds=READ)

    def _go(self, client: Any, name: str) -> None:
        place = self._places.get(name)
        if client is None or place is None:
            return
        self._follow.value = self._free
        client.camera.position, client.camera.look_at = place


def _place(point: Array) -> _Place:
    return tuple(float(value) for value in point)
