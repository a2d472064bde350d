"""A ball near robots is kicked, turned and braked as on ODE, on ground as soft as ODE's."""

from collections.abc import Callable, Iterator
from contextlib import closing

import numpy as np
import pytest

from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine
from test.physics.conftest import BALL, Lab
from test.physics.engine_availability import skip_without

STEP, SLIP, RADIUS, REST = 0.02, 0.3025, 0.042, 0.0403
TURNING = (1.0 + 1.0 / 0.4) / BALL.mass
"""Speed of a ball's surface after an impulse on it, for a ball of inertia 0.4 m r^2, m/s per N s."""


@pytest.fixture
def both() -> Iterator[list[GuardedEngine]]:
    skip_without("ode")
    with closing(create_engine("ode")) as ode, closing(create_engine("bullet", "legacy")) as bullet:
        yield [ode, bullet]


def block(tilt: float) -> ArticulatedModel:
    """A box of 3 kg whose front is tilted backwards, rad."""
    shape = Shape(ShapeKind.BOX, (0.1, 0.2, 0.06), (0.0, 0.0, 0.0), (0.0, -tilt, 0.0))
    return ArticulatedModel("block", (Link("block", 3.0, (0.02, 0.0, 0.0, 0.02, 0.0, 0.02), collisions=(shape,)),), ())


def kicked(engine: GuardedEngine, tilt: float, height: float, cycles: int) -> np.ndarray:
    """(2, 3) velocity and angular velocity of a ball at rest, some cycles after a block comes at 3 m/s."""
    engine.load_scene(SceneModel(BALL))
    robot = engine.add_robot(block(tilt), (-0.2, 0.0, height))
    engine.set_velocity(robot, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    engine.place_ball((0.0, 0.0, REST), (0.0, 0.0, 0.0))
    nothing = np.zeros(0)
    for _ in range(cycles):
        engine.step(JointControl(nothing, nothing, nothing))
    return np.array((engine.state.ball_velocity, engine.state.ball_angular_velocity))


def coming(make_lab: Callable[..., Lab], speed: float, ball: float) -> tuple[Lab, int]:
    """A world without gravity, in which a block comes along x, m/s, at a ball at rest, m; and the block's handle."""
    lab = make_lab(SceneModel(BALL, gravity=(0.0, 0.0, 0.0)))
    robot = lab.engine.add_robot(block(0.0), (-0.2, 0.0, 5.0))
    lab.engine.set_velocity(robot, (speed, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.engine.place_ball((ball, 0.0, 5.0), (0.0, 0.0, 0.0))
    return lab, robot


def test_sliding_ball_is_turned_by_the_ground_without_load(lab):
    lab.nao(x=0.0, z=0.386)
    # It leaves the ground, which it touches in the first step.
    lab.engine.place_ball((0.6, 0.0, REST), (2.0, 0.0, 1.0))
    lab.run(1)
    slide = lab.state.ball_velocity[0] - RADIUS * lab.state.ball_angular_velocity[1]
    # What slides afterwards gives way by slip, what does not was turned: u' = u c / (c + k), c = slip / step.
    softness = SLIP / STEP
    # Air takes 0.02 m/s.
    assert slide == pytest.approx(2.0 * softness / (softness + TURNING), abs=0.02)


@pytest.mark.parametrize(("tilt", "height"), [(0.0, 0.05), (0.35, 0.05), (-0.35, 0.07)])
def test_kicked_ball_flies_and_turns_as_on_ode(both, tilt, height):
    theirs, ours = (kicked(engine, tilt, height, cycles=4) for engine in both)
    # 4 %: a link is as fast as Bullet's softer impact has left it, not as ODE's.
    assert ours[0] == pytest.approx(theirs[0], abs=0.04 * float(np.linalg.norm(theirs[0])))
    assert RADIUS * ours[1] == pytest.approx(RADIUS * theirs[1], abs=0.04 * float(np.linalg.norm(theirs[0])))


def test_link_that_kicks_is_pushed_back_by_what_the_ball_got(make_lab):
    lab, _ = coming(make_lab, 3.0, 0.0)
    lab.run(10)
    # The ball leaves with 1.8 times the block's speed, but for the masses and the contact's softness; air brakes it in
    # the seven cycles after that.
    leaving = 1.8 * 3.0 * (1.0 / BALL.mass) / (1.0 / BALL.mass + 1.0 / 3.0 + 0.025 / STEP)
    air = (1.0 - BALL.linear_drag / BALL.mass * STEP) ** 7
    assert lab.state.ball_velocity[0] == pytest.approx(leaving * air, rel=0.01)
    momentum = 3.0 * lab.state.linear_velocity[0, 0] + BALL.mass * lab.state.ball_velocity[0]
    assert momentum == pytest.approx(9.0, abs=0.01)


def test_ball_between_the_feet_throws_no_robot(lab):
    lab.nao(z=0.386)
    lab.engine.place_ball((0.0, 0.0, REST))
    for _ in range(30):
        lab.run(1)
        # The feet part. It was 9 m/s when links were pulled back by what Bullet's harder ball had pushed too much.
        assert np.abs(lab.state.linear_velocity[0]).max() < 1.0


def bat() -> ArticulatedModel:
    """A heavy base with a bat of 0.3 m that turns about the vertical."""
    shape = Shape(ShapeKind.BOX, (0.3, 0.05, 0.2), (0.15, 0.0, 0.0))
    base = Link("base", 50.0, (5.0, 0.0, 0.0, 5.0, 0.0, 5.0))
    limb = Link("bat", 1.0, (0.01, 0.0, 0.0, 0.01, 0.0, 0.01), (0.15, 0.0, 0.0), collisions=(shape,))
    hinge = Joint("hinge", JointKind.REVOLUTE, "base", "bat", axis=(0.0, 0.0, 1.0), max_velocity=20.0, max_effort=1e3)
    return ArticulatedModel("bat", (base, limb), (hinge,))


@pytest.mark.parametrize("guest", [False, True])
def test_swung_bat_kicks_alike_when_a_robot_joins_just_before(make_lab, guest):
    lab = make_lab(SceneModel(BALL, gravity=(0.0, 0.0, 0.0)))
    lab.engine.add_robot(bat(), (0.0, 0.0, 5.0))
    lab.engine.place_ball((0.1, 0.2, 5.0), (0.0, 0.0, 0.0))
    kicks = 0
    for cycle in range(12):
        if guest and lab.state.ball_velocity.any() == 0 and cycle == 9:
            lab.engine.add_robot(block(0.0), (9.0, 9.0, 5.0))
        control = lab.hold()
        control.velocity[0] = 5.0
        lab.engine.step(control)
        kicks += bool(lab.state.ball_velocity.any())
    assert 0 < kicks <= 3
    # 1.8 times the speed of the bat where the ball is, 0.22 m from the hinge, but for the masses and the softness.
    assert np.linalg.norm(lab.state.ball_velocity) == pytest.approx(1.8 * 5.0 * 0.224, rel=0.1)


def test_robot_that_is_put_elsewhere_after_a_kick_feels_nothing_of_it(make_lab):
    lab, robot = coming(make_lab, 3.0, 0.0)
    while not lab.state.ball_velocity.any():
        lab.run(1)
    lab.engine.place_robot(robot, (4.0, 4.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    lab.run(1)
    assert lab.state.linear_velocity[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


SOFTNESS = 0.05


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
