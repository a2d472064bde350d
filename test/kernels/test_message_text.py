"""Texts of agents are written and read as by formatting and `float`, whether the kernels are compiled or not."""

import math
import re
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Sight
from simspark_ros.protocol.agent import encoder, message_form, see_encoder
from simspark_ros.protocol.agent.profile import PerceptorFormat, VisionFormat, load_profile
from test.rigs.kernels import both

COMPILED, UNCOMPILED = both("message_text")
MODULES = [COMPILED, UNCOMPILED]
DECIMALS = [0, 1, 2, 3]
PROFILE = load_profile("measured")
CORNERS = [0.0, -0.0, 0.004, -0.004, 0.005, 0.125, 0.5, 1.5, 2.675, -2.5, 399.994, 399.995, -400.0, 400.005, 400.01]
CORNERS += [9.99, 99.995, -99.5, -12345.678, 9.9e8, 1e300, math.inf, -math.inf, math.nan, 5e-324]


def texts(module, numbers: list[float], *, decimals: int, blank: bool = False, signed_zero: bool = True) -> list[str]:
    buffer = module.TextBuffer(decimals, blank, signed_zero)
    written = []
    for number in numbers:
        buffer.clear()
        buffer.put_number(number)
        written.append(buffer.text().decode())
    return written


def is_near_half_a_step(number: float, decimals: int) -> bool:
    """Whether rounding errors may decide which way a number is rounded."""
    return math.isfinite(number) and abs(abs(number) * 10**decimals % 1.0 - 0.5) < 1e-10


@given(number=st.one_of(st.floats(), st.floats(-500.0, 500.0), st.sampled_from(CORNERS)))
def test_drawn_numbers_are_written_as_by_formatting(number: float) -> None:
    for decimals in DECIMALS:
        compiled, uncompiled = (texts(module, [number], decimals=decimals) for module in MODULES)
        assert compiled == uncompiled
        if decimals == 0 or not is_near_half_a_step(number, decimals):
            assert compiled == [f"{number:.{decimals}f}"]


@pytest.mark.parametrize("decimals", DECIMALS)
def test_every_step_that_is_written_digit_by_digit_is_written_as_by_formatting(decimals: int) -> None:
    numbers = [sign * step / 10.0**decimals for step in range(41_000) for sign in (1.0, -1.0)]
    assert texts(COMPILED, numbers, decimals=decimals) == [f"{number:.{decimals}f}" for number in numbers]


@pytest.mark.parametrize("module", MODULES)
def test_numbers_are_rounded_to_even_may_begin_with_a_blank_and_texts_of_any_length_are_kept(module) -> None:
    # 2.675 is half a step but for a rounding error.
    assert texts(module, [2.675, 0.125, 0.135, 0.5], decimals=2) == ["2.68", "0.12", "0.14", "0.50"]
    written = texts(module, [-0.01, -0.06, -0.0, 900.0], decimals=1, blank=True, signed_zero=False)
    assert written == [" 0.0", " -0.1", " 0.0", " 900.0"]
    buffer = module.TextBuffer(2, False, True)
    for _ in range(3000):
        buffer.put(b"abc")
        buffer.put_number(-399.99)
        buffer.put_number(1e9)
    buffer.put(b"x" * 100_000)
    assert buffer.text() == b"abc-399.991000000000.00" * 3000 + b"x" * 100_000


@pytest.mark.parametrize("module", MODULES)
def test_numbers_may_be_cut_off_and_written_as_short_as_python_does(module) -> None:
    """As `str(int(number * 100) / 100.0)`, and `-0.0` for negative numbers that are cut to zero."""
    numbers = [0.3, -0.3, 2.675, 12.0, -0.004, 0.004, 0.0, -0.0, 399.999, 400.129, -1234.567, 9.9e8, 0.1, 1.05]
    buffer = module.TextBuffer(2, False, True, True)
    for number in numbers:
        buffer.clear()
        buffer.put_number(number)
        assert buffer.text().decode() == str(math.copysign(math.trunc(number * 100) / 100.0, number))
        assert buffer.text().decode() == replace(PROFILE, numbers="cut").written(number, 2)
    whole = module.TextBuffer(0, True, True, True)
    whole.put_number(1.9)
    assert whole.text() == b" 1"


def structure(robots: int) -> Layout:
    rows, start = [], 0
    for row in range(robots):
        slots = []
        for kind, name, columns in (
            ("time", "", ()),
            ("game_state", "", ()),
            ("gyroscope", "torso", ("x", "y", "z")),
            ("touch", "t\xfc", ("touching",)),
            ("vision", "", () if row % 2 else ("position_x", "position_y", "position_z", "orientation")),
            ("hinge_joint", "hj1", ("angle",)),
        ):
            slots.append(Slot(kind, name, columns, start))
            start += len(columns)
        client, team = ("", f"c{row}")[row != 1], ("", "A", "B")[row % 3]
        parts = ("head", "foot")
        rows.append(RobotLayout(row + 1, client, "nao", 0, team, "left", row, row, tuple(slots), (), parts, ()))
    return Layout(1, tuple(rows), ("F1L", "G1L", "B"))


def drawn(layout: Layout, seed: int) -> Percepts:
    """Percepts with readings of all sizes, some of which cannot be sent."""
    random = np.random.default_rng(seed)

    def readings(*shape: int):
        values = random.normal(0.0, 10.0 ** random.integers(-3, 4), shape)
        return np.where(random.random(shape) < 0.02, random.choice([np.nan, np.inf, -1e9, 1e300, -0.0], shape), values)

    slots = [slot for robot in layout.robots for slot in robot.slots]
    observers = np.flatnonzero(random.random(len(layout.robots)) < 0.8)
    seen = [np.flatnonzero(random.random(len(layout.targets)) < 0.5) for _ in observers]
    lines = random.integers(0, 4, len(observers))
    sight = Sight(
        observers=observers,
        object_offset=np.cumsum([0, *map(len, seen)]),
        object_target=np.concatenate([np.zeros(0, np.int64), *seen]),
        object_polar=readings(sum(map(len, seen)), 3),
        line_offset=np.cumsum([0, *lines]),
        line_polar=readings(int(lines.sum()), 2, 3),
    )
    values = readings(slots[-1].start + 1)
    # As from another process.
    values.flags.writeable = sight.object_polar.flags.writeable = False
    game = GameSnapshot(1.0, "PlayOn", 0, 0, 1, "A", "B")
    return Percepts(1, 1.0, layout, game, values, random.random(len(slots)) < 0.8, sight)


def encoded(module, percepts: list[Percepts], simple_players: bool) -> tuple[list[dict[str, bytes]], int]:
    """Messages of an encoder whose kernels are those of a module, and its count of what could not be sent."""
    perceptors = {**PROFILE.perceptors, "touch": PerceptorFormat("(TCH n {name} val {})", ("touching",), decimals=1)}
    profile = replace(PROFILE, perceptors=perceptors, vision=VisionFormat(simple_players=simple_players))
    with pytest.MonkeyPatch.context() as patch:
        users = (encoder, "MessageKernel TextBuffer"), (message_form, "Pattern"), (see_encoder, "SeenKernel TextBuffer")
        for user, names in users:
            for name in names.split():
                patch.setattr(user, name, getattr(module, name))
        writer = encoder.AgentEncoder(profile)
        written = [writer.encode(each, {1: "(IMG \xfc)"}) for each in percepts]
        return written, writer.non_finite


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 30), st.lists(st.integers(1, 5), min_size=1, max_size=3), st.booleans())
@example(4, [3, 5, 2], False)
def test_messages_are_the_same_bytes_compiled_and_uncompiled(seed: int, sizes: list[int], simple: bool) -> None:
    percepts = [drawn(layout, seed + count) for layout in map(structure, sizes) for count in range(3)]
    compiled = encoded(COMPILED, percepts, simple)
    assert compiled == encoded(UNCOMPILED, percepts, simple)
    assert all(message.endswith(b"(IMG ?)") for each in compiled[0] for name, message in each.items() if name == "c0")


@pytest.mark.parametrize("module", MODULES)
def test_percepts_that_are_shorter_than_their_layout_says_are_refused(module) -> None:
    percepts = drawn(structure(3), 1)
    sight = percepts.sight
    assert sight is not None
    for wrong in (
        replace(percepts, values=percepts.values[:-1]),
        replace(percepts, sight=replace(sight, object_offset=sight.object_offset + 100)),
        replace(percepts, sight=replace(sight, object_target=sight.object_target + 100)),
    ):
        with pytest.raises(IndexError):
            encoded(module, [wrong], False)


READERS = both("joint_commands")
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


@pytest.mark.parametrize("module", READERS)
def test_words_may_have_several_numbers_joints_are_never_changed_and_speeds_are_joined(module) -> None:
    reader = module.JointCommandKernel(known=KNOWN, factor=1.0, words=[], joints=[], width=3)
    assert reader.read(b"(he1 1 -2.5 3e1)(lae1 0 0.0 -0)(syn)", 0) == [1.0, -2.5, 30.0, 0.0, 0.0, -0.0]
    assert reader.joints == [0, 3] and reader.syn
    for numbers in (b"1 2", b"1 2 3 4", b"1  2 3", b"inf 0 0", b"0 nan 0", b"1 2 3 "):
        assert reader.read(b"(he1 " + numbers + b")", 0) is None
    reader = kernel(module)
    reader.read(b"(he1 1)(he2 1)", 0)
    kept = reader.joints
    reader.read(b"(he1 2)(he2 3)(syn)", 0)
    assert reader.joints is kept
    for message in (b"(he1 1)(lae1 1)", b"(he1 1)(he2 1)(h 1)", b"(he1 1)"):
        reader.read(message, 0)
    assert kept == [0, 1]
    assert kernel(module).read(b"(say (he1 1)(syn)", 5) == [FACTOR]
    assert kernel(module).read(b"(say x)", 7) == []
    speeds = np.empty(3)
    module.join_speeds([[1.5, -0.0], [], [math.inf]], speeds)
    assert bits(speeds.tolist()) == bits([1.5, -0.0, math.inf])


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
    for module in READERS:
        reader = kernel(module)
        for message in drawn:
            wanted, speeds = expected(message), reader.read(message, 0)
            assert (speeds is None) == (wanted is None)
            if wanted is not None:
                assert bits(speeds) == bits(wanted[1])
                assert reader.syn == wanted[2]
                assert not speeds or reader.joints == wanted[0]
