"""Contacts with the ball and of robots: collected in one step, in a fixed order, from every sub-step."""

import numpy as np
import pytest

from simspark_conformance.models import BALL, stone
from simspark_ros.physics.contact_summary import ContactSummary
from simspark_ros.physics.engine import EngineState, JointControl
from simspark_ros.physics.model import ZERO, SceneModel
from simspark_ros.physics.registry import create_engine
from test.physics.engine_availability import skip_without


def test_pairs_are_sorted_and_their_points_averaged():
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
