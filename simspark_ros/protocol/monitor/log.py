"""Logs of monitor frames: one frame a line, as the classic server writes and RoboViz reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from simspark_ros.configuration.errors import UserError
from simspark_ros.protocol.monitor.reader import ENTRY, HEADER, NODE
from simspark_ros.simulation.logs.log_file import read_lines

LONGEST_FRAME = 16 * 1024 * 1024
"""Longest line that may be a frame, bytes."""

FULL = b"(RSG "
"""Text that full frames have, and others do not."""

_MATRIX = re.compile(r"\(SLT [^()]*\)")
_VISIBLE = re.compile(r"\(setVisible \d\)")
_EVENTS = frozenset(("foul", "pass_mode_score_wait_left", "pass_mode_score_wait_right"))


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
                raise LogError(f"{path}: is no monitor log: its first line is not a full frame")
            first = False
            yield line
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
    if first:
        raise LogError(f"{path}: is no monitor log: it is empty")


class MonitorState:
    """The state of a monitor after some frames, to make a full frame for another monitor."""

    def __init__(self) -> None:
        self._environment: dict[str, str] = {}
        self._nodes: list[str] = []
        self._kind = ""

    @property
    def shown(self) -> bool:
        """Whether there was a frame."""
        return bool(self._kind)

    @property
    def time(self) -> float:
        """Game time of the last frame, s."""
        return float(self._environment.get("time", "0"))

    def show(self, frame: bytes) -> None:
        """Take a frame; after a `LogError` (malformed, or of another scene than the last one) nothing is changed."""
        text = frame.decode("latin-1")
        header = HEADER.search(text)
        if not header:
            raise LogError("a frame without (RSG ..) or (RDS ..)")
        entries = {name: value for name, value in ENTRY.findall(text[: header.start()]) if name not in _EVENTS}
        try:
            float(entries.get("time", "0"))
        except ValueError:
            raise LogError(f"a frame whose time is '{entries['time'][:40]}'") from None
        nodes = text[header.end() :].split(NODE)
        if header[1] == "S":
            self._environment, self._nodes, self._kind = entries, nodes, header[0]
            return
        if len(nodes) != len(self._nodes):
            raise LogError(f"a partial frame of {len(nodes) - 1} nodes after a full one of {len(self._nodes) - 1}")
        self._environment.update(entries)
        for number, node in enumerate(nodes):
            for pattern in (_MATRIX, _VISIBLE):
                if news := pattern.search(node):
                    self._nodes[number] = pattern.sub(news[0].replace("\\", ""), self._nodes[number], count=1)

    def full(self) -> bytes:
        """A full frame of this state."""
        known = "".join(f"({name} {value})" for name, value in self._environment.items())
        return f"({known}){self._kind}{NODE.join(self._nodes)}".encode("latin-1")


def pause(earlier: float, later: float, usual: float, longest: float = 5.0) -> float:
    """Time between two frames by their game times, s; `usual` while time stands still or after it was set."""
    passed = later - earlier
    return passed if 0.0 < passed <= longest else usual
