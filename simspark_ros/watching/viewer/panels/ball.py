"""A handle at the ball that drags it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.physics.engine import Array
from simspark_ros.watching.viewer.panels.elements import LastUse

NAME = "/ball_handle"
"""Name of the handle in viser's scene."""


class BallPanel:
    """A checkbox that shows the handle; `command` takes trainer commands."""

    def __init__(self, gui: Any, scene: Any, command: Callable[[str], None]) -> None:
        self._scene, self._command = scene, command
        self._handle: Any = None
        self._use = LastUse()
        self._wanted = gui.add_checkbox("Drag the ball", initial_value=False, hint="by arrows at the ball")

    def show(self, ball: Array | None) -> None:
        """Put the handle at the ball (3,), m; None = there is no ball."""
        wanted = self._wanted.value and ball is not None
        if not wanted and self._handle is not None:
            self._handle.remove()
            self._handle = None
        if not wanted or ball is None:
            return
        if self._handle is None:
            self._handle = self._scene.add_transform_controls(NAME, 0.4, disable_rotations=True, depth_test=False)
            self._handle.on_update(self._dragged)
        if self._use.is_over:
            self._handle.position = ball

    async def _dragged(self, event: Any) -> None:
        if event.client_id is None or self._handle is None:
            return
        self._use.note()
        x, y, z = self._handle.position.tolist()
        self._command(f"(ball (pos {x:.4f} {y:.4f} {z:.4f})(vel 0 0 0))")
