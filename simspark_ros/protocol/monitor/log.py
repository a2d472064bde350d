"""Logs of monitor frames: one frame a line, as the classic server writes and RoboViz reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.logs.log_file import read_lines

LONGEST_FRAME = 16 * 1024 * 1024
"""Longest line that may be a frame, bytes."""

FULL = b"(RSG "
"""Text that full frames have, and others do not."""


class LogError(UserError):
    """A file is no monitor log or cannot be read; the message names the file and the remedy."""


def read_frames(path: Path, full: bytes = FULL) -> Iterator[bytes]:
    """Read the frames of a log, except a last one that was cut off; a `LogError` names the file's fault.

    full: text in the first frame, which has to be a full one.
    """
    first = True
    try:
        for line in read_lines(path, LONGEST_FRAME):
            if first and full not in line:
                raise LogError(f"{path}: is not a monitor log: its first line is not a full frame")
            first = False
            yield line
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
    if first:
        raise LogError(f"{path}: is not a monitor log: it is empty")
