"""The server of a match: `simspark serve` in a process of its own, and what it tells."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from simspark_ros.clients.match.processes import Processes
from simspark_ros.clients.match.record import MatchRecord
from simspark_ros.configuration import ConfigurationError

START_LIMIT = 60.0
"""How long the server may take to open its ports, s."""

_POLL = 0.05
_SHOWN = 600


REFUSED = 2
"""Exit status of a server that cannot use an argument or a file."""


class ServerError(Exception):
    """The server does not start; the message has its last words."""


class MatchServer:
    """A running server; `poll` follows it.

    Attributes:
        host, agent_port, monitor_port: where it listens.
        version: of the server.
        record: what it has told so far.
        heard_at: when it said something last, monotonic, s.
    """

    def __init__(self, processes: Processes, arguments: Sequence[str], directory: Path) -> None:
        """Start it and wait until it listens.

        Args:
            processes: will end it in any case.
            arguments: further ones of `simspark serve`.
            directory: gets `server.log` and `events.jsonl`.

        Raises:
            ConfigurationError: it cannot use an argument or a file.
            ServerError: it did not start for another reason.
        """
        self.record = MatchRecord()
        self.heard_at = time.monotonic()
        self._log = directory / "server.log"
        events = directory / "events.jsonl"
        events.touch()
        self._events = events.open("rb")
        self._event_rest = self._line_rest = b""
        words = [sys.executable, "-m", "simspark_ros.cli", "serve", "--json", "--events", str(events)]
        self._process = processes.start("server", [*words, *arguments], self._log, piped=True)
        assert self._process.stdout is not None
        self._lines: IO[bytes] = self._process.stdout
        os.set_blocking(self._lines.fileno(), False)
        ready = self._wait_until_ready()
        self.host: str = ready["host"]
        self.agent_port: int = ready["agent_port"]
        self.monitor_port: int = ready["monitor_port"]
        self.version: str = ready["version"]

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    @property
    def status(self) -> int | None:
        """Exit status, None while it runs."""
        return self._process.poll()

    @property
    def memory(self) -> float | None:
        """Resident memory of the process, MB; None where the system does not tell."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, IndexError, ValueError):
            return None
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)

    def start_time(self) -> None:
        """Have time begin although robots are missing."""
        if self.running:
            self._process.send_signal(signal.SIGUSR1)

    def poll(self) -> list[Mapping[str, Any]]:
        """Take what the server has told since the last call into the record; return the events."""
        self._read_lines()
        data = self._event_rest + self._events.read()
        *lines, self._event_rest = data.split(b"\n")
        events = [json.loads(line) for line in lines]
        for event in events:
            self.record.take(event)
        return events

    def end(self, patience: float) -> None:
        """Ask it to end and to close its files, and wait."""
        if self.running:
            self._process.terminate()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.poll()

    def close(self) -> None:
        """Close the files on this side."""
        self._events.close()

    def last_words(self) -> str:
        """The end of its log."""
        return self._log.read_text(encoding="utf-8", errors="replace")[-_SHOWN:].strip()

    def _wait_until_ready(self) -> dict[str, Any]:
        end = time.monotonic() + START_LIMIT
        while time.monotonic() < end:
            running = self.running
            for line in self._read_lines():
                if "ready" in line:
                    ready: dict[str, Any] = line["ready"]
                    return ready
            if not running:
                break
            time.sleep(_POLL)
        if self.status == REFUSED:
            raise ConfigurationError(self.last_words().removeprefix("simspark: "))
        raise ServerError(f"the server did not start: {self.last_words() or 'it said nothing'}")

    def _read_lines(self) -> list[dict[str, Any]]:
        data = self._line_rest + (self._lines.read() or b"")
        *lines, self._line_rest = data.split(b"\n")
        told = [json.loads(line) for line in lines if line.startswith(b"{")]
        for line in told:
            self.heard_at = time.monotonic()
            if "status" in line:
                self.record.take_status(line["status"])
        return told
