"""Writes the frames of a monitor to a file (see `simspark_ros.protocol.monitor.log`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.server.monitor_broadcaster import is_frame_due
from simspark_ros.simulation.logs.log_file import LogFile
from simspark_ros.simulation.loop import ControlNode, Simulation


class MonitorLog(ControlNode):
    """A full frame whenever robots have joined, changed or left, else the changes. Add it after the agent control.

    There is an interval of simulated time (s) between two frames; `warn`, `largest` and errors as of `LogFile`.
    """

    def __init__(self, path: Path, interval: float, warn: Callable[[str], object], largest: float = math.inf) -> None:
        self._encoder = MonitorEncoder(load_look())
        self._interval = interval
        self._file = LogFile(path, "monitor log", warn, largest)
        self._last: float | None = None

    def start_cycle(self, simulation: Simulation) -> None:
        """Have poses computed in this cycle if a frame is due at its end."""
        if self._due(simulation.time + simulation.world.engine.cycle_time):
            simulation.request_poses()

    def end_cycle(self, simulation: Simulation) -> None:
        """Write a frame if one is due."""
        percepts = simulation.percepts
        if percepts is None or percepts.poses is None or not self._due(percepts.time):
            return
        self._last = percepts.time
        full = self._encoder.adopt(percepts.layout)
        frames = self._encoder.encode(percepts, full=full, partial=not full)
        frame = frames.full or frames.partial or b""
        self._file.write(frame.replace(b"\n", b" ") + b"\n")

    def done(self, simulation: Simulation) -> None:
        """Close the file."""
        self._file.close()

    def _due(self, now: float) -> bool:
        return self._file.complete and is_frame_due(self._last, now, self._interval)
