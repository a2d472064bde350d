"""Recordings of situations, as files, and the places at which two of them differ."""

import gzip
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from behaviour.wire import messages_of

_VARYING = re.compile(rb"127\.0\.0\.1[: ]\d+|\d{10}\.\d{9}")
"""Addresses, and times of the wall clock in lines of ROS."""

_AROUND = 60
"""Bytes shown before and after a difference."""


def save(folder: Path, streams: dict[str, bytes]) -> None:
    """Write streams to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in streams.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(data, 1, mtime=0))


def load(folder: Path) -> dict[str, bytes]:
    """Read what `save` wrote; nothing if the folder is not there."""
    return {path.name.removesuffix(".gz"): gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("*.gz"))}


def without_varying(text: bytes) -> bytes:
    """Leave out the parts that differ from run to run."""
    return _VARYING.sub(b"...", text)


@dataclass(frozen=True)
class Difference:
    """The first place at which two recordings differ.

    Attributes:
        stream: name of the stream.
        where: line or message, and byte.
        before, after: excerpts.
    """

    stream: str
    where: str
    before: str
    after: str

    def __str__(self) -> str:
        """Three lines."""
        return f"{self.stream}, {self.where}\n    before: {self.before}\n    after:  {self.after}"


def first_difference(before: dict[str, bytes], after: dict[str, bytes]) -> Difference | None:
    """Compare all streams: state hashes first, as they tell the cycle, then what clients were sent."""
    for name in sorted(before.keys() | after.keys(), key=_rank):
        if name not in before or name not in after:
            texts = ["is there" if name in side else "is missing" for side in (before, after)]
            return Difference(name, "the whole stream", *texts)
        if before[name] != after[name]:
            return _describe(name, before[name], after[name])
    return None


def _rank(name: str) -> tuple[int, str]:
    first = ("hashes", "status", "trouble", "events", "agent", "monitor")
    return next((rank for rank, start in enumerate(first) if name.startswith(start)), len(first)), name


def _describe(name: str, before: bytes, after: bytes) -> Difference:
    offset = _first_byte(before, after)
    place: Callable[[bytes, int], str] = _message if name.startswith(("agent", "monitor", "replay")) else _line
    return Difference(
        name, f"{place(before, offset)}, byte {offset}", _excerpt(before, offset), _excerpt(after, offset)
    )


def _first_byte(before: bytes, after: bytes) -> int:
    low, high = 0, min(len(before), len(after))
    # The longest common beginning, by halves.
    while low < high:
        middle = (low + high + 1) // 2
        if before[:middle] == after[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _message(data: bytes, offset: int) -> str:
    read = messages_of(data[:offset])
    time = re.search(rb"\(now ([\d.]+)\)|\(time ([\d.]+)\)", read[-1] if read else b"")
    return f"message {len(read) + 1}" + (f" (after {time[0].decode()})" if time else "")


def _line(data: bytes, offset: int) -> str:
    start = data.rfind(b"\n", 0, offset) + 1
    return f"line {data.count(bytes([10]), 0, offset) + 1} ({data[start : start + 12].decode('latin-1')!r})"


def _excerpt(data: bytes, offset: int) -> str:
    if offset >= len(data):
        return f"ends after {len(data)} bytes"
    return repr(data[max(0, offset - _AROUND) : offset + _AROUND])[1:]
