"""The server that is attacked: a process of its own, with the memory, files and threads that it uses."""

from __future__ import annotations

import contextlib
import json
import os
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

STARTING, ENDING = 60.0, 15.0
"""How long a server may take to be ready, and to end after SIGTERM, s."""

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


class Server(contextlib.AbstractContextManager["Server"]):
    """A `simspark serve` on free ports; `with` ends it and all that it has started.

    Attributes:
        options: that it was given.
        ports: what it announces: `host`, `agent_port`, `monitor_port`, ...

    `output` is the file that gets what it prints.

    Raises:
        NotStartedError: it is not ready in time.
    """

    def __init__(self, options: Sequence[str], output: Path) -> None:
        self.options = tuple(options)
        self._output, self._seen = output, 0
        self._processes = Processes(ENDING)
        try:
            self._process = self._processes.start("server", [*SERVE, *options], output)
            self.ports = self._ready()
        except BaseException:
            self.__exit__()
            raise

    @property
    def status(self) -> int | None:
        """Exit status, None while it runs."""
        return self._process.poll()

    def address(self, port: str) -> tuple[str, int]:
        """Host and number of a port by its key in the announcement."""
        return str(self.ports["host"]), int(self.ports[port])

    def uses(self) -> dict[str, Use]:
        """What the server and the processes that it has started hold, by their commands."""
        found: dict[str, Use] = {}
        for number in _family(self._process.pid):
            name = _name_of(number)
            found[name] = found.get(name, Use()) + _use_of(number)
        return found

    def use(self) -> Use:
        """What they hold together."""
        return sum(self.uses().values(), Use())

    def new_output(self) -> str:
        """What was printed since the last call, its regular status apart."""
        with self._output.open("rb") as file:
            file.seek(self._seen)
            text = file.read()
        self._seen += len(text)
        lines = text.decode("utf-8", "replace").splitlines()
        return "\n".join(line for line in lines if not line.startswith('{"status"'))

    def end(self) -> int | None:
        """End it by SIGTERM; returns the exit status, None if it does not end."""
        self._process.terminate()
        try:
            return self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            return None

    def _ready(self) -> dict[str, Any]:
        end = time.monotonic() + STARTING
        printed = ""
        while time.monotonic() < end:
            running = self.status is None
            printed += self.new_output() + "\n"
            for line in printed.splitlines():
                if line.startswith('{"ready"') and line.endswith("}"):
                    ready: dict[str, Any] = json.loads(line)["ready"]
                    return ready
            if not running:
                break
            time.sleep(_POLL)
        raise NotStartedError(f"the server under test does not start: {printed.strip()[-_TAIL:] or 'it says nothing'}")

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
