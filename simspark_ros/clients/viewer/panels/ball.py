"""A handle at the ball that drags it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from simspark_ros.physics.engine import Array

NAME = "/ball_handle"
"""In viser's scene."""

HANDS_OFF = 1.0
"""The handle follows the ball again so long after its last use, s."""


class BallPanel:
    """A checkbox that shows the handle; `command` takes trainer commands."""

    def __init__(self, gui: Any, scene: Any, command: Callable[[str], None]) -> None:
        self._scene, self._command = scene, command
        self._handle: Any = None
        self._used = 0.0
        self._wanted = gui.add_checkbox("Drag the ball", initial_value=False, hint="by arrows at the ball")

    def show(self, ball: Array | None) -> None:
        """Have the handle where the ball (3,) is, m; None = there is none."""
        wanted = self._wanted.value and ball is not None
        if not wanted and self._handle is not None:
            self._handle.remove()
            self._handle = None
        if not wanted or ball is None:
            return
        if self._handle is None:
            self._handle = self._scene.add_transform_controls(NAME, 0.4, disable_rotations=True, depth_test=False)
            self._handle.on_update(self._dragged)
        if time.monotonic() > self._used + HANDS_OFF:
            self._handle.position = ball

    async def _dragged(self, event: Any) -> None:
        if event.client_id is None or self._handle is None:
            return
        self._used = time.monotonic()
        x, y, z = self._handle.position.tolist()
        self._command(f"(ball (pos {x:.4f} {y:.4f} {z:.4f})(vel 0 0 0))")
