"""The attacked server, a process of its own, and the memory, files and threads that it uses."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simspark_ros.clients.processes import Processes
from simspark_ros.configuration.errors import UserError

SERVE = (sys.executable, "-m", "simspark_ros.cli", "serve", "--agent-port=0", "--monitor-port=0", "--json")
"""Command that starts a server."""

STARTING, ENDING = 240.0, 15.0
"""Longest times for a server to become ready, minutes on a busy machine, and to end after SIGTERM, s."""

_POLL = 0.02
_TAIL = 600


class NotStartedError(UserError):
    """The server under test does not start; the message shows its output."""


@dataclass(frozen=True)
class Use:
    """Resources that processes hold.

    Attributes:
        memory: resident memory, bytes.
        files: number of open files.
        threads: number of threads.
    """

    memory: int = 0
    files: int = 0
    threads: int = 0

    def __add__(self, other: Use) -> Use:
        """Return the sum."""
        return Use(self.memory + other.memory, self.files + other.files, self.threads + other.threads)


class Watched:
    """A process whose output is watched; `output` is the file for the output."""

    def __init__(self, name: str, words: Sequence[str], output: Path, processes: Processes) -> None:
        self.name = name
        self.process = processes.start(name, words, output)
        self._output, self._seen = output, 0

    def new_output(self) -> str:
        """Return the output since the last call, without the regular status lines of a server."""
        with self._output.open("rb") as file:
            file.seek(self._seen)
            text = file.read()
        self._seen += len(text)
        lines = text.decode("utf-8", "replace").splitlines()
        return "\n".join(line for line in lines if not line.startswith('{"status"'))

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until the process has printed a match of the pattern; returns the match.

        Raises:
            NotStartedError: the process printed no match in time.
        """
        end = time.monotonic() + STARTING
        printed = ""
        while time.monotonic() < end:
            running = self.process.poll() is None
            printed += self.new_output() + "\n"
            if found := re.search(pattern, printed):
                return found
            if not running:
                break
            time.sleep(_POLL)
        said = printed.strip()[-_TAIL:] or "it prints nothing"
        raise NotStartedError(f"the {self.name} under test does not start: {said}")

    def end(self) -> int | None:
        """End the process by SIGTERM; returns the exit status, None if it does not end."""
        self.process.terminate()
        try:
            return self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            return None


class Server(contextlib.AbstractContextManager["Server"]):
    """A `simspark serve` on free ports and the processes beside it; `with` ends all of them and their children.

    Attributes:
        options: options of the server.
        ports: the server's announcement: `host`, `agent_port`, `monitor_port`, ...
        agents: host and port at which a good client must be able to play, by the process that owns the port.

    `output` is the file for the server's output; the output files of the other processes lie beside it.

    Raises:
        NotStartedError: the server is not ready in time.
    """

    def __init__(self, options: Sequence[str], output: Path) -> None:
        self.options = tuple(options)
        self._output = output
        self._processes = Processes(ENDING)
        self._watched: list[Watched] = []
        try:
            ready = self.start("server", [*SERVE, *options], r'(?m)^{"ready".*}$')
            self.ports: dict[str, Any] = json.loads(ready[0])["ready"]
        except BaseException:
            self.__exit__()
            raise
        self.agents = {"server": self.address("agent_port")}

    def start(self, name: str, words: Sequence[str], pattern: str) -> re.Match[str]:
        """Start and watch a process; returns the match of `pattern` in its output, which shows that it is ready.

        Raises:
            NotStartedError: the process prints no match of the pattern in time.
        """
        output = self._output.with_name(f"{self._output.name}-{name}")
        self._watched.append(Watched(name, words, output, self._processes))
        return self._watched[-1].wait_for(pattern)

    @property
    def ended(self) -> tuple[str, int] | None:
        """Name and exit status of the first process that has ended; None while all run."""
        statuses = ((one.name, one.process.poll()) for one in self._watched)
        return next(((name, status) for name, status in statuses if status is not None), None)

    def address(self, port: str) -> tuple[str, int]:
        """Return host and number of a port by its key in the announcement."""
        return str(self.ports["host"]), int(self.ports[port])

    def uses(self) -> dict[str, Use]:
        """Return the resources of all processes and their children, by command."""
        found: dict[str, Use] = {}
        for number in (number for one in self._watched for number in _family(one.process.pid)):
            name = _name_of(number)
            found[name] = found.get(name, Use()) + _use_of(number)
        return found

    def use(self) -> Use:
        """Return the resources of all processes together."""
        return sum(self.uses().values(), Use())

    def new_output(self) -> str:
        """Return the output of all processes since the last call, without regular status lines."""
        return "\n".join(one.new_output() for one in self._watched)

    def end(self) -> dict[str, int | None]:
        """End all processes by SIGTERM, the server last; returns their exit statuses, None if one does not end."""
        return {one.name: one.end() for one in reversed(self._watched)}

    def __exit__(self, *error: object) -> None:
        """End all processes, by force if necessary."""
        self._processes.__exit__()


def _family(parent: int) -> list[int]:
    """Return the ids of a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [parent]
    for number in found:
        found += children.get(number, [])
    return found


def _name_of(number: int) -> str:
    """Return the module and first argument of a Python process, or the command of another process."""
    try:
        words = Path("/proc", str(number), "cmdline").read_text("utf-8", "replace").split("\0")
    except OSError:
        words = []
    return " ".join(words[words.index("-m") + 1 :][:2] if "-m" in words else words[:1])


def _use_of(number: int) -> Use:
    folder = Path("/proc", str(number))
    try:
        pages = int((folder / "statm").read_text().split()[1])
        return Use(pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(folder / "fd")), len(os.listdir(folder / "task")))
    except OSError:
        # The process has ended in between.
        return Use()
