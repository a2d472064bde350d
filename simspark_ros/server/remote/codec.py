"""Bytes between a simulator and remote servers of its clients: proxies over TCP, bridges over DDS.

The fields of the exchanged records are the message: a field that is added to one of them is sent without a change here.
A message begins with the version and the number of its class, a byte each. Values read here are bounded and checked
once, and need no further checks.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Commands, Layout, Percepts, Poses
from simspark_ros.perceptors.readings import Sight
from simspark_ros.server.remote.serialization import (
    ByteSource,
    CodecError,
    UnknownLayoutError,
    check,
    codec_of,
    structure_of,
)

VERSION = 6
"""Changes with every change of a message or of an exchanged dataclass: both sides need the same one."""

MAX_ITEMS = 1 << 12
"""Longest tuple or mapping in a message to a simulator: they take longer to read than arrays."""

MAX_PERCEPTS = 1 << 23
"""Longest message of a simulator that is accepted, bytes; also of an unpacked layout."""

MAX_NAME = 64
"""Characters in the name of a proxy or bridge."""


class Message:
    """Base of all messages; each subclass is a kind of message."""


@dataclass(frozen=True)
class Hello(Message):
    """First message of a proxy: its name, for people, and the time (s) that it gives its agents."""

    name: str
    cycle: float


@dataclass(frozen=True)
class Welcome(Message):
    """The simulator's answer to a hello; `limit` is how long it waits for the commands of a cycle, s."""

    limit: float


@dataclass(frozen=True)
class Refusal(Message):
    """The simulator's last message before it disconnects a proxy."""

    reason: str


@dataclass(frozen=True)
class PerceptsMessage(Message):
    """One cycle, from the simulator; see `pack_percepts` and `PerceptsReader`.

    Attributes:
        cycle: number of the cycle, 0 = there are no percepts, only the session is announced.
        waits: whether the simulator waits for the answer (lock-step).
        layout: packed, empty if it has not changed.
        session: identity of this run of the simulator; over DDS only.
        welcomes: serial number of each known bridge's admission; over DDS only. A changed number says that the
            simulator had dropped the bridge in between, and that its clients have no robots any more.
    """

    cycle: int
    waits: bool
    percepts: bytes
    layout: bytes = b""
    session: int = 0
    welcomes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CommandsMessage(Message):
    """Everything that the clients of a remote side have sent since its last message.

    Attributes:
        commands: clients are named as on the remote side.
        received: cycle of the last percepts received and understood, 0 = none.
        name: identity of this run of the bridge; over DDS only, like all that follow.
        session: identity of the simulator that the commands are for, 0 = none yet.
        needs_layout: whether the bridge has missed the layout.
        identity: SHA-256 of a secret of this run of the bridge, in hexadecimal digits.
        farewell: the bridge's secret in its last message, when its clients are gone; else empty.
    """

    commands: Commands
    received: int = 0
    name: str = ""
    session: int = 0
    needs_layout: bool = False
    identity: str = ""
    farewell: str = ""


def identity_of(secret: str) -> str:
    """Hash of a bridge's secret, sent first. Only the bridge can end itself: listeners learn the secret too late."""
    return hashlib.sha256(secret.encode()).hexdigest()


_MESSAGES: tuple[type[Message], ...] = (Hello, Welcome, Refusal, PerceptsMessage, CommandsMessage)

M = TypeVar("M", bound=Message)


def header(kind: type[Message]) -> bytes:
    """First two bytes of all messages of a class."""
    return bytes((VERSION, _MESSAGES.index(kind) + 1))


def encode(message: Message) -> bytes:
    """Write a message."""
    parts = [header(type(message))]
    kind: Any = type(message)
    codec_of(kind)[0](parts, message)
    return b"".join(parts)


def decode(data: bytes, *expected: type[M]) -> M:
    """Read a message, which has to be of one of the expected classes.

    Raises:
        CodecError: it is malformed, of another version or of an unexpected class.
    """
    if len(data) < 2 or data[0] != VERSION:
        raise CodecError(f"it is not version {VERSION} of the remote protocol; use the same release on both sides")
    if not 1 <= data[1] <= len(_MESSAGES):
        raise CodecError(f"the message has the unknown kind {data[1]}")
    kind: Any = _MESSAGES[data[1] - 1]
    if not issubclass(kind, expected):
        raise CodecError(f"a {kind.__name__} came at the wrong time")
    source = ByteSource(data, 2, most=MAX_ITEMS if kind is CommandsMessage else None)
    message: Message = codec_of(kind)[1](source, kind.__name__)
    source.expect_end()
    if isinstance(message, Hello):
        check_name(message.name)
        check("cycle must be a time, s, not negative", message.cycle >= 0.0)
    elif isinstance(message, CommandsMessage):
        _check_commands(message.commands)
        check("received is negative", message.received >= 0)
    return cast("M", message)


def check_name(name: str) -> None:
    """Raise `CodecError` for names that would break log lines or the keys of clients."""
    usable = 0 < len(name) <= MAX_NAME and name.isprintable() and "/" not in name
    check(f"name is not one of 1 to {MAX_NAME} printable characters without a slash", usable)


def pack_percepts(percepts: Percepts) -> bytes:
    """Write percepts, with the revision of their layout in place of the layout."""
    parts: list[bytes] = []
    codec_of(Percepts)[0](parts, percepts)
    return b"".join(parts)


def pack_layout(layout: Layout) -> bytes:
    """Write a layout, compressed."""
    parts: list[bytes] = []
    structure_of(Layout)[0](parts, layout)
    return zlib.compress(b"".join(parts), 1)


class PerceptsReader:
    """Reads percepts and remembers their layout.

    Layouts have the simulator's revisions, unless another simulator takes over: then revisions go on increasing.
    """

    def __init__(self) -> None:
        self.layout: Layout | None = None
        self._session = self._revision = self._shift = 0
        self._values = self._flags = self._targets = self._links = 0

    def read(self, message: PerceptsMessage) -> Percepts:
        """Unpack the percepts of a message, and its layout if it has one.

        Raises:
            UnknownLayoutError: they belong to a layout that was never received.
            CodecError: they are malformed; the last good layout is kept.
        """
        if message.layout:
            self._adopt(message)
        if message.session != self._session:
            raise UnknownLayoutError("percepts came before the layout of this simulator")
        source = ByteSource(message.percepts, 0, self.layout, self._revision)
        percepts: Percepts = codec_of(Percepts)[1](source, "percepts")
        source.expect_end()
        self._check_sizes(percepts)
        return percepts

    def _adopt(self, message: PerceptsMessage) -> None:
        source = ByteSource(_decompressed(message.layout))
        layout: Layout = structure_of(Layout)[1](source, "layout")
        source.expect_end()
        slots = [slot for robot in layout.robots for slot in robot.slots]
        check("slots has a negative entry", all(slot.start >= 0 for slot in slots))
        if self.layout and message.session == self._session and layout.revision == self._revision:
            return
        if self.layout and message.session != self._session:
            self._shift = self.layout.revision + 1 - layout.revision
        self._session, self._revision = message.session, layout.revision
        self._values = max((slot.start + len(slot.columns) for slot in slots), default=0)
        self._flags = len(slots)
        self._targets = len(layout.targets)
        self._links = sum(len(robot.links) for robot in layout.robots)
        self.layout = layout._replace(revision=layout.revision + self._shift)

    def _check_sizes(self, percepts: Percepts) -> None:
        count = len(percepts.values)
        check(f"values has {count} entries, not {self._values}", percepts.values.ndim == 1 and count >= self._values)
        _check_shape("present", percepts.present, self._flags)
        if percepts.sight is not None:
            self._check_sight(percepts.sight)
        if percepts.poses is not None:
            self._check_poses(percepts.poses)

    def _check_sight(self, sight: Sight) -> None:
        assert self.layout is not None
        looking, objects, lines = len(sight.observers), len(sight.object_polar), len(sight.line_polar)
        _check_shape("observers", sight.observers, looking)
        _check_below("observers", sight.observers, len(self.layout.robots))
        _check_shape("object_polar", sight.object_polar, objects, 3)
        _check_shape("line_polar", sight.line_polar, lines, 2, 3)
        _check_shape("object_target", sight.object_target, objects)
        _check_below("object_target", sight.object_target, self._targets)
        for name, offsets, total in (
            ("object_offset", sight.object_offset, objects),
            ("line_offset", sight.line_offset, lines),
        ):
            _check_shape(name, offsets, looking + 1)
            divides = offsets[0] == 0 and offsets[-1] == total and (np.diff(offsets) >= 0).all()
            check(f"{name} must rise from 0 to {total}", bool(divides))

    def _check_poses(self, poses: Poses) -> None:
        _check_shape("positions", poses.positions, self._links, 3)
        _check_shape("rotations", poses.rotations, self._links, 3, 3)
        _check_shape("ball", poses.ball, 3)
        _check_shape("ball_quaternion", poses.ball_quaternion, 4)


def _check_commands(commands: Commands) -> None:
    count = commands.handles.size
    for name in ("handles", "joints", "velocities"):
        _check_shape(name, getattr(commands, name), count)
    if count:
        check("joints has a negative entry", int(commands.joints.min()) >= 0)
        check("velocities has an entry that is not a number", not np.isnan(commands.velocities).any())
    numbers = (commands.answers, commands.participants, *commands.rejected.values())
    check("answers, participants or rejected is negative", min(numbers) >= 0)


def _check_shape(name: str, array: NDArray[Any], *shape: int) -> None:
    if array.shape != shape:
        raise CodecError(f"{name} has the shape {array.shape}, not {shape}")


def _check_below(name: str, values: NDArray[np.int64], limit: int) -> None:
    fits = not values.size or (int(values.min()) >= 0 and int(values.max()) < limit)
    check(f"{name} has an entry outside of 0 to {limit - 1}", fits)


def _decompressed(data: bytes) -> bytes:
    decompressor = zlib.decompressobj()
    try:
        unpacked = decompressor.decompress(data, MAX_PERCEPTS)
    except zlib.error:
        raise CodecError("layout cannot be decompressed") from None
    check(f"layout is incomplete or has more than {MAX_PERCEPTS} bytes", decompressor.eof)
    return unpacked
