"""Files that record a run: if a file cannot be written any more, the run goes on without it."""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from simspark_ros.configuration.schema import ConfigurationError


class LogFile:
    """A new file, compressed if its name ends in `.gz`, that stays readable up to its last write if this process dies.

    When a write fails, because the disk is full for example, the file ends there: `warn` takes a line at once and
    another at the end. A file ends in the same way at its `largest` size, MB on the disk. A file that was deleted
    meanwhile is reported at the end. `kind` names the file in messages.

    Raises:
        ConfigurationError: it cannot be opened.
    """

    def __init__(self, path: Path, kind: str, warn: Callable[[str], object], largest: float = math.inf) -> None:
        self._name, self._warn, self._largest = f"{kind} {path}", warn, largest
        self._missing = 0
        try:
            self._file = _open(path)
        except OSError as error:
            raise ConfigurationError(
                f"{self._name}: cannot be written: {error.strerror}; choose another file"
            ) from None

    @property
    def complete(self) -> bool:
        """Whether everything was written."""
        return not self._missing

    def write(self, data: bytes) -> None:
        """Append to the file; never raises an OSError."""
        if self._missing:
            self._missing += len(data)
            return
        try:
            if os.fstat(self._file.fileno()).st_size + len(data) > self._largest * 1e6:
                self._end(f"has reached its largest size, max_log = {self._largest:g} MB", data)
                return
            self._file.write(data)
            # Programs that follow a match read the file while it is written.
            self._file.flush()
        except OSError as error:
            self._end(f"cannot be written any more: {error.strerror}", data)

    def close(self) -> None:
        """Close the file, and report any missing part; never raises an OSError."""
        deleted = os.fstat(self._file.fileno()).st_nlink == 0
        try:
            self._file.close()
        except OSError as error:
            if not self._missing:
                self._missing = 1
                self._warn(f"{self._name}: cannot be written: {error.strerror}")
        if deleted:
            self._warn(f"{self._name}: was deleted while it was written; its content is lost")
        elif self._missing:
            self._warn(f"{self._name}: its last part was not written")

    def _end(self, why: str, data: bytes) -> None:
        self._missing = len(data)
        self._warn(f"{self._name}: {why}; the log ends here, but the run goes on")


def read_lines(path: Path, longest: int = -1) -> Iterator[bytes]:
    """Yield the whole lines of such a file, without their ends, up to one that has more than `longest` bytes.

    Raises:
        OSError: the file cannot be read, or is not compressed though its name says so.
    """
    with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
        while True:
            try:
                line = file.readline(longest)
            except (EOFError, zlib.error):
                # The end of a compressed file whose writer was killed.
                return
            if not line.endswith(b"\n"):
                return
            if line.strip():
                yield line.strip()


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "wb", compresslevel=6) if path.name.endswith(".gz") else path.open("wb")  # type: ignore[return-value]
