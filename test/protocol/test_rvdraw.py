"""Datagrams of agents' drawings, written as the libraries of teams write them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.protocol.rvdraw import DrawnShape, Label, Swap, read_packet

RED = bytes((255, 0, 0))


def numbers(*values: float) -> bytes:
    """Numbers as C's `%6f` writes them, cut off after six characters."""
    return b"".join(f"{value:6f}"[:6].encode() for value in values)


def line(name: str, *values: float) -> bytes:
    return bytes((1, 1)) + numbers(*values, 2.0) + RED + name.encode() + b"\0"


def swap(name: str = "") -> bytes:
    return bytes((0, 0)) + name.encode() + b"\0"


def test_a_datagram_has_several_commands():
    ball = bytes((1, 2)) + numbers(1.5, -10.25, 0.0, 5.0) + RED + b"A.ball\0"
    text = bytes((2, 0)) + numbers(0.0, 1.0, 2.0) + RED + b"here\0A.texts\0"
    label = bytes((2, 1, 128 + 6)) + RED + b"keeper\0"
    read = [*read_packet(line("A.path", 0.0, 0.0, 0.0, 1.0, 2.0, 3.0) + ball + text + label + swap("A"))]
    assert read == [
        DrawnShape("A.path", (255, 0, 0), lines=(((0.0, 0.0, 0.0), (1.0, 2.0, 3.0)),)),
        DrawnShape("A.ball", (255, 0, 0), points=((1.5, -10.25, 0.0),)),
        DrawnShape("A.texts", (255, 0, 0), points=((0.0, 1.0, 2.0),), text="here"),
        Label(left=False, unum=7, text="keeper"),
        Swap("A"),
    ]


def test_what_shows_nothing_leaves_the_rest_of_a_datagram_readable():
    selection = bytes((3, 0, 128 + 1))
    unseen = bytes((2, 0)) + numbers(0.0, 1.0, 2.0) + RED + b"\0A.texts\0"
    assert [*read_packet(selection + unseen + swap("A"))] == [Swap("A")]


@pytest.mark.parametrize("written", [b"1.5   ", b"   1.5", b"1.5\0\0\0"])
def test_a_number_may_be_padded(written):
    (shape,) = read_packet(bytes((1, 2)) + written * 4 + RED + b"a\0")
    assert isinstance(shape, DrawnShape) and shape.points == ((1.5, 1.5, 1.5),)


def test_round_things_and_areas_are_closed_outlines():
    circle = bytes((1, 0)) + numbers(3.0, 1.0, 0.5, 2.0) + RED + b"c\0"
    sphere = bytes((1, 3)) + numbers(0.0, 0.0, 1.0, 0.5) + RED + b"s\0"
    area = bytes((1, 4, 3)) + RED + b"\x80" + numbers(0, 0, 0, 1, 0, 0, 0, 1, 0) + b"p\0"
    for packet, corners in ((circle, 16), (sphere, 48), (area, 3)):
        (shape,) = read_packet(packet)
        assert isinstance(shape, DrawnShape) and len(shape.lines) == corners
        assert {start for start, _ in shape.lines} == {end for _, end in shape.lines}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x01", "cut off"),
        (b"\x07\x00", "no command 7 0"),
        (line("a", 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)[:20], "cut off"),
        (bytes((1, 2)) + b"abcdef" * 4 + RED + b"a\0", "could not convert"),
        (bytes((1, 2)) + b"   nan" * 4 + RED + b"a\0", "not a number up to 1000"),
    ],
)
def test_what_cannot_be_read_is_refused_and_what_precedes_it_is_good(data, reason):
    packet = read_packet(swap("first") + data)
    assert next(packet) == Swap("first")
    with pytest.raises(ValueError, match=reason):
        next(packet)


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(data):
    with suppress(ValueError):
        list(read_packet(data))
