"""Writes the frames of a monitor to a file (see `simspark_ros.protocol.monitor.log`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from simspark_ros.exchange import Layout
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.inspection import Roster
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.rosters import RosterWriter, roster_path
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.robot_file import is_robot_file
from simspark_ros.server.inspection import roster_of
from simspark_ros.server.monitor_broadcaster import is_frame_due
from simspark_ros.simulation.logs.log_file import LogFile
from simspark_ros.simulation.loop import ControlNode, Simulation


class MonitorLog(ControlNode):
    """A full frame whenever robots have joined, changed or left, else the changes. Add it after the agent control.

    Robots of users' files are described in a file beside it (`simspark_ros.protocol.monitor.rosters`).

    There is an interval of simulated time (s) between two frames; `warn`, `largest` and errors as in `LogFile`. The
    encoder says for which monitors the frames are.
    """

    def __init__(
        self,
        path: Path,
        interval: float,
        warn: Callable[[str], object],
        largest: float = math.inf,
        encoder: type[MonitorEncoder] = MonitorEncoder,
    ) -> None:
        self._encoder = encoder(load_look())
        self._interval = interval
        self._file = LogFile(path, "monitor log", warn, largest)
        self._last: float | None = None
        self._rosters = _Rosters(path, warn, largest)

    def start_cycle(self, simulation: Simulation) -> None:
        """Request poses for this cycle if a frame is due at its end."""
        if self._due(simulation.time + simulation.world.engine.cycle_time):
            simulation.request_poses()

    def end_cycle(self, simulation: Simulation) -> None:
        """Write a frame if one is due."""
        percepts = simulation.percepts
        if percepts is None or percepts.poses is None or not self._due(percepts.time):
            return
        self._last = percepts.time
        full = self._encoder.adopt(percepts.layout)
        if full:
            self._rosters.add(percepts.layout, simulation)
        frames = self._encoder.encode(percepts, full=full, partial=not full)
        frame = frames.full or frames.partial or b""
        self._file.write(frame.replace(b"\n", b" ") + b"\n")

    def done(self, simulation: Simulation) -> None:
        """Close the file."""
        self._file.close()
        self._rosters.close()

    def _due(self, now: float) -> bool:
        return self._file.complete and is_frame_due(self._last, now, self._interval)


class _Rosters:
    """The file of rosters beside a log, made when the first robot of a user's file is there; arguments as `LogFile`."""

    def __init__(self, path: Path, warn: Callable[[str], object], largest: float) -> None:
        self._path, self._warn, self._largest = roster_path(path), warn, largest
        self._file: LogFile | None = None
        self._writer = RosterWriter()
        self._waiting: list[bytes] = []
        self._known: dict[int, tuple[str, RobotDescription]] = {}

    def add(self, layout: Layout, simulation: Simulation) -> None:
        """Add the roster of a full frame, empty if one of its robots was never seen here."""
        self._known |= {handle: (one.name, one.description) for handle, one in simulation.world.robots.items()}
        robots = [self._known[one.handle] for one in layout.robots if one.handle in self._known]
        roster = roster_of(layout, robots) if len(robots) == len(layout.robots) else Roster()
        self._waiting.append(self._writer.line(roster))
        if self._file is None and any(is_robot_file(robot.source) for _, robot in robots):
            self._file = LogFile(self._path, "robots of a monitor log", self._warn, self._largest)
        if self._file is not None:
            self._file.write(b"".join(self._waiting))
            self._waiting.clear()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
