"""What a monitor knows after some frames of a recording."""

from __future__ import annotations

import re

from simspark_ros.protocol.monitor.log import LogError
from simspark_ros.protocol.monitor.reader import ENTRY, HEADER, NODE

_MATRIX = re.compile(r"\(SLT [^()]*\)")
_VISIBLE = re.compile(r"\(setVisible \d\)")
_EVENTS = frozenset(("foul", "pass_mode_score_wait_left", "pass_mode_score_wait_right"))


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
