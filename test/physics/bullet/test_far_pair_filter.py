"""Robots that stand close are not solved as one, and move as if they were."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def crowd(lab, rows: int = 2, columns: int = 3, spacing: float = 0.3) -> list[int]:
    """Shoulder to shoulder, nobody touches anybody; bounding boxes of links overlap."""
    return [lab.nao(x=spacing * column, y=spacing * row, z=0.386) for row in range(rows) for column in range(columns)]


def jostling(lab) -> Iterator[None]:
    """All joints move at random for 30 cycles; pauses ten times."""
    control, draw = lab.hold(), np.random.default_rng(3)
    for _ in range(10):
        control.velocity[:] = draw.uniform(-2.0, 2.0, len(control.velocity))
        lab.run(3, control)
        yield


def place(lab, robots, positions) -> None:
    for robot, position in zip(robots, positions, strict=True):
        lab.engine.place_robot(robot, position, UPRIGHT)


def without_parting(lab):
    lab.core._far_pairs.part = lambda positions: None
    return lab


def test_crowd_moves_as_if_solved_as_one(make_lab):
    parted, whole = make_lab(), make_lab()
    for lab in (parted, whole):
        robots = crowd(lab)
        # The middle one is thrown against its neighbours.
        lab.engine.set_velocity(robots[1], (1.5, 0.3, 0.0), (0.0, 0.0, 0.0))
    without_parting(whole)
    left_out = 0
    for _ in range(25):
        for lab in (parted, whole):
            lab.run(1)
        left_out = max(left_out, len(parted.core._far_pairs._left_out))
        # Rounding of a solver that sees rows in another order, enlarged by half a second of impacts.
        assert parted.state.position == pytest.approx(whole.state.position, abs=1e-6)
        assert parted.state.joint_position == pytest.approx(whole.state.joint_position, abs=1e-5)
    assert left_out > 5
    # There was an impact: the right neighbour was pushed on.
    assert parted.state.position[2, 0] > 0.605


def test_links_that_may_touch_are_never_left_out(lab):
    robots = crowd(lab, spacing=0.27)
    for _ in jostling(lab):
        before = lab.core._far_pairs
        lab.core._far_pairs.part(lab.state.position)
        assert before._left_out and not any(before._may_touch(pair) for pair in before._left_out)
    assert lab.state.handles == tuple(robots)


def test_all_is_back_when_the_crowd_dissolves(lab):
    robots = crowd(lab)
    lab.run(2)
    assert lab.core._far_pairs._left_out
    for number, robot in enumerate(robots):
        lab.engine.place_robot(robot, (2.0 * number, 5.0, 0.4), UPRIGHT)
    lab.run(1)
    assert not lab.core._far_pairs._left_out


def test_robots_that_leave_are_forgotten_and_a_few_are_no_crowd(lab):
    robots = crowd(lab)
    lab.run(2)
    gone = lab.core._robots[robots[0]].body
    lab.engine.remove_robot(robots[0])
    assert not any(gone in pair[:2] for pair in lab.core._far_pairs._left_out)
    lab.engine.remove_robot(robots[1])
    lab.run(1)
    assert not lab.core._far_pairs._left_out


def test_world_made_anew_starts_with_no_pairs_left_out(lab):
    robots = crowd(lab)
    lab.run(2)
    lab.core._robots[robots[3]].set_velocity((np.nan, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    # Numbers that are not finite reach those it touched, too.
    assert robots[3] in lab.engine.recovered
    assert not lab.core._far_pairs._left_out
    lab.run(30)
    assert lab.engine.recovered == [] and lab.state.touching.all()


def test_ghosts_are_not_looked_at(lab):
    for _ in range(6):
        lab.nao(x=1.0)
    lab.run(2)
    assert all(robot.ghost for robot in lab.core._robots.values())
    assert not lab.core._far_pairs._left_out


@pytest.mark.parametrize(("stay", "together"), [(6, 6), (6, 2), (2, 2)])
def test_ghosts_that_were_a_crowd_pass_through_each_other(lab, stay, together):
    """Bullet heeds what it was once told about a pair more than the groups of ghosts."""
    robots = crowd(lab, spacing=0.27)
    for _ in jostling(lab):
        pass
    assert len(lab.core._far_pairs._left_out) > 50
    apart = [(2.0 * number, 5.0, 0.4) for number in range(len(robots))]
    place(lab, robots, apart)
    lab.run(1)
    for robot in robots[stay:]:
        lab.engine.remove_robot(robot)
    robots = robots[:stay]
    place(lab, robots[:together], [(0.05 * number, 0.0, 0.4) for number in range(together)])
    for _ in range(3):
        lab.run(1)
        assert all(lab.core._robots[robot].ghost for robot in robots[:together])
        assert lab.state.robot_contacts.tolist() == []
    # Apart again, they are robots like others. Ghosts are looked at every 25 cycles.
    place(lab, robots, apart[:stay])
    lab.run(25)
    assert not any(robot.ghost for robot in lab.core._robots.values())
    assert not lab.core._far_pairs._left_out
    lab.engine.place_robot(robots[0], (1.8, 5.0, 0.4), UPRIGHT)
    lab.engine.set_velocity(robots[0], (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(5)
    assert lab.state.robot_contacts.tolist() == [[0, 1]]
