"""Contacts of a step, collected in a fixed order from every sub-step; groups of robots that touch are bounded."""

import numpy as np
import pytest

from simspark_conformance.models import BALL, stone
from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import BALL_HANDLE, EngineState, JointControl
from simspark_ros.physics.island_limit import IslandLimit
from simspark_ros.physics.model import ZERO, SceneModel
from simspark_ros.physics.registry import create_engine
from test.physics.engine_availability import skip_without


def test_pairs_are_sorted_their_points_averaged_and_groups_bounded_by_cubes_and_contacts():
    summary, state = ContactSummary(), EngineState()
    for one, other, point in ((4, 2, (1.0, 0.0, 0.0)), (0, 9, (5.0, 5.0, 5.0)), (2, 4, (2.0, 1.0, 0.5))):
        summary.add_robots(one, other, point)
    for row in (7, 1, 7):
        summary.add_ball(row)
    summary.publish(state)
    assert state.ball_contacts.tolist() == [1, 7]
    assert state.robot_contacts.tolist() == [[0, 9], [2, 4]]
    assert state.robot_contact_points.tolist() == [[5.0, 5.0, 5.0], [1.5, 0.5, 0.25]]
    summary.clear()
    summary.publish(state)
    assert (state.ball_contacts.shape, state.robot_contacts.shape) == ((0,), (0, 2))
    assert state.robot_contact_points.shape == (0, 3)
    islands = IslandLimit(most=3.7)
    islands.start(dict.fromkeys(range(1, 9), 1))
    # The ball joins robots without a cost of its own: three of them are 27, with five others 32.
    assert all(islands.join(robot, BALL_HANDLE) for robot in (1, 2, 3))
    assert islands.join(1, 3)
    assert not islands.join(3, 4)
    # Small groups elsewhere are free to touch.
    assert islands.join(5, 6)
    islands.start({3: 1, 4: 1})
    assert islands.join(3, 4)
    islands = IslandLimit(most=4.0)
    islands.start({1: 1, 2: 1, 3: 1})
    assert islands.join(1, 2) and islands.join(2, 3) and islands.join(1, 3, 1.0)
    assert not islands.join(1, 2, 1.0)
    assert islands.join(1, 2)


@pytest.mark.parametrize(("engine_name", "base"), [("bullet", "J1"), ("ode", "reference")])
@pytest.mark.parametrize("ahead", range(4))
def test_ball_that_bounces_off_in_any_substep_is_reported(ahead, engine_name, base, tmp_path):
    skip_without(engine_name)
    path = tmp_path / "four.yaml"
    path.write_text(f"based_on: {base}\nsubsteps: 4\n")
    engine = create_engine(engine_name, str(path))
    engine.load_scene(SceneModel(ball=BALL, gravity=(0.0, 0.0, 0.0)))
    engine.add_robot(stone(20.0, (0.3, 0.3, 0.3)), (0.0, 0.0, 0.5))
    # A quarter of a cycle's way earlier each: the impact falls into another sub-step.
    engine.place_ball((-0.5 + 0.015 * ahead, 0.0, 0.5), (3.0, 0.0, 0.0), ZERO)
    control = JointControl(np.zeros(0), np.zeros(0), np.zeros(0))
    speed, reported, turned = 3.0, [], []
    for cycle in range(20):
        engine.step(control)
        reported += [cycle] * len(engine.state.ball_contacts)
        turned += [cycle] if engine.state.ball_velocity[0] < speed - 1.0 else []
        speed = float(engine.state.ball_velocity[0])
    engine.close()
    assert turned and set(turned) <= set(reported)


@pytest.mark.parametrize(("sizes", "may"), [((1, 1), True), ((3, 1), True), ((3, 2), False), ((9, 1), False)])
def test_large_robots_count_by_their_size_and_always_touch_the_ball(sizes, may):
    islands = IslandLimit(most=4.0)
    islands.start(dict(enumerate(sizes)))
    assert islands.join(0, BALL_HANDLE)
    assert islands.join(0, 1) is may
