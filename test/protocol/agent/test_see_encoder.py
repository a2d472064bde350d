from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.exchange import Layout, RobotLayout
from simspark_ros.perceptors.readings import Sight
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.protocol.agent.see_encoder import SeeEncoder

VISION = load_profile("measured").vision
NOTHING = np.zeros(0)


def layout(team: str, robots: int, parts: int = 2, marks: tuple[str, ...] = ("G1L", "B")) -> Layout:
    robot = RobotLayout(1, "", "nao", 0, team, "left", 1, 1, (), (), tuple(f"part{i}" for i in range(parts)), ())
    rows = tuple(replace(robot, handle=row + 1, unum=row + 1) for row in range(robots))
    return Layout(1, rows, marks)


def everything(layout: Layout) -> Sight:
    """One robot sees all targets of a layout and one line."""
    count = len(layout.targets)
    return Sight(
        observers=np.array([0]),
        object_offset=np.array([0, count]),
        object_target=np.arange(count),
        object_polar=np.full((count, 3), 0.5),
        line_offset=np.array([0, 1]),
        line_polar=np.full((1, 2, 3), 0.25),
    )


def encoder_of(layout: Layout) -> SeeEncoder:
    encoder = SeeEncoder(VISION, 2)
    encoder.set_layout(layout)
    return encoder


def message(encoder: SeeEncoder, layout: Layout) -> str:
    return encoder.encode(everything(layout), NOTHING)[0]


def test_two_encoders_with_different_layouts_do_not_disturb_each_other():
    ours, theirs = layout("A", 1), layout("B", 3, marks=("F1R", "G2L", "B"))
    alone = [message(encoder_of(each), each) for each in (ours, theirs)]
    assert "(team A)" in alone[0] and "(team B)" in alone[1]
    first, second = encoder_of(ours), encoder_of(theirs)
    for _ in range(2):
        assert [message(first, ours), message(second, theirs)] == alone
        first.set_layout(ours)
    first.set_layout(theirs)
    second.set_layout(ours)
    assert [message(second, ours), message(first, theirs)] == alone


@pytest.mark.parametrize("sizes", [(1, 3, 1), (0, 22, 2), (2, 400, 1, 401)])
def test_layouts_that_grow_and_shrink_are_written_as_by_a_new_encoder(sizes):
    encoder = SeeEncoder(VISION, 2)
    for robots in sizes:
        current = layout("A", robots)
        encoder.set_layout(current)
        text = message(encoder, current)
        assert text == message(encoder_of(current), current)
        assert text.count("(P ") == robots
        assert text.count("(id ") == robots
        assert text.endswith(" (L (pol 0.25 14.32 14.32) (pol 0.25 14.32 14.32)))")


def seen(targets: list[int], offset: list[int], lines: list[int], size: float) -> Sight:
    """Two robots see these targets and so many lines."""
    polar, ends = np.full((len(targets), 3), size), np.full((lines[-1], 2, 3), size)
    return Sight(np.array([0, 1]), np.array(offset), np.array(targets), polar, np.array(lines), ends)


def test_what_was_seen_before_does_not_matter():
    current = layout("A", 2)
    encoder = encoder_of(current)
    # Players' parts are 2, 3 and 4, 5; the same targets are seen by the one, by the other, and with a line.
    for sight in (
        seen([0, 2, 3, 4], [0, 2, 4], [0, 0, 0], 0.5),
        seen([0, 2, 3, 4], [0, 2, 4], [0, 0, 0], -0.25),
        seen([0, 2, 3, 4], [0, 3, 4], [0, 0, 0], 0.5),
        seen([0, 2, 3, 4], [0, 3, 4], [0, 1, 1], 0.5),
        seen([0, 2, 3, 4], [0, 3, 4], [0, 0, 1], 0.5),
        seen([0, 2, 4, 5], [0, 3, 4], [0, 0, 1], 0.5),
        seen([0, 2, 3, 4], [0, 2, 4], [0, 0, 0], 0.5),
    ):
        assert encoder.encode(sight, NOTHING) == encoder_of(current).encode(sight, NOTHING)
