"""Outputs of processes, kept within a limit: the beginning and the end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

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
