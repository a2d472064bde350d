"""Links of PyBullet's robots bring the momenta of a step into the next one, as ODE's bodies do."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.physics.bullet.engine import BulletEngine
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel
from simspark_ros.physics.presets import load_preset
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from test.physics.engine_availability import skip_without

SPEEDS = np.array([6.0, -4.0])
WEIGHTLESS = SceneModel(gravity=(0.0, 0.0, 0.0))
THROWER = ArticulatedModel(
    "thrower",
    (
        Link("base", 2.0, (0.02, 0.0, 0.0, 0.02, 0.0, 0.02)),
        Link("arm", 1.0, (0.01, 0.0, 0.0, 0.01, 0.0, 0.01), centre=(0.3, 0.0, 0.05)),
        Link("hand", 0.5, (2e-3, 0.0, 0.0, 2e-3, 0.0, 2e-3), centre=(0.2, 0.0, 0.0)),
    ),
    (
        Joint("shoulder", JointKind.REVOLUTE, "base", "arm", (0.1, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_effort=1e3),
        Joint("elbow", JointKind.REVOLUTE, "arm", "hand", (0.5, 0.0, 0.0), axis=(0.0, 1.0, 0.0), max_effort=1e3),
    ),
)
SLIDER = replace(
    THROWER, name="slider", joints=(*THROWER.joints[:1], replace(THROWER.joints[1], kind=JointKind.PRISMATIC))
)

Make = Callable[[bool], BulletEngine]


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes weightless worlds whose links carry their momenta, or not; contacts and motors as soft as ODE's."""
    made: list[BulletEngine] = []

    def make_engine(carried: bool) -> BulletEngine:
        settings = load_preset("bullet", BulletSettings, "J1")
        made.append(BulletEngine(replace(settings, cfm=1e-4, hinge_drift=int(carried))))
        made[-1].load_scene(WEIGHTLESS)
        return made[-1]

    yield make_engine
    for engine in made:
        engine.close()


def swing(engine: BulletEngine | GuardedEngine, cycles: int) -> np.ndarray:
    """(cycles, 6) velocities of the first robot while all swing their arms."""
    rows = []
    for _ in range(cycles):
        state = engine.state
        speeds = np.tile(SPEEDS, len(state.handles))
        engine.step(JointControl(speeds, state.joint_max_effort.copy(), np.zeros(len(speeds))))
        rows.append(np.concatenate((engine.state.linear_velocity[0], engine.state.angular_velocity[0])))
    return np.array(rows)


def test_swinging_limbs_move_their_robot_as_on_ode(make):
    skip_without("ode")
    ode = create_engine("ode")
    ode.load_scene(WEIGHTLESS)
    engines = ode, make(True), make(False)
    for engine in engines:
        engine.add_robot(THROWER, (0.0, 0.0, 5.0))
    theirs, ours, bullets = (swing(engine, 15) for engine in engines)
    ode.close()
    error, before = np.abs(ours - theirs).max(axis=0), np.abs(bullets - theirs).max(axis=0)
    # Of 0.35 m/s and 5 rad/s; the rest are the tilts of ODE's hinges. Without drift it is 0.021 m/s and 0.099 rad/s.
    assert error[:3].max() < 6e-4 and error[3:].max() < 0.03
    assert before[:3].max() > 0.02 and before[3:].max() > 0.09


def test_robot_that_is_put_somewhere_brings_nothing_along(make):
    engine = make(True)
    handle = engine.add_robot(THROWER, (0.0, 0.0, 5.0))
    swing(engine, 5)
    engine.place_robot(handle, (0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    engine.step(JointControl(np.zeros(2), engine.state.joint_max_effort.copy(), np.zeros(2)))
    assert engine.state.linear_velocity[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert engine.state.joint_velocity == pytest.approx([0.0, 0.0], abs=1e-9)


def test_robots_with_sliding_joints_move_as_bullet_has_them(make):
    paths = []
    for carried in (True, False):
        engine = make(carried)
        engine.add_robot(SLIDER, (0.0, 0.0, 5.0))
        paths.append(swing(engine, 8))
    assert paths[0].tolist() == paths[1].tolist()


def test_nao_whose_hinges_drift_keeps_its_momentum():
    engine = BulletEngine(load_preset("bullet", BulletSettings, "legacy"))
    engine.load_scene(WEIGHTLESS)
    model = replace(load_robot("nao", 0).model, linear_drag=0.0, angular_drag=0.0)
    engine.add_robot(model, (0.0, 0.0, 5.0))
    masses, speeds = [link.mass for link in model.links], np.zeros(len(model.joints))
    for name, speed in (("llj3", 6.0), ("rlj3", -4.0), ("llj4", -6.0), ("laj2", 6.0)):
        speeds[[joint.name for joint in model.joints].index(name)] = speed
    worst = 0.0
    for _ in range(8):
        engine.step(JointControl(speeds, engine.state.joint_max_effort.copy(), np.zeros(len(speeds))))
        worst = max(worst, float(np.abs(masses @ engine._rows.bodies._motion[:, :3]).max()))
    # Legs carry 5 kg m/s; the rest is the motors' softness. Without the velocities that close gaps it is 0.1.
    assert worst < 2e-3
    engine.close()
