"""Records the inputs of a simulation, cycle by cycle, so that the run can be repeated or continued: JSON lines.

The first line has the settings. Each further line is a cycle with physics: the inputs since the cycle before, in
order, and now and then the state hash. All else that decides a run follows from the settings: docs/how_to/matches.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from simspark_ros import __version__
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.exchange import Commands
from simspark_ros.simulation.inputs import INPUTS, packed
from simspark_ros.simulation.logs.log_file import LogFile, read_lines
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.state_hash import state_hash

FORMAT = 1
"""Version of the format; it increases when lines change their meaning."""

HASH_PERIOD = 50
"""Cycles between two recorded state hashes; the first cycle has one, too."""


MOST_ENTERED = 1000
"""Most inputs before a cycle that are kept in memory; then they get a line of their own, without a cycle."""


class ContinuationError(UserError):
    """A run does not repeat its record; the message names the cycle."""


@dataclass(frozen=True)
class Start:
    """The start of a run: its settings, and the content of the world before the first cycle.

    Attributes:
        robots: texts of robots that were spawned, see `spawn_text`.
        teams: names that were given to the left and to the right team.
    """

    simulation: SimulationSettings
    play_mode: str
    robots: tuple[str, ...] = ()
    teams: tuple[str, ...] = ("", "")


class CommandLog(ControlNode):
    """Records a run that begins now. `warn`, `largest` and errors as in `LogFile`."""

    def __init__(self, path: Path, start: Start, warn: Callable[[str], object], largest: float = math.inf) -> None:
        self._file = LogFile(path, "command log", warn, largest)
        self._entered: list[tuple[Any, ...]] = []
        self._line({"format": FORMAT, "version": __version__, "start": asdict(start)})

    def attach(self, simulation: Simulation) -> None:
        """Record a simulation that already has all its other nodes."""
        simulation.recorder = self
        simulation.add_node(self)

    def note(self, name: str, *arguments: Any) -> None:
        """Take an input that is entered before the next physics."""
        self._entered.append((name, *arguments))
        if len(self._entered) >= MOST_ENTERED:
            # Time stands still, and the inputs of clients must not fill the memory meanwhile.
            self._line({"in": self._entered})
            self._entered = []

    def note_commands(self, commands: Commands) -> None:
        """Take the commands of a link."""
        self.note("agents", *packed(commands))

    def end_cycle(self, simulation: Simulation) -> None:
        """Write a line."""
        world = simulation.world
        line: dict[str, Any] = {"cycle": world.cycle}
        if (quanta := round(world.elapsed / world.engine.cycle_time)) != 1:
            line["quanta"] = quanta
        if self._entered:
            line["in"], self._entered = self._entered, []
        if world.cycle % HASH_PERIOD == 1:
            line["hash"] = state_hash(world)
        self._line(line)

    def done(self, simulation: Simulation) -> None:
        """Close the file."""
        self._file.close()

    def _line(self, values: dict[str, Any]) -> None:
        self._file.write(json.dumps(values, separators=(",", ":")).encode("ascii") + b"\n")


class Continuation(ControlNode):
    """Repeats the inputs of a command log, as fast as possible, and compares state hashes.

    Attributes:
        start: settings to build the simulation with.
        cycles: number of cycles repeated so far.

    Raises:
        ConfigurationError: the file is no command log.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = self._read()
        self._entered: list[Any] = []
        self.cycles = 0
        header = next(self._lines, None)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise ConfigurationError(f"{path}: is not a command log of format {FORMAT}")
        self._version = header.get("version", "")
        self.start = build(Start, header.get("start"), f"{path}: start")

    def attach(self, simulation: Simulation, log: Callable[[str], object], go_on: Callable[[], object] | None) -> None:
        """Repeat the run in a simulation that holds nothing but `start`, then call `go_on`; None = the run ends."""
        simulation.add_node(self, first=True)
        simulation.past = self._past(simulation, log, go_on)

    def act_agent(self, simulation: Simulation) -> None:
        """Repeat the inputs before this cycle."""
        for name, *arguments in self._entered:
            simulation.note(name, *arguments)
            INPUTS[name](simulation, *arguments)
        self._entered = []

    def _past(
        self, simulation: Simulation, log: Callable[[str], object], go_on: Callable[[], object] | None
    ) -> Iterator[int]:
        """Yield the quanta of each cycle; the cycle runs before the next one is asked for; see `Simulation.past`."""
        yield from self._repeat(simulation)
        log(f"{self._path}: {self.cycles} cycles repeated, all as recorded; {simulation.time:.2f} s simulated")
        if go_on is None:
            simulation.stop()
            return
        simulation.note("vacated")
        players = simulation.world.vacate()
        if players:
            simulation.scheduler.wait_for(players)
            log(f"time goes on once {players} players are back, or at SIGUSR1")
        go_on()

    def _repeat(self, simulation: Simulation) -> Iterator[int]:
        for line in self._lines:
            self._entered = line.get("in", [])
            if "cycle" not in line:
                yield 0
                continue
            yield line.get("quanta", 1)
            self.cycles += 1
            world = simulation.world
            if world.cycle != line["cycle"] or line.get("hash", "") not in ("", state_hash(world)):
                raise ContinuationError(
                    f"{self._path}: cycle {line['cycle']} is not as it was recorded, with simspark_ros "
                    f"{self._version}: files, libraries or machine differ"
                )

    def _read(self) -> Iterator[dict[str, Any]]:
        try:
            for line in read_lines(self._path):
                yield json.loads(line)
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{self._path}: is not a command log: {error}") from None


class HashLog(ControlNode):
    """One line a cycle: its number and `state_hash`; `warn`, `largest` and errors as in `LogFile`."""

    def __init__(self, path: Path, warn: Callable[[str], object], largest: float = math.inf) -> None:
        self._file = LogFile(path, "hash log", warn, largest)

    def end_cycle(self, simulation: Simulation) -> None:
        """Write a line."""
        self._file.write(f"{simulation.world.cycle} {state_hash(simulation.world)}\n".encode("ascii"))

    def done(self, simulation: Simulation) -> None:
        """Close the file."""
        self._file.close()
