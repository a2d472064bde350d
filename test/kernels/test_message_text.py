"""Messages to agents are the same bytes whether the kernels are compiled or not; numbers are those of formatting."""

import math
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


@pytest.mark.parametrize("module", MODULES)
def test_a_number_that_is_half_a_step_but_for_a_rounding_error_goes_to_the_even_step(module) -> None:
    assert texts(module, [2.675, 0.125, 0.135, 0.5], decimals=2) == ["2.68", "0.12", "0.14", "0.50"]


@pytest.mark.parametrize("decimals", DECIMALS)
def test_every_step_that_is_written_digit_by_digit_is_written_as_by_formatting(decimals: int) -> None:
    numbers = [sign * step / 10.0**decimals for step in range(41_000) for sign in (1.0, -1.0)]
    assert texts(COMPILED, numbers, decimals=decimals) == [f"{number:.{decimals}f}" for number in numbers]


@pytest.mark.parametrize("module", MODULES)
def test_numbers_may_begin_with_a_blank_and_zeros_have_no_sign(module) -> None:
    written = texts(module, [-0.01, -0.06, -0.0, 900.0], decimals=1, blank=True, signed_zero=False)
    assert written == [" 0.0", " -0.1", " 0.0", " 900.0"]


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


@pytest.mark.parametrize("module", MODULES)
def test_a_text_of_any_length_is_kept(module) -> None:
    buffer = module.TextBuffer(2, False, True)
    for _ in range(3000):
        buffer.put(b"abc")
        buffer.put_number(-399.99)
        buffer.put_number(1e9)
    buffer.put(b"x" * 100_000)
    assert buffer.text() == b"abc-399.991000000000.00" * 3000 + b"x" * 100_000


def structure(robots: int) -> Layout:
    rows = []
    start = 0
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
        rows.append(
            RobotLayout(row + 1, client, "nao", 0, team, "left", row, row, tuple(slots), (), ("head", "foot"), ())
        )
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


def messages(module, percepts: list[Percepts], simple_players: bool) -> tuple[list[dict[str, bytes]], int]:
    """Messages of an encoder whose kernels are those of a module, and its count of what could not be sent."""
    perceptors = {**PROFILE.perceptors, "touch": PerceptorFormat("(TCH n {name} val {})", ("touching",), decimals=1)}
    profile = replace(PROFILE, perceptors=perceptors, vision=VisionFormat(simple_players=simple_players))
    with pytest.MonkeyPatch.context() as patch:
        for user, names in (
            (encoder, ("MessageKernel", "TextBuffer")),
            (message_form, ("Pattern",)),
            (see_encoder, ("SeenKernel", "TextBuffer")),
        ):
            for name in names:
                patch.setattr(user, name, getattr(module, name))
        writer = encoder.AgentEncoder(profile)
        written = [writer.encode(each, {1: "(IMG \xfc)"}) for each in percepts]
        return written, writer.non_finite


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 30), st.lists(st.integers(1, 5), min_size=1, max_size=3), st.booleans())
@example(4, [3, 5, 2], False)
def test_messages_are_the_same_bytes_compiled_and_uncompiled(seed: int, sizes: list[int], simple: bool) -> None:
    percepts = []
    for robots in sizes:
        layout = structure(robots)
        percepts += [drawn(layout, seed + count) for count in range(3)]
    compiled = messages(COMPILED, percepts, simple)
    assert compiled == messages(UNCOMPILED, percepts, simple)
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
            messages(module, [wrong], False)
