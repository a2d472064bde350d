"""The way of the ball in the last seconds, as a line in viser's scene."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array

SECONDS, PERIOD = 6.0, 0.1
"""Time covered by the line, and the least time between its points, s of the page's time."""

_JUMP = 3.0
"""Distance of two points that are not joined, m: the ball was placed."""
_COLOUR = np.array((255, 214, 64))


class Trail:
    """The line; it costs nothing while it is not shown."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._line: Any = None
        self._points: deque[tuple[float, NDArray[np.float32]]] = deque()
        self._is_shown = False

    def switch(self, shown: bool) -> None:
        """Show or hide it."""
        self._is_shown = shown
        self._points.clear()
        self._draw()

    def take(self, ball: Array | None) -> None:
        """Take the place (3,), m, of the ball; None = there is none.

        While the ball lies still, e.g. while time does, the line stays, to be looked at.
        """
        if not self._is_shown:
            return
        if ball is None:
            self._points.clear()
            self._draw()
            return
        now, place = time.monotonic(), np.array(ball, np.float32)
        if self._points and (now < self._points[-1][0] + PERIOD or np.array_equal(place, self._points[-1][1])):
            return
        self._points.append((now, place))
        while self._points[0][0] < now - SECONDS:
            self._points.popleft()
        self._draw()

    def _draw(self) -> None:
        places = np.array([place for _, place in self._points], np.float32).reshape(-1, 3)
        segments = np.stack((places[:-1], places[1:]), axis=1) if len(places) > 1 else np.zeros((0, 2, 3), np.float32)
        segments = segments[np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1) < _JUMP]
        before, self._line = self._line, None
        if len(segments):
            self._line = self._scene.add_line_segments("/trail", segments, _COLOUR, thickness=0.03)
        elif before is not None:
            before.remove()
