"""Writes the fingerprint of every cycle to a file, to compare runs."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.state_hash import state_hash


class HashLog(ControlNode):
    """One line a cycle: its number and `state_hash`. A `ConfigurationError` if the file cannot be opened."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: TextIO = path.open("w", encoding="ascii")
        except OSError as error:
            raise ConfigurationError(f"hash log {path}: cannot be written: {error.strerror}") from None

    def end_cycle(self, simulation: Simulation) -> None:
        """Write a line."""
        self._file.write(f"{simulation.world.cycle} {state_hash(simulation.world)}\n")

    def done(self, simulation: Simulation) -> None:
        """Close the file."""
        self._file.close()
