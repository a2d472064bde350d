"""Processes that a test starts, with what they print and hold, and the `simspark` commands among them."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from simspark_ros.configuration.copies import Copy
from test.rigs.waiting import DEADLINE, until
from test.rigs.warm import can_copy, copied

_started: weakref.WeakSet[Process] = weakref.WeakSet()


def children(pid: int) -> Iterator[int]:
    """Ids of the children of all threads of a process, which may end while they are looked at."""
    threads: list[str] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        threads = os.listdir(f"/proc/{pid}/task")
    for thread in threads:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            yield from map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())


class Process(contextlib.AbstractContextManager["Process"]):
    """A process with its output; `with` kills it at the end. `environment` None = this process's.

    It is a copy of one that has imported the program, if it can be one: see `warm`. What it prints as errors is in its
    output, or `apart` from it.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, apart: bool = False
    ) -> None:
        variables = os.environ if environment is None else environment
        errors = subprocess.PIPE if apart else subprocess.STDOUT
        self._process: Copy | subprocess.Popen[str]
        output: IO[str] | None
        if can_copy(command, variables):
            self._process, output, apart_errors = copied(command[2:], variables, apart)
        else:
            process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=errors, text=True)
            self._process, output, apart_errors = process, process.stdout, process.stderr
        self._command = " ".join(command)
        self.lines: list[str] = []
        self._error_lines: list[str] = []
        _started.add(self)
        streams = (output, self.lines), (apart_errors, self._error_lines)
        self._readers = [threading.Thread(target=_read, args=each, daemon=True) for each in streams if each[0]]
        for reader in self._readers:
            reader.start()

    @property
    def output(self) -> str:
        return "\n".join(self.lines)

    @property
    def errors(self) -> str:
        """What it printed apart from its output."""
        return "\n".join(self._error_lines)

    def wait_for_line(self, text: str) -> None:
        self.found(re.escape(text))

    def found(self, pattern: str) -> str:
        """Wait until it has printed something; returns the first group of the pattern, or all that it matches."""
        deadline = time.monotonic() + DEADLINE
        ended = False
        while not (found := re.search(pattern, self.output)):
            assert not ended and time.monotonic() < deadline, f"'{pattern}' is not in:\n{self.output}\n{self.errors}"
            self._readers[0].join(0.02)
            ended = not self._readers[0].is_alive()
        return found[found.re.groups and 1]

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def child(self, word: str) -> int:
        """Wait for a child with a word in its command; returns its id."""
        found: list[int] = []

        def look() -> bool:
            for number in children(self.pid):
                # Another child may end while it is looked at.
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    if word.encode() in Path(f"/proc/{number}/cmdline").read_bytes():
                        found.append(number)
            return bool(found)

        until(look)
        return found[0]

    def held(self) -> tuple[int, int]:
        """Numbers of open files and of threads."""
        return len(os.listdir(f"/proc/{self.pid}/fd")), len(os.listdir(f"/proc/{self.pid}/task"))

    def memory(self) -> int:
        """Resident memory, bytes."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def send(self, number: int) -> None:
        """Send a signal, if the process is running."""
        if self.running:
            self._process.send_signal(number)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit status."""
        self.send(number)
        return self.wait()

    def wait(self) -> int:
        try:
            status = self._process.wait(DEADLINE)
        finally:
            self._process.kill()
        for reader in self._readers:
            reader.join(DEADLINE)
        return status

    def __exit__(self, *error: object) -> None:
        self.end(signal.SIGKILL)


def outputs() -> Iterator[tuple[str, str]]:
    """What the processes that are running have printed, by their commands: why a test waits in vain."""
    for process in _started:
        if process.running:
            yield f"{process.pid}: {process._command}", f"{process.output}\n{process.errors}"


def _read(stream: IO[str], lines: list[str]) -> None:
    for line in stream:
        lines.append(line.rstrip())


def simspark(*words: str, environment: Mapping[str, str] | None = None, apart: bool = False) -> Process:
    """A `simspark` command."""
    return Process([sys.executable, "-m", "simspark_ros.cli", *words], environment, apart)


class Finished(NamedTuple):
    """What a command that has ended leaves: exit status, output, and errors."""

    status: int
    output: str
    errors: str


def finished(*words: str) -> Finished:
    """Run a `simspark` command to its end."""
    with simspark(*words, apart=True) as process:
        return Finished(process.wait(), process.output, process.errors)


def gone(pid: int) -> bool:
    """Whether a process has ended, whether or not its parent has taken notice."""
    return state(pid) in "Z"


def state(pid: int) -> str:
    """Linux's letter for the state of a process: T = stopped, Z = ended and not yet reaped; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
