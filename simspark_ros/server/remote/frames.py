"""The compact messages between an agent proxy and the simulator: pure functions, exact both ways.

Every message begins with the version and its kind, a byte each; on the socket each has its length in front, as classic
messages do (`simspark_ros.protocol.framing`). Layouts, compressed, are sent when they change only.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import (
    Action,
    Argument,
    Commands,
    GameSnapshot,
    Layout,
    Notice,
    Percepts,
    RobotLayout,
    Slot,
)
from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.server.remote.bytes import Packer, ProxyFrameError, Unpacker, expect

VERSION = 1
"""Changes with every change of a message: both sides have to be of the same one."""

MAX_COMMANDS = 1 << 20
"""Longest message of a proxy that is accepted, bytes."""

MAX_PERCEPTS = 1 << 23
"""Longest message of a simulator that is accepted, bytes; also of an unpacked layout."""

_HEADER = 2
_WAITS, _SIGHT = 1, 2


class Kind(IntEnum):
    """What a message is."""

    HELLO = 1
    WELCOME = 2
    REFUSAL = 3
    LAYOUT = 4
    PERCEPTS = 5
    COMMANDS = 6


@dataclass(frozen=True)
class Hello:
    """What a proxy says first.

    Attributes:
        name: for people.
        cycle: time that it gives its agents, s.
    """

    name: str
    cycle: float


def kind_of(payload: bytes) -> Kind:
    """Tell what a message is.

    Raises:
        ProxyFrameError: it is of another version or of no known kind.
    """
    if len(payload) < _HEADER or payload[0] != VERSION:
        raise ProxyFrameError(
            f"does not speak version {VERSION} of the proxy protocol; use simulator and proxy of the same release"
        )
    try:
        return Kind(payload[1])
    except ValueError:
        raise ProxyFrameError(f"sends a message of the unknown kind {payload[1]}") from None


def pack_hello(hello: Hello) -> bytes:
    """Write what a proxy says first."""
    packer = _packer(Kind.HELLO)
    packer.text(hello.name)
    packer.numbers("d", hello.cycle)
    return packer.data()


def unpack_hello(payload: bytes) -> Hello:
    """Understand it.

    Raises:
        ProxyFrameError: it is malformed, as for all other messages.
    """
    unpacker = Unpacker(payload, _HEADER)
    hello = Hello(unpacker.text("name"), unpacker.number("cycle", "d"))
    unpacker.end()
    if not (hello.name and len(hello.name) <= 64 and hello.name.isprintable()):
        raise ProxyFrameError("name is not one of 1 to 64 printable characters")
    if not (math.isfinite(hello.cycle) and hello.cycle >= 0.0):
        raise ProxyFrameError("cycle is not a time")
    return hello


def pack_welcome(limit: float) -> bytes:
    """Write the simulator's answer: how long it waits for the commands of a cycle, s."""
    packer = _packer(Kind.WELCOME)
    packer.numbers("d", limit)
    return packer.data()


def unpack_welcome(payload: bytes) -> float:
    """Understand it."""
    return float(Unpacker(payload, _HEADER).number("limit", "d"))


def pack_refusal(why: str) -> bytes:
    """Write why the simulator disconnects a proxy."""
    packer = _packer(Kind.REFUSAL)
    packer.text(why)
    return packer.data()


def unpack_refusal(payload: bytes) -> str:
    """Understand it."""
    return Unpacker(payload, _HEADER).text("reason")


def pack_layout(layout: Layout) -> bytes:
    """Write a layout."""
    packer = Packer()
    packer.numbers("q", layout.revision)
    packer.texts(layout.landmarks)
    packer.numbers("I", len(layout.robots))
    for robot in layout.robots:
        for text in (robot.client, robot.robot, robot.team, robot.side):
            packer.text(text)
        packer.numbers("qiiq", robot.handle, robot.variant, robot.unum, robot.registrations)
        for texts in (robot.hinge_effectors, robot.visible_parts, robot.links):
            packer.texts(texts)
        packer.numbers("I", len(robot.slots))
        for slot in robot.slots:
            packer.text(slot.kind)
            packer.text(slot.name)
            packer.texts(slot.columns)
            packer.numbers("I", slot.start)
    return _packer(Kind.LAYOUT).data() + zlib.compress(packer.data(), 1)


def pack_percepts(percepts: Percepts, *, waits: bool = False) -> bytes:
    """Write percepts without their layout and poses.

    Args:
        percepts: of one cycle.
        waits: whether the simulator waits for the answer.
    """
    packer = _packer(Kind.PERCEPTS)
    game, sight = percepts.game, percepts.sight
    flags = waits * _WAITS | (sight is not None) * _SIGHT
    packer.numbers("BqQd", flags, percepts.layout.revision, percepts.cycle, percepts.time)
    packer.numbers("diii", game.time, game.score_left, game.score_right, game.half)
    for text in (game.play_mode, game.team_left, game.team_right):
        packer.text(text)
    packer.array("f8", percepts.values)
    packer.array("u1", np.packbits(percepts.present))
    if sight is not None:
        packer.array("u2", sight.observers)
        packer.array("u4", sight.object_offset)
        packer.array("u2", sight.object_target)
        packer.array("f8", sight.object_polar)
        packer.array("u4", sight.line_offset)
        packer.array("f8", sight.line_polar)
    packer.numbers("I", len(percepts.heard))
    for heard in percepts.heard:
        packer.numbers("qdd", heard.handle, math.nan if heard.direction is None else heard.direction, heard.time)
        packer.text(heard.team)
        packer.text(heard.message)
    packer.numbers("I", len(percepts.notices))
    for notice in percepts.notices:
        packer.text(notice.client)
        packer.text(notice.text)
    return packer.data()


def pack_commands(commands: Commands) -> bytes:
    """Write commands; participants and the wish for poses stay behind, as the simulator's side knows them."""
    packer = _packer(Kind.COMMANDS)
    packer.numbers("Q", commands.answers)
    starts = np.flatnonzero(np.diff(commands.handles, prepend=-1)) if len(commands.handles) else commands.handles
    packer.array("i8", commands.handles[starts])
    packer.array("u4", np.diff(starts, append=len(commands.handles)) if len(starts) else starts)
    packer.array("u2", commands.joints)
    packer.array("f8", commands.velocities)
    packer.numbers("I", len(commands.actions))
    for action in commands.actions:
        packer.text(action.client)
        packer.text(action.kind)
        words, numbers = split_arguments(action)
        packer.texts(words)
        packer.array("f8", numbers)
    packer.numbers("I", len(commands.rejected))
    for reason, count in commands.rejected.items():
        packer.text(reason)
        packer.numbers("I", min(count, 0xFFFFFFFF))
    return packer.data()


def unpack_commands(payload: bytes) -> Commands:
    """Understand commands.

    Raises:
        ProxyFrameError: they are malformed, or have numbers that no proxy sends.
    """
    unpacker = Unpacker(payload, _HEADER)
    answers = unpacker.number("answers", "Q")
    robots, counts = unpacker.ints("handles", "i8"), unpacker.ints("counts", "u4")
    joints, velocities = unpacker.ints("joints", "u2"), unpacker.floats("velocities")
    expect("counts", len(counts), len(robots))
    expect("joints", len(joints), int(counts.sum()))
    expect("velocities", len(velocities), len(joints))
    if np.isnan(velocities).any():
        raise ProxyFrameError("velocities has an entry that is not a number")
    actions = tuple(_action(unpacker) for _ in range(unpacker.count("actions")))
    rejected = {
        unpacker.text("reasons"): int(unpacker.number("reasons", "I")) for _ in range(unpacker.count("reasons"))
    }
    unpacker.end()
    return Commands(
        answers=answers,
        handles=np.repeat(robots, counts),
        joints=joints,
        velocities=velocities,
        actions=actions,
        rejected=rejected,
    )


class ProxyPerceptReader:
    """Makes `Percepts` of messages and remembers the layout.

    Attributes:
        layout: the last one, None before the first.
    """

    def __init__(self) -> None:
        """Start without a layout."""
        self.layout: Layout | None = None
        self._values = self._flags = self._targets = 0

    def read_layout(self, payload: bytes) -> None:
        """Take a new layout.

        Raises:
            ProxyFrameError: it is malformed; the last one is kept.
        """
        unpacker = Unpacker(_decompressed(payload))
        revision, landmarks = unpacker.number("revision", "q"), unpacker.texts("landmarks")
        robots = tuple(_robot(unpacker) for _ in range(unpacker.count("robots")))
        unpacker.end()
        layout = Layout(revision, robots, landmarks)
        slots = [slot for robot in robots for slot in robot.slots]
        self._values = max((slot.start + len(slot.columns) for slot in slots), default=0)
        self._flags = len(slots)
        self._targets = len(layout.targets)
        self.layout = layout

    def read(self, payload: bytes) -> tuple[Percepts, bool]:
        """Understand percepts; the second value says whether the simulator waits for the answer.

        Raises:
            ProxyFrameError: they are malformed or belong to a layout that was never sent.
        """
        unpacker = Unpacker(payload, _HEADER)
        flags, revision, cycle, time = unpacker.numbers("head", "BqQd")
        if self.layout is None or revision != self.layout.revision:
            raise ProxyFrameError(f"layout {revision} is not known")
        game_time, left, right, half = unpacker.numbers("game", "diii")
        mode, team_left, team_right = (unpacker.text("game") for _ in range(3))
        values, present = unpacker.floats("values"), unpacker.ints("present", "u1")
        if len(values) < self._values:
            raise ProxyFrameError(f"values has {len(values)} entries, not {self._values}")
        expect("present", len(present), -(-self._flags // 8))
        percepts = Percepts(
            cycle=cycle,
            time=time,
            layout=self.layout,
            game=GameSnapshot(game_time, mode, left, right, half, team_left, team_right),
            values=values,
            present=np.unpackbits(present.astype(np.uint8), count=self._flags).astype(np.bool_),
            sight=self._sight(unpacker) if flags & _SIGHT else None,
            heard=tuple(_heard(unpacker) for _ in range(unpacker.count("heard"))),
            notices=tuple(
                Notice(unpacker.text("notices"), unpacker.text("notices")) for _ in range(unpacker.count("notices"))
            ),
        )
        unpacker.end()
        return percepts, bool(flags & _WAITS)

    def _sight(self, unpacker: Unpacker) -> Sight:
        assert self.layout is not None
        observers, object_offset = unpacker.ints("observers", "u2"), unpacker.ints("object_offset", "u4")
        targets, objects = unpacker.ints("object_target", "u2"), unpacker.floats("object_polar", 3)
        line_offset, lines = unpacker.ints("line_offset", "u4"), unpacker.floats("line_polar", 6)
        _expect_below("observers", observers, len(self.layout.robots))
        _expect_below("object_target", targets, self._targets)
        expect("object_polar", len(objects), len(targets))
        _expect_offsets("object_offset", object_offset, len(observers), len(objects))
        _expect_offsets("line_offset", line_offset, len(observers), len(lines))
        return Sight(observers, object_offset, targets, objects, line_offset, lines.reshape(-1, 2, 3))


def _packer(kind: Kind) -> Packer:
    packer = Packer()
    packer.numbers("BB", VERSION, kind)
    return packer


def _decompressed(payload: bytes) -> bytes:
    decompressor = zlib.decompressobj()
    try:
        data = decompressor.decompress(payload[_HEADER:], MAX_PERCEPTS)
    except zlib.error:
        raise ProxyFrameError("layout cannot be decompressed") from None
    if not decompressor.eof:
        raise ProxyFrameError(f"layout is incomplete or has more than {MAX_PERCEPTS} bytes")
    return data


def _robot(unpacker: Unpacker) -> RobotLayout:
    client, robot, team, side = (unpacker.text("robots") for _ in range(4))
    handle, variant, unum, registrations = unpacker.numbers("robots", "qiiq")
    effectors, parts, links = (unpacker.texts("robots") for _ in range(3))
    slots = tuple(_slot(unpacker) for _ in range(unpacker.count("slots")))
    return RobotLayout(handle, client, robot, variant, team, side, unum, registrations, slots, effectors, parts, links)


def _slot(unpacker: Unpacker) -> Slot:
    kind, name, columns = unpacker.text("slots"), unpacker.text("slots"), unpacker.texts("columns")
    return Slot(kind, name, columns, unpacker.number("slots", "I"))


def _heard(unpacker: Unpacker) -> Heard:
    handle, direction, time = unpacker.numbers("heard", "qdd")
    team, message = unpacker.text("heard"), unpacker.text("heard")
    return Heard(handle, team, None if math.isnan(direction) else direction, message, time)


def _action(unpacker: Unpacker) -> Action:
    client, kind, words = unpacker.text("actions"), unpacker.text("actions"), unpacker.texts("actions")
    numbers = unpacker.floats("actions").tolist()
    if not all(map(math.isfinite, numbers)):
        raise ProxyFrameError("actions has a number that is not finite")
    try:
        return Action(client, kind, join_arguments(words, numbers))
    except ValueError as error:
        raise ProxyFrameError(f"actions has {error}") from None


_TYPES: dict[str, Callable[[float], Argument]] = {"f": float, "i": int, "b": bool}


def split_arguments(action: Action) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The arguments of an action as words, the first of which has a letter for the type of each, and as numbers."""
    letters = "".join(type(argument).__name__[0] for argument in action.arguments)
    words = tuple(argument for argument in action.arguments if isinstance(argument, str))
    numbers = tuple(float(argument) for argument in action.arguments if not isinstance(argument, str))
    return (letters, *words), numbers


def join_arguments(words: Sequence[str], numbers: Sequence[float]) -> tuple[Argument, ...]:
    """The arguments that `split_arguments` has split.

    Raises:
        ValueError: their types are unknown, or their number is another.
    """
    letters, *texts = words or ("",)
    if set(letters) - {*_TYPES, "s"} or letters.count("s") != len(texts) or len(letters) != len(texts) + len(numbers):
        raise ValueError("arguments that do not fit their types")
    text, number = iter(texts), iter(numbers)
    return tuple(next(text) if letter == "s" else _TYPES[letter](next(number)) for letter in letters)


def _expect_below(part: str, values: NDArray[np.int64], limit: int) -> None:
    if len(values) and int(values.max()) >= limit:
        raise ProxyFrameError(f"{part} has an entry above {limit - 1}")


def _expect_offsets(part: str, offsets: NDArray[np.int64], groups: int, total: int) -> None:
    expect(part, len(offsets), groups + 1)
    if offsets[0] != 0 or offsets[-1] != total or (np.diff(offsets) < 0).any():
        raise ProxyFrameError(f"{part} does not divide {total} entries")
