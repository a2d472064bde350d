"""The ground under a ball near robots gives way as ODE's does, and is otherwise the one far from them."""

import pytest

from simspark_ros.physics.model import SceneModel
from test.physics.conftest import BALL, Lab

STEP, SOFTNESS = 0.02, 0.05
REST = 0.0403


def beside_a_robot(lab: Lab, height: float = REST, fall: float = 0.0) -> None:
    lab.nao(x=0.0, z=0.386)
    lab.engine.place_ball((0.6, 0.0, height), (0.0, 0.0, -fall))


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (1.0, 0.0, -9.81)])
@pytest.mark.parametrize("softness", [SOFTNESS, 1.0])
def test_ball_rests_on_any_soft_ground_and_in_any_gravity(make_lab, tmp_path, softness, gravity):
    path = tmp_path / "soft.yaml"
    path.write_text(f"based_on: legacy\nball_softness: {softness}\n")
    lab = make_lab(SceneModel(BALL, gravity=gravity), str(path))
    beside_a_robot(lab)
    lab.run(10)
    assert lab.state.ball_position[2] == pytest.approx(REST, abs=1e-4)
    # It rolls as on a rigid slope: m g = (m + I / r^2) a, from rest.
    rolled = gravity[0] / 1.4 * 10 * STEP
    assert lab.state.ball_velocity[0] == pytest.approx(rolled, abs=0.03)


def test_pressed_ball_gives_way_as_much_as_its_share_of_the_mass(lab):
    # Too slow to rebound: ball and plate go on together. The plate is a mass of step / softness.
    beside_a_robot(lab, fall=0.5)
    lab.run(1)
    share = BALL.mass / (BALL.mass + STEP / SOFTNESS)
    expected = -(0.5 + 9.81 * STEP) * share
    # What pushes the ball out, and cfm in a row, of the speed of 0.7 m/s.
    assert lab.state.ball_velocity[2] == pytest.approx(expected, abs=0.02)


def test_ball_rests_and_rebounds_there_as_elsewhere(make_lab):
    near, far = make_lab(), make_lab()
    heights = []
    for lab, away in ((near, 0.0), (far, 8.0)):
        beside_a_robot(lab)
        lab.engine.place_ball((0.6 + away, away, 0.5))
        heights.append(lab.ball_path(40)[:, 2])
    # 1 cm: the plate moves with the ball within the step of the impact.
    assert heights[0] == pytest.approx(heights[1], abs=0.01)
    for lab in (near, far):
        lab.run(300)
        assert lab.state.ball_position[2] == pytest.approx(REST, abs=2e-4)


def test_rolling_ball_passes_from_one_ground_to_the_other(lab):
    lab.nao(x=0.0, z=0.386)
    lab.engine.place_ball((-1.5, 0.5, REST), (4.0, 0.0, 0.0))
    path = lab.ball_path(100)
    assert path[-1, 0] > 0.8
    # It neither jumps nor sinks where the grounds are exchanged, by more than a tenth of its depth in them.
    assert path[1:, 2] == pytest.approx(REST, abs=2e-4)


def test_slow_impacts_do_not_rebound_whatever_the_ball_did_before(lab):
    beside_a_robot(lab, height=0.5)
    lab.run(300)
    # 0.7 m/s is below the threshold of 0.8, but above it for Bullet, which sees the plate rise.
    lab.engine.place_ball((0.6, 0.0, REST), (0.0, 0.0, -0.7))
    lab.run(1)
    assert lab.state.ball_velocity[2] < 0.1
