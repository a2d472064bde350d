"""Writes the fingerprint of every cycle to a file, to compare runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from simspark_ros.simulation.logs.log_file import LogFile
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.state_hash import state_hash


class HashLog(ControlNode):
    """One line a cycle: its number and `state_hash`; `warn`, `largest` and errors as of `LogFile`."""

    def __init__(self, path: Path, warn: Callable[[str], object], largest: float = math.inf) -> None:
        self._file = LogFile(path, "hash log", warn, largest)

    def end_cycle(self, simulation: Simulation) -> None:
        """Write a line."""
        self._file.write(f"{simulation.world.cycle} {state_hash(simulation.world)}\n".encode("ascii"))

    def done(self, simulation: Simulation) -> None:
        """Close the file."""
        self._file.close()
