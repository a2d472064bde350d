"""The server that is attacked: a process of its own, with the memory, files and threads that it uses."""

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
"""The command of a server."""

STARTING, ENDING = 240.0, 15.0
"""How long a server may take to be ready, and to end after SIGTERM, s. The first is minutes on a busy machine."""

_POLL = 0.02
_TAIL = 600


class NotStartedError(UserError):
    """The server under test does not start; the message shows what it printed."""


@dataclass(frozen=True)
class Use:
    """What processes hold: resident memory, bytes; open files and threads."""

    memory: int = 0
    files: int = 0
    threads: int = 0

    def __add__(self, other: Use) -> Use:
        """Sum up."""
        return Use(self.memory + other.memory, self.files + other.files, self.threads + other.threads)


class Watched:
    """A process with what it prints; `output` is the file that gets it."""

    def __init__(self, name: str, words: Sequence[str], output: Path, processes: Processes) -> None:
        self.name = name
        self.process = processes.start(name, words, output)
        self._output, self._seen = output, 0

    def new_output(self) -> str:
        """What was printed since the last call, the regular status of a server apart."""
        with self._output.open("rb") as file:
            file.seek(self._seen)
            text = file.read()
        self._seen += len(text)
        lines = text.decode("utf-8", "replace").splitlines()
        return "\n".join(line for line in lines if not line.startswith('{"status"'))

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until it has printed what matches.

        Raises:
            NotStartedError: it has not in time.
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
        said = printed.strip()[-_TAIL:] or "it says nothing"
        raise NotStartedError(f"the {self.name} under test does not start: {said}")

    def end(self) -> int | None:
        """End it by SIGTERM; returns the exit status, None if it does not end."""
        self.process.terminate()
        try:
            return self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            return None


class Server(contextlib.AbstractContextManager["Server"]):
    """A `simspark serve` on free ports, and what is started beside it; `with` ends all of them and their children.

    Attributes:
        options: that it was given.
        ports: what it announces: `host`, `agent_port`, `monitor_port`, ...
        agents: where a good client has to be able to play: host and port by the process that has the port.

    `output` is the file that gets what it prints; those of others lie beside it.

    Raises:
        NotStartedError: it is not ready in time.
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
        """Start a process that is watched from now on; returns what it has printed when it is ready.

        Raises:
            NotStartedError: it prints nothing like the pattern in time.
        """
        output = self._output.with_name(f"{self._output.name}-{name}")
        self._watched.append(Watched(name, words, output, self._processes))
        return self._watched[-1].wait_for(pattern)

    @property
    def ended(self) -> tuple[str, int] | None:
        """Name and exit status of the first process that has ended, None while all run."""
        statuses = ((one.name, one.process.poll()) for one in self._watched)
        return next(((name, status) for name, status in statuses if status is not None), None)

    def address(self, port: str) -> tuple[str, int]:
        """Host and number of a port by its key in the announcement."""
        return str(self.ports["host"]), int(self.ports[port])

    def uses(self) -> dict[str, Use]:
        """What the processes and those that they have started hold, by their commands."""
        found: dict[str, Use] = {}
        for number in (number for one in self._watched for number in _family(one.process.pid)):
            name = _name_of(number)
            found[name] = found.get(name, Use()) + _use_of(number)
        return found

    def use(self) -> Use:
        """What they hold together."""
        return sum(self.uses().values(), Use())

    def new_output(self) -> str:
        """What was printed since the last call, the regular status apart."""
        return "\n".join(one.new_output() for one in self._watched)

    def end(self) -> dict[str, int | None]:
        """End all processes by SIGTERM, the server last; returns the exit statuses, None of one that does not end."""
        return {one.name: one.end() for one in reversed(self._watched)}

    def __exit__(self, *error: object) -> None:
        """End everything, by force if need be."""
        self._processes.__exit__()


def _family(parent: int) -> list[int]:
    """A process and all that it has started, by their ids."""
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
    """The module that a Python process runs, and its first argument; else the command."""
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
        # It has ended in between.
        return Use()
