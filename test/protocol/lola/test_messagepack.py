from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.protocol.framing import FramingError
from simspark_ros.protocol.lola.messagepack import MessageCutter, MessagePackReader
from test.rigs.messages.messagepack import packed

MESSAGE = {"Position": [0.5] * 25, "Sonar": [True, False], "m": [1, -3, 300, 2.5, None, "ear", b"bytes"], "s": "text"}

SCALARS: dict[bytes, Any] = {
    **{b"\x07": 7, b"\xff": -1, b"\xcc\xff": 255, b"\xcd\x01\x00": 256, b"\xce\x00\x01\x00\x00": 65536},
    **{b"\xcf" + b"\xff" * 8: 2**64 - 1, b"\xd3" + b"\xff" * 8: -1},
    **{b"\xd0\x80": -128, b"\xd1\xff\x00": -256, b"\xd2\xff\xff\x00\x00": -65536},
    **{b"\xca\x3f\x00\x00\x00": 0.5, b"\xcb\x3f\xe0" + b"\x00" * 6: 0.5},
    **{b"\xc0": None, b"\xc2": False, b"\xc3": True},
    **{
        b"\xa2ab": "ab",
        b"\xd9\x02ab": "ab",
        b"\xda\x00\x02ab": "ab",
        b"\xdb\x00\x00\x00\x02ab": "ab",
        b"\xa1\xff": "\ufffd",
    },
    **{b"\xc4\x02ab": b"ab", b"\xc5\x00\x02ab": b"ab", b"\xc6\x00\x00\x00\x02ab": b"ab"},
    **{b"\xd4\x01a": b"\x01a", b"\xd8\x01" + b"a" * 16: b"\x01" + b"a" * 16, b"\xc7\x02\x01ab": b"\x01ab"},
}
"""Examples of the specification's formats."""


@pytest.mark.parametrize(("data", "value"), SCALARS.items())
def test_every_format_is_found_and_read(data, value):
    assert MessageCutter(100).feed(data + data) == [data, data] and MessagePackReader(data).value() == value


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("size", [1, 2, 7, 100, 10_000])
def test_messages_are_found_however_they_arrive(single, size):
    message = packed(MESSAGE, single)
    stream, cutter = message * 3, MessageCutter(len(message))
    found = [m for start in range(0, len(stream), size) for m in cutter.feed(stream[start : start + size])]
    assert found == [message] * 3
    reader = MessagePackReader(message)
    assert reader.entries() == len(MESSAGE) and {reader.value(): reader.value() for _ in MESSAGE} == MESSAGE


@pytest.mark.parametrize(
    "header", [b"\xdb\x40\x00\x00\x00", b"\xdd\x40\x00\x00\x00", b"\xdf\xff\xff\xff\xff", b"\xc6\x40\x00\x00\x00"]
)
def test_what_announces_to_be_too_long_is_refused_before_it_comes(header):
    with pytest.raises(FramingError, match=r"announces a message of \d{10} bytes or more; at most 4096 are accepted"):
        MessageCutter(4096).feed(header)


def test_values_that_are_many_small_ones_are_refused_at_the_limit_and_messages_before_a_bad_one_are_not_lost():
    with pytest.raises(FramingError, match="at most 100"):
        MessageCutter(100).feed(b"\x92" * 200)
    with pytest.raises(FramingError, match="byte 0xc1") as caught:
        MessageCutter(100).feed(b"\x80\x07\xc1")
    assert caught.value.messages == [b"\x80", b"\x07"]


@pytest.mark.parametrize(
    ("told", "value"),
    [([[1, 2], 3], [None, 1, 2, 3]), ({1: 2}, [None, 1, 2]), ([{0.5: 0.25}], [None, 0.5, 0.25]), ([], [])],
)
def test_what_is_nested_cannot_be_mistaken_for_numbers(told, value):
    assert MessagePackReader(packed(told)).value() == value


def test_a_message_that_is_no_map_has_no_entries():
    assert MessagePackReader(packed([1.0])).entries() is None and MessagePackReader(b"\x80").entries() == 0


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=20))
def test_no_bytes_make_it_fail_in_another_way(chunks):
    cutter = MessageCutter(64)
    with suppress(FramingError):
        for message in (message for chunk in chunks for message in cutter.feed(chunk)):
            reader = MessagePackReader(message)
            for _ in range(2 * (reader.entries() or 0)):
                reader.value()
