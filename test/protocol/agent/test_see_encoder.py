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


@pytest.mark.parametrize("sizes", [(1, 3, 1), (0, 22, 2), (2, 400, 1, 401)])
def test_layouts_that_grow_and_shrink_are_written_as_by_a_new_encoder(sizes):
    encoder = SeeEncoder(VISION, 2)
    for robots in sizes:
        current = layout("AB"[robots % 2], robots)
        encoder.set_layout(current)
        text = message(encoder, current)
        assert text == message(encoder_of(current), current)
        assert text.count("(P ") == robots
        assert text.count("(id ") == robots
        assert text.endswith(" (L (pol 0.25 14.32 14.32) (pol 0.25 14.32 14.32)))")
