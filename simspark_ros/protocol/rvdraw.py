"""Drawings that agents send to RoboViz over UDP: datagrams of commands, each a shape, a text or a swap.

As RoboViz 2.1 reads them: a number has six ASCII characters, a colour a byte for each of red, green and blue, a text
ends with a NUL. Shapes gather in named sets, unseen until a swap shows all sets whose names begin with its text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simspark_ros.physics.model import Vector
from simspark_ros.simulation.drawings import FARTHEST, LONGEST_TEXT

Colour = tuple[int, int, int]

_CORNERS = 16
"""Corners of a circle."""


@dataclass(frozen=True)
class Swap:
    """All sets whose names begin with a text show what has gathered."""

    name: str


@dataclass(frozen=True)
class DrawnShape:
    """A shape or text of a set: world frame, m.

    Attributes:
        name: name of the set.
        colour: its colour.
        points: places of dots.
        lines: ends of lines.
        text: text at the first point, in place of dots; empty = none.
    """

    name: str
    colour: Colour
    points: tuple[Vector, ...] = ()
    lines: tuple[tuple[Vector, Vector], ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Label:
    """Text above a player, until the next one or until the player leaves; empty = none."""

    left: bool
    unum: int
    text: str = ""


Command = Swap | DrawnShape | Label


def read_packet(data: bytes) -> Iterator[Command]:
    """The commands of a datagram that show something here, in order.

    Raises:
        ValueError: a command is unknown, cut off, or has a wrong or too large number; the commands before it are good.
    """
    reader = _Reader(data)
    while reader.rest:
        kind = reader.byte(), reader.byte()
        read = _COMMANDS.get(kind)
        if read is None:
            raise ValueError(f"there is no command {kind[0]} {kind[1]}")
        if (command := read(reader)) is not None:
            yield command


class _Reader:
    """Reads a datagram from front to back."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def take(self, count: int) -> bytes:
        """The next bytes."""
        taken, self.rest = self.rest[:count], self.rest[count:]
        if len(taken) < count:
            raise ValueError("a command is cut off")
        return taken

    def byte(self) -> int:
        """A number from 0 to 255."""
        return self.take(1)[0]

    def number(self) -> float:
        """A number of six characters, which may be padded with spaces or, by programs in C, NULs."""
        value = float(self.take(6).strip(b" \0"))
        if not abs(value) <= FARTHEST:
            raise ValueError(f"{value} is not a number up to {FARTHEST:g}")
        return value

    def place(self) -> Vector:
        """A place in the world, m."""
        return (self.number(), self.number(), self.number())

    def colour(self) -> Colour:
        """Red, green and blue."""
        red, green, blue = self.take(3)
        return (red, green, blue)

    def text(self) -> str:
        """A text up to its NUL, which may be missing at the end."""
        text, _, self.rest = self.rest.partition(b"\0")
        return text.decode("utf-8", "replace")

    def player(self) -> tuple[bool, int]:
        """Whether a player is of the left team, and its number."""
        right, index = divmod(self.byte(), 128)
        return not right, index + 1


def _circle(reader: _Reader) -> DrawnShape:
    x, y, radius, _ = (reader.number() for _ in range(4))
    colour = reader.colour()
    return DrawnShape(reader.text(), colour, lines=_ring((x, y, 0.01), radius, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))


def _line(reader: _Reader) -> DrawnShape:
    ends = reader.place(), reader.place()
    reader.number()
    colour = reader.colour()
    return DrawnShape(reader.text(), colour, lines=(ends,))


def _point(reader: _Reader) -> DrawnShape:
    place = reader.place()
    reader.number()
    colour = reader.colour()
    return DrawnShape(reader.text(), colour, points=(place,))


def _sphere(reader: _Reader) -> DrawnShape:
    centre, radius, colour = reader.place(), reader.number(), reader.colour()
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    rings = (_ring(centre, radius, *axes) for axes in ((x, y), (y, z), (z, x)))
    return DrawnShape(reader.text(), colour, lines=tuple(line for ring in rings for line in ring))


def _polygon(reader: _Reader) -> DrawnShape:
    # The fourth part of the colour is its opacity.
    count, colour, _ = reader.byte(), reader.colour(), reader.byte()
    corners = [reader.place() for _ in range(count)]
    return DrawnShape(reader.text(), colour, lines=_closed(corners))


def _annotation(reader: _Reader) -> DrawnShape | None:
    place, colour, text, name = reader.place(), reader.colour(), reader.text(), reader.text()
    return DrawnShape(name, colour, points=(place,), text=text[:LONGEST_TEXT]) if text else None


def _label(reader: _Reader) -> Label:
    player, _ = reader.player(), reader.colour()
    return Label(*player, reader.text()[:LONGEST_TEXT])


def _selection(reader: _Reader) -> None:
    # RoboViz selects this player for its own user; whoever watches here chooses for themselves.
    reader.player()


def _ring(centre: Vector, radius: float, first: Vector, second: Vector) -> tuple[tuple[Vector, Vector], ...]:
    """A circle in the plane of two axes."""
    turns = [math.tau * corner / _CORNERS for corner in range(_CORNERS)]
    return _closed([_away(centre, radius * math.cos(t), first, radius * math.sin(t), second) for t in turns])


def _away(centre: Vector, a: float, first: Vector, b: float, second: Vector) -> Vector:
    x, y, z = (c + a * u + b * v for c, u, v in zip(centre, first, second, strict=True))
    return (x, y, z)


def _closed(corners: list[Vector]) -> tuple[tuple[Vector, Vector], ...]:
    return tuple(zip(corners, corners[1:] + corners[:1], strict=True))


_COMMANDS: dict[tuple[int, int], Callable[[_Reader], Command | None]] = {
    (0, 0): lambda reader: Swap(reader.text()),
    (1, 0): _circle,
    (1, 1): _line,
    (1, 2): _point,
    (1, 3): _sphere,
    (1, 4): _polygon,
    (2, 0): _annotation,
    (2, 1): _label,
    (2, 2): lambda reader: Label(*reader.player()),
    (3, 0): _selection,
}
