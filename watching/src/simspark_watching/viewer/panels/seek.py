"""A slider through the time of a log."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from simspark_ros.protocol.monitor.inspection import ReplayProgress
from simspark_watching.viewer.panels.elements import LastUse

STEP = 0.1
"""Step of the slider, s."""


class SeekPanel:
    """The slider, shown once a replay tells its duration; `command` takes commands to the replay."""

    def __init__(self, folder: Any, gui: Any, command: Callable[[str], None]) -> None:
        self._folder, self._gui, self._command = folder, gui, command
        self._slider: Any = None
        self._use = LastUse()

    def show(self, playback: ReplayProgress | None) -> None:
        """Follow the replay; None = there is none, or one that cannot seek."""
        if playback is None or playback.duration < STEP:
            return
        if self._slider is None or self._slider.max != playback.duration:
            self._make(playback.duration)
        if self._use.is_over:
            self._slider.value = min(round(playback.position, 1), playback.duration)

    def _make(self, duration: float) -> None:
        if self._slider is not None:
            self._slider.remove()
        with self._folder:
            self._slider = self._gui.add_slider("Position", 0.0, duration, STEP, 0.0, hint="seconds of the log")
        self._slider.on_update(self._moved)

    async def _moved(self, event: Any) -> None:
        if event.client_id is not None:
            self._use.note()
            # Rounded up, the end would be beyond the last frame.
            self._command(f"(seek {math.floor(100.0 * event.target.value) / 100.0:.2f})")
