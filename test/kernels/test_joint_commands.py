"""Plain messages are read as by a regular expression and `float`, to the bit, whether the kernel is compiled or not."""

import math
import re
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from test.rigs.kernels import both

COMPILED, UNCOMPILED = both("joint_commands")
KNOWN = {b"he1": 0, b"he2": 1, b"lae1": 3, b"h": 4}
PLAIN = re.compile(rb"(?:\(%s %s\))*(?:\(syn\))?" % ((rb"[^()\"'\\;_\x00-\x20\x7f]+",) * 2))
FACTOR = 0.87

digits = st.text("0123456789", max_size=18)
numbers = st.one_of(
    st.builds("{}{}{}{}".format, st.sampled_from(["", "-", "+"]), digits, st.sampled_from(["", "."]), digits),
    st.floats().map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=4).map(str),
    st.text("0123456789.+-einfa_x ", max_size=8),
).map(str.encode)
words = st.one_of(st.sampled_from([*KNOWN, b"syn", b"he9", b""]), st.binary(max_size=3))
commands = st.builds(b"(%b %b)".__mod__, st.tuples(words, numbers)) | st.sampled_from([b"(syn)", b"(he1)", b"(", b" "])
messages = st.lists(commands, max_size=5).map(b"".join)


def kernel(module):
    return module.JointCommandKernel(known=KNOWN, factor=FACTOR, words=[], joints=[])


@pytest.mark.parametrize("module", [COMPILED, UNCOMPILED])
def test_words_may_have_several_numbers(module) -> None:
    reader = module.JointCommandKernel(known=KNOWN, factor=1.0, words=[], joints=[], width=3)
    assert reader.read(b"(he1 1 -2.5 3e1)(lae1 0 0.0 -0)(syn)", 0) == [1.0, -2.5, 30.0, 0.0, 0.0, -0.0]
    assert reader.joints == [0, 3] and reader.syn
    for message in (
        b"(he1 1 2)",
        b"(he1 1 2 3 4)",
        b"(he1 1  2 3)",
        b"(he1 inf 0 0)",
        b"(he1 0 nan 0)",
        b"(he1 1 2 3 )",
    ):
        assert reader.read(message, 0) is None


def expected(message: bytes) -> tuple[list[int], list[float], bool] | None:
    """Joints, speeds and whether `(syn)` ends the message."""
    if not PLAIN.fullmatch(message):
        return None
    atoms = message.translate(bytes.maketrans(b"()", b"  ")).split()
    syn = len(atoms) % 2 == 1
    try:
        joints = [KNOWN[word] for word in atoms[: len(atoms) - syn : 2]]
        speeds = [float(number) * FACTOR for number in atoms[1::2]]
    except (KeyError, ValueError):
        return None
    return None if any(map(math.isnan, speeds)) else (joints, speeds, syn)


def bits(speeds: list[float]) -> bytes:
    return struct.pack(f"{len(speeds)}d", *speeds)


@given(st.lists(messages, min_size=1, max_size=4))
@example([b"(he1 -0)(he2 0.1)(syn)", b"(he1 5.)(lae1 .5)", b"(he1 1)(he2 1)(he1 1)", b"(he1 1)", b"(he2 9)", b"(h 1)"])
@example([b"(he1 999999999999999)(he2 9999999999999999)(he1 1.23456789012345)(he1 0.123456789012345678)(he2 1e22)"])
@example([b"(he1 1", b"(he1 ", b"(he1", b"(", b"(he1 1)(syn", b"(syn)(he1 1)", b"(he1 1)x", b"(he1 1 2)", b"(he1 nan)"])
def test_every_message_is_read_as_by_a_regular_expression_and_float(drawn: list[bytes]) -> None:
    for module in (COMPILED, UNCOMPILED):
        reader = kernel(module)
        for message in drawn:
            wanted, speeds = expected(message), reader.read(message, 0)
            assert (speeds is None) == (wanted is None)
            if wanted is not None:
                assert bits(speeds) == bits(wanted[1])
                assert reader.syn == wanted[2]
                assert not speeds or reader.joints == wanted[0]


@pytest.mark.parametrize("module", [COMPILED, UNCOMPILED])
def test_the_list_of_joints_is_kept_and_never_changed(module) -> None:
    reader = kernel(module)
    reader.read(b"(he1 1)(he2 1)", 0)
    kept = reader.joints
    reader.read(b"(he1 2)(he2 3)(syn)", 0)
    assert reader.joints is kept
    for message in (b"(he1 1)(lae1 1)", b"(he1 1)(he2 1)(h 1)", b"(he1 1)"):
        reader.read(message, 0)
    assert kept == [0, 1]


@pytest.mark.parametrize("module", [COMPILED, UNCOMPILED])
def test_what_stands_before_the_beginning_is_not_looked_at(module) -> None:
    assert kernel(module).read(b"(say (he1 1)(syn)", 5) == [FACTOR]
    assert kernel(module).read(b"(say x)", 7) == []


@pytest.mark.parametrize("module", [COMPILED, UNCOMPILED])
def test_speeds_of_several_messages_are_written_behind_each_other(module) -> None:
    speeds = np.empty(3)
    module.join_speeds([[1.5, -0.0], [], [math.inf]], speeds)
    assert bits(speeds.tolist()) == bits([1.5, -0.0, math.inf])
