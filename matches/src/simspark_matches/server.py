"""The server of a match: `simspark serve` in a process of its own, its events and status."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

from simspark_matches.record import MatchRecord
from simspark_ros.clients import guard
from simspark_ros.clients.processes import Processes, end
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.types.parameters import TypesJson
from simspark_ros.simulation.logs.log_file import LogFile
from simspark_ros.simulation.pacing.awake_clock import awake_time

START_LIMIT = 60.0
"""Longest time for the server to open its ports, s."""

END_TICK = 0.02
"""Time between two looks at an ending server, s."""

_SHOWN = 600
"""Most characters of a log that a message quotes."""

REFUSED = 2
"""Exit status of a server that cannot use an argument or a file."""


class ServerError(UserError):
    """The server does not start; the message has the end of its log."""


class MatchServer(AbstractContextManager["MatchServer"]):
    """A server; `poll` follows it. `directory` gets `server.log` and `events.jsonl`; `warn` as of `LogFile`.

    Events come through a pipe, not through the file: with a full disk there is still a result.

    Attributes:
        ports: the server's `host`, `agent_port` and `monitor_port`, and as `viewer` the address of its page, if it has
            one; empty before it listens.
        record: the match so far.
    """

    def __init__(
        self,
        processes: Processes,
        arguments: Sequence[str],
        directory: Path,
        warn: Callable[[str], object],
        max_log: float,
    ) -> None:
        self.ports: Mapping[str, Any] = {}
        self.record = MatchRecord()
        self._started, self._repeated = awake_time(), 0.0
        self._log = directory / "server.log"
        self._events = LogFile(directory / "events.jsonl", "event log", warn, max_log)
        self._rest = b""
        words = [sys.executable, "-m", "simspark_ros.cli", "serve", "--json", "--events=-"]
        self._processes = processes
        self._process = processes.start(guard.SERVER, [*words, *arguments], self._log, piped=True)
        assert self._process.stdout is not None
        self._lines: IO[bytes] = self._process.stdout
        os.set_blocking(self._lines.fileno(), False)

    @property
    def robot_types(self) -> TypesJson:
        """Types of robots that were drawn for the match, see `RobotTypes.as_json`."""
        types: TypesJson = self.ports.get("robot_types", {})
        return types

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self.status is None

    @property
    def status(self) -> int | None:
        """Exit status, None while it runs."""
        return self._process.poll()

    @property
    def memory(self) -> float | None:
        """Resident memory of the process, MB; None where unknown."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, IndexError, ValueError):
            return None
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)

    def check_start(self) -> None:
        """Check that the server may still become ready.

        Raises:
            ConfigurationError: the server cannot use an argument or a file.
            ServerError: the server has ended, or needs too long.
        """
        if self.record.time > self._repeated:
            # The server repeats a record.
            self._started, self._repeated = awake_time(), self.record.time
        if self.status == REFUSED:
            raise ConfigurationError(self.log_tail().removeprefix("simspark: "))
        if not self.running or awake_time() - self._started > START_LIMIT:
            raise ServerError(f"the server did not start: {self.log_tail() or 'it said nothing'}")

    def start_time(self) -> None:
        """Let time begin although robots are missing."""
        self._process.send_signal(signal.SIGUSR1)

    def poll(self) -> list[Mapping[str, Any]]:
        """Take new events and status lines into the record; return the events."""
        *lines, self._rest = (self._rest + (self._lines.read() or b"")).split(b"\n")
        events = []
        for text in (text for text in lines if text.startswith(b"{")):
            line = json.loads(text)
            if "event" in line:
                self._events.write(text + b"\n")
                self.record.take(line)
                events.append(line)
            elif "status" in line:
                self.record.take_status(line["status"])
            elif "ready" in line:
                self.ports = line["ready"]
        return events

    def end(self, patience: float) -> None:
        """Ask the server to end and to close its files, and wait at most `patience`, s."""
        stop = time.monotonic() + patience
        if self.running:
            self._process.terminate()
        # The server could not write its last events into a full pipe.
        while self.running and time.monotonic() < stop:
            self.poll()
            time.sleep(END_TICK)
        end(self._process, 0.0)
        self.poll()

    def __exit__(self, *error: object) -> None:
        """Close the file on this side."""
        self._events.close()

    def log_tail(self) -> str:
        """The end of its log; empty if that cannot be read."""
        if not self.running:
            self._processes.complete_output(self._process)
        return self._log_text()[-_SHOWN:].strip()

    def has_said(self, text: str) -> bool:
        """Whether its log has this text."""
        return text in self._log_text()

    def _log_text(self) -> str:
        try:
            return self._log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
