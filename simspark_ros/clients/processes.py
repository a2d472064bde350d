"""Processes that a program starts: each in a group of its own, ended within a deadline, none left behind."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from simspark_ros.clients import guard
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.simulation.logs.log_file import LogFile

OUTPUT_LIMIT = 10.0
"""Most output kept of a process, MB."""

LONGEST_END = 256 * 1024
"""Longest end of an output that is held until the output is complete, bytes."""

_PIECE = 64 * 1024


class LimitedOutput(threading.Thread):
    """Copies a pipe to a file until all its writers have ended, in a thread of its own; starts at once.

    The file gets the beginning at once and, when the output ends, the size of the missing part and the end. With a full
    disk or without a file the pipe is still read, because its writers would block. `limit` in bytes; `warn` as of
    `LogFile`.
    """

    def __init__(self, pipe: IO[bytes], path: Path, limit: int, warn: Callable[[str], object]) -> None:
        super().__init__(name=f"output {path.name}", daemon=True)
        self._pipe, self._limit = pipe, limit
        self._file: LogFile | None = None
        try:
            self._file = LogFile(path, "output", warn)
        except ConfigurationError as error:
            warn(str(error))
        self.start()

    def run(self) -> None:
        """Copy."""
        longest_end = min(LONGEST_END, self._limit // 2)
        room, left_out, end = self._limit - longest_end, 0, bytearray()
        while data := os.read(self._pipe.fileno(), _PIECE):
            if room:
                self._write(data[:room])
                data, room = data[room:], max(0, room - len(data))
            end += data
            if len(end) > 2 * longest_end:
                left_out += len(end) - longest_end
                del end[:-longest_end]
        if excess := max(0, len(end) - longest_end):
            left_out += excess
            del end[:excess]
        if left_out:
            self._write(b"\n[%d bytes are left out here: of an output %d are kept]\n" % (left_out, self._limit))
        self._write(bytes(end))
        if self._file:
            self._file.close()
        self._pipe.close()

    def _write(self, data: bytes) -> None:
        if self._file and data:
            self._file.write(data)


PATIENCE = 3.0
"""Longest time for processes to end by themselves after SIGTERM, s."""

OUTPUT_PATIENCE = 1.0
"""Longest wait for the last output of a process that has ended, s."""

_LOOK = 0.5
"""Time between two searches through all processes of the machine for a team's processes, s."""


class StartError(UserError):
    """A process cannot be started; the message says why."""


def end(process: subprocess.Popen[bytes], patience: float = 5.0, grace: float = 0.0) -> None:
    """End a process that has not ended by itself within `grace`, by force if it takes longer than `patience`, s."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(grace)
    process.terminate()
    # A stopped process would not notice before.
    process.send_signal(signal.SIGCONT)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def limit_memory(process: subprocess.Popen[bytes], megabytes: int) -> None:
    """Limit the memory of a process just started, and of each process that it will start; 0 = no limit.

    Memory that it allocates counts, in threads too; mapped files and libraries do not. Linux only.
    """
    if megabytes and hasattr(resource, "prlimit"):
        # It may have ended already.
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (megabytes * 1_000_000,) * 2)


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal a process that leads a group, and all that it has started; the group is gone when all have ended."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


class Processes(contextlib.AbstractContextManager["Processes"]):
    """Starts processes; `with` ends them and all processes that they have started.

    If this process is killed, a guard process ends them.

    Args:
        patience: longest time for processes to end by themselves, s.
        output_limit: most output kept of each process, MB.
        warn: function that takes a line about an output that cannot be written.
        files: will and result of this process, if the guard is to fulfil the will when it is killed (`guard.fulfil`).
    """

    def __init__(
        self,
        patience: float = PATIENCE,
        output_limit: float = OUTPUT_LIMIT,
        warn: Callable[[str], object] = lambda text: None,
        files: Sequence[Path] = (),
    ) -> None:
        self._output_limit, self._warn = int(output_limit * 1e6), warn
        self._outputs: dict[subprocess.Popen[bytes], LimitedOutput] = {}
        self._mark = uuid.uuid4().hex
        self._patience = patience
        self._children: list[tuple[str, subprocess.Popen[bytes]]] = []
        self._looked: dict[str, tuple[float, bool]] = {}
        self._guard = subprocess.Popen(
            [sys.executable, "-I", guard.__file__, self._mark, str(os.getpid()), str(patience), *map(str, files)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def start(
        self,
        name: str,
        words: Sequence[str],
        output: Path,
        directory: Path | None = None,
        *,
        piped: bool = False,
        memory: int = 0,
    ) -> subprocess.Popen[bytes]:
        """Start a process without a standard input.

        Args:
            name: the process's name for `alive`, e.g. `left/3/`.
            words: words of the command.
            output: file for its output, within the limit.
            directory: the process's working directory, None = the current one.
            piped: whether standard output is a pipe to this process instead.
            memory: most memory that the process may take, MB; 0 = no limit.

        Raises:
            StartError: there is no such program, or it cannot be run.
        """
        environment = {**os.environ, guard.VARIABLE: f"{self._mark}:{name}"}
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if piped else subprocess.STDOUT,
                cwd=directory,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise StartError(f"'{words[0]}' cannot be started: {error.strerror}") from None
        limit_memory(process, memory)
        self._children.append((name, process))
        pipe = process.stderr if piped else process.stdout
        assert pipe is not None
        self._outputs[process] = LimitedOutput(pipe, output, self._output_limit, self._warn)
        return process

    def complete_output(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the output of a process that has ended is written, not for long: others may have inherited it."""
        self._outputs[process].join(OUTPUT_PATIENCE)

    def alive(self, beginning: str) -> bool:
        """Whether a process runs whose name begins like this, or one that such a process has started."""
        if any(child.poll() is None for name, child in self._children if name.startswith(beginning)):
            return True
        looked, found = self._looked.get(beginning, (0.0, False))
        now = time.monotonic()
        if now - looked > _LOOK:
            found = bool(guard.marked(f"{self._mark}:{beginning}"))
            self._looked[beginning] = (now, found)
        return found

    def __exit__(self, *error: object) -> None:
        """End everything."""
        assert self._guard.stdin is not None
        children = [child for _, child in self._children]
        for child in children:
            signal_group(child, signal.SIGTERM)
        self._guard.stdin.close()
        deadline = time.monotonic() + 3 * self._patience
        while self._guard.poll() is None and time.monotonic() < deadline:
            # Ended processes stay until they are reaped.
            for child in children:
                child.poll()
            time.sleep(guard.POLL)
        self._guard.kill()
        self._guard.wait()
        for child in children:
            signal_group(child, signal.SIGKILL)
            child.wait()
            self.complete_output(child)
            if child.stdout and not self._outputs[child].is_alive():
                child.stdout.close()
