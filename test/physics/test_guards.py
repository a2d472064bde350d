"""What must not stop a match: bad arguments are refused, large ones cut; bad states of each engine are put back."""

import math
from typing import Any

import numpy as np
import pytest

from simspark_conformance.models import BALL, ghost, stone, walker
from simspark_ros.physics.engine import BALL_HANDLE, EngineState, JointControl, Limits, PhysicsError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.links import resolve_links
from simspark_ros.physics.model import SceneModel
from simspark_ros.physics.registry import create_engine, engine_names
from simspark_ros.physics.rows import change_rows
from test.physics.engine_availability import skip_without
from test.rigs.engines import spatial_engine_names
from test.rigs.machine.memory import heap

NAN, UPRIGHT, ZERO = math.nan, (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
SCENE = SceneModel(ball=BALL)


class Recorder:
    """An engine without physics that remembers with what it was called."""

    def __init__(self) -> None:
        self.state = EngineState()
        self.calls: list[tuple[Any, ...]] = []

    def add_robot(self, model: Any, position: Any, yaw: float) -> int:
        self.calls.append(("add_robot", position, yaw))
        handle = len(self.state.handles)
        self.state = change_rows({**dict(enumerate(self.state.models)), handle: model}, self.state, EngineState)
        return handle

    def select_links(self, links: Any) -> Any:
        return resolve_links(self.state, links)

    def link_poses(self, selection: Any) -> Any:
        count = len(selection.links)
        return np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "limits":
            raise AttributeError(name)
        return lambda *arguments: self.calls.append((name, *arguments))


@pytest.fixture
def core() -> Any:
    return Recorder()


@pytest.fixture
def engine(core: Any) -> GuardedEngine:
    engine = GuardedEngine(core)
    engine.load_scene(SCENE)
    engine.add_robot(walker(), (0.0, 0.0, 1.0))
    core.calls.clear()
    return engine


def control(size: int = 5, **changed: float) -> JointControl:
    arrays: dict[str, Any] = {"velocity": np.zeros(size), "effort_limit": np.full(size, 10.0), "effort": np.zeros(size)}
    return JointControl(**{**arrays, **{name: np.full(size, value) for name, value in changed.items()}})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda engine: engine.load_scene(SCENE), "already has a scene"),
        (lambda engine: engine.add_robot(stone(), (0.0, 0.0, NAN)), "position or yaw of a robot must be finite"),
        (lambda engine: engine.add_robot(stone(), ZERO, NAN), "position or yaw of a robot must be finite"),
        (lambda engine: engine.place_robot(0, (NAN, 0.0, 0.0), UPRIGHT), "pose of a robot must be finite"),
        (lambda engine: engine.place_robot(0, ZERO, (0.0, math.inf, 0.0, 1.0)), "pose of a robot must be finite"),
        (lambda engine: engine.place_robot(0, ZERO, (0.0,) * 4), "quaternion of zeros"),
        (lambda engine: engine.set_velocity(0, (0.0, 0.0, NAN), ZERO), "velocity of a robot must be finite"),
        (lambda engine: engine.set_velocity(0, ZERO, ZERO, np.full(5, NAN)), "joint velocity must be finite"),
        (lambda engine: engine.set_velocity(0, ZERO, ZERO, np.zeros(4)), r"'walker' has 5 joints, not \(4,\)"),
        (lambda engine: engine.set_joint_positions(0, np.full(5, NAN)), "joint position must be finite"),
        (lambda engine: engine.set_joint_positions(0, np.zeros(4)), r"'walker' has 5 joints, not \(4,\)"),
        (lambda engine: engine.place_ball((NAN, 0.0, 0.0)), "velocity of the ball must be finite"),
        (lambda engine: engine.place_ball(ZERO, (math.inf, 0.0, 0.0)), "velocity of the ball must be finite"),
        (lambda engine: engine.step(control(velocity=NAN)), "not finite"),
        (lambda engine: engine.step(control(effort=math.inf)), "not finite"),
        (lambda engine: engine.step(control(effort_limit=NAN)), "negative effort limit"),
        (lambda engine: engine.step(control(effort_limit=-1.0)), "negative effort limit"),
        (lambda engine: engine.step(control(6)), r"the shape \(5,\)"),
        (lambda engine: engine.cast_rays(np.zeros((2, 3)), np.ones((1, 3)), 1.0), r"must be \(N, 3\)"),
        (lambda engine: engine.cast_rays(np.zeros((1, 3)), np.zeros(3), 1.0), r"must be \(N, 3\)"),
        (lambda engine: engine.cast_rays(np.full((1, 3), NAN), np.ones((1, 3)), 1.0), "finite"),
        (lambda engine: engine.cast_rays(np.zeros((1, 3)), np.full((1, 3), math.inf), 1.0), "finite"),
        (lambda engine: engine.cast_rays(np.zeros((2, 3)), np.array([[1.0, 0, 0], ZERO]), 1.0), "ray 1 .* zeros"),
        (lambda engine: engine.cast_rays(np.zeros((1, 3)), np.ones((1, 3)), NAN), "0 or more"),
        (lambda engine: engine.cast_rays(np.zeros((1, 3)), np.ones((1, 3)), -1.0), "0 or more"),
        (lambda engine: engine.cast_rays(np.zeros((2, 3)), np.ones((2, 3)), np.ones(3)), r"one number or \(N,\)"),
        (lambda engine: engine.cast_rays(np.zeros((2, 3)), np.ones((2, 3)), 1.0, np.zeros(1, int)), "ignore one robot"),
    ],
)
def test_what_is_wrong_is_named_and_never_reaches_an_engine(engine, core, call, words):
    with pytest.raises(PhysicsError, match=words):
        call(engine)
    assert core.calls == []


def test_numbers_are_cut_to_the_engine_s_limits_and_what_does_not_exist_is_named(engine, core):
    engine.place_robot(0, (1e200, -1e300, 5.0), (0.0, 0.0, 0.0, 1e200))
    engine.set_velocity(0, (1e200, 0.0, 0.0), (0.0, 0.0, -1e300))
    engine.place_ball((0.0, 1e9, 0.0))
    engine.place_ball(ZERO, (0.0, 40.0, 0.0), (0.0, 0.0, -1e300))
    limits = Limits()
    assert core.calls == [
        ("place_robot", 0, (limits.distance, -limits.distance, 5.0), UPRIGHT),
        ("set_velocity", 0, (limits.speed, 0.0, 0.0), (0.0, 0.0, -limits.spin)),
        ("place_ball", (0.0, limits.distance, 0.0), ZERO, ZERO),
        ("place_ball", ZERO, (0.0, limits.ball_speed, 0.0), (0.0, 0.0, -limits.spin)),
    ]
    engine.place_robot(0, (0.0, 0.0, -1e300), UPRIGHT)
    assert core.calls[-1] == ("place_robot", 0, ZERO, UPRIGHT)
    engine.set_joint_positions(0, np.full(5, 1e300))
    assert core.calls[-1][2].tolist() == [limits.distance, *engine.state.joint_upper[1:]]
    engine.set_velocity(0, ZERO, ZERO, np.full(5, -1e300))
    assert core.calls[-1][4].tolist() == [-limits.spin] * 5
    own: Any = Recorder()
    own.limits = Limits(distance=2.0)
    guarded = GuardedEngine(own)
    guarded.load_scene(SCENE)
    guarded.add_robot(stone(), (3.0, -3.0, 1.0), 0.5)
    assert own.calls[-1] == ("add_robot", (2.0, -2.0, 1.0), 0.5)
    for call in (
        lambda: engine.remove_robot(7),
        lambda: engine.place_robot(7, ZERO, UPRIGHT),
        lambda: engine.set_joint_positions(7, np.zeros(5)),
        lambda: engine.set_velocity(7, ZERO, ZERO),
        lambda: engine.select_links([(7, "torso")]),
        lambda: engine.cast_rays(np.zeros((1, 3)), np.ones((1, 3)), 1.0, ignore=7),
        lambda: engine.cast_rays(np.zeros((2, 3)), np.ones((2, 3)), 1.0, np.array([0, 7])),
    ):
        with pytest.raises(KeyError, match="no robot with handle 7"):
            call()
    with pytest.raises(KeyError, match=r"no link or frame 'tail'; it has: torso"):
        engine.select_links([(0, "tail")])
    selection = engine.select_links([(0, "torso")])
    engine.add_robot(ghost(), ZERO)
    with pytest.raises(PhysicsError, match="void"):
        engine.link_poses(selection)


def test_a_world_needs_a_scene_and_may_have_no_ball(core):
    engine = GuardedEngine(core)
    with pytest.raises(PhysicsError, match="load a scene before adding robots"):
        engine.add_robot(stone(), ZERO)
    with pytest.raises(PhysicsError, match="load a scene before casting rays"):
        engine.cast_rays(np.zeros((1, 3)), np.ones((1, 3)), 1.0)
    engine.load_scene(SceneModel())
    with pytest.raises(PhysicsError, match="no ball"):
        engine.place_ball(ZERO)


@pytest.mark.parametrize("name", spatial_engine_names())
def test_controls_changed_in_place_are_noticed(name):
    skip_without(name)
    engine = create_engine(name)
    engine.load_scene(SceneModel(gravity=ZERO))
    engine.add_robot(walker(), (0.0, 0.0, 3.0))
    changed = control()
    engine.step(changed)
    changed.effort_limit[0] = -1.0
    with pytest.raises(PhysicsError, match="negative effort limit"):
        engine.step(changed)
    changed.effort_limit[0], changed.effort[0] = 0.0, NAN
    with pytest.raises(PhysicsError, match="not finite"):
        engine.step(changed)
    changed.effort[0] = 1e-3
    engine.step(changed)
    assert engine.state.joint_effort[0] == pytest.approx(1e-3, abs=1e-9)
    # Nothing is left of it when it is taken back.
    changed.effort[0] = 0.0
    engine.step(changed)
    assert engine.state.joint_effort[0] == pytest.approx(0.0, abs=1e-9)
    engine.close()


@pytest.mark.parametrize("name", engine_names())
def test_engines_print_nothing_and_leave_no_files(name, capfd, tmp_path, monkeypatch):
    skip_without(name)
    capfd.readouterr()
    # MuJoCo writes a log of its warnings into the working directory otherwise.
    monkeypatch.chdir(tmp_path)
    engine = create_engine(name)
    engine.load_scene(SCENE)
    handle = engine.add_robot(walker(), (0.0, 0.0, 0.4))
    engine.step(control())
    engine.remove_robot(handle)
    engine.close()
    engine.close()
    assert capfd.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []


BAD = (math.nan,) * 3


on_each_engine = pytest.mark.parametrize(
    ("engine_name", "engine_preset"), [("bullet", "J1"), ("bullet", "legacy"), ("mujoco", None), ("ode", None)]
)


@on_each_engine
def test_robot_and_ball_with_numbers_that_are_not_finite_are_put_back_and_named(lab):
    healthy, sick = lab.nao(x=-5.0), lab.nao(x=5.0)
    lab.run(30)
    before, ball = lab.state.position.copy(), lab.state.ball_position.copy()
    # Past the guard, which refuses such numbers; ODE would end the process in a step with them.
    lab.core.set_velocity(sick, BAD, ZERO)
    lab.run(1)
    assert sick in lab.engine.recovered and healthy not in lab.engine.recovered
    assert lab.state.position == pytest.approx(before, abs=1e-3)
    lab.core.place_ball(tuple(ball), BAD, ZERO)
    lab.run(1)
    assert BALL_HANDLE in lab.engine.recovered
    assert lab.state.ball_position == pytest.approx(ball, abs=5e-3)
    lab.run(60)
    assert lab.engine.recovered == []
    assert lab.state.touching.all()
    assert lab.state.handles == (healthy, sick)
    assert lab.state.position == pytest.approx(before, abs=5e-3)
    assert lab.state.ball_position == pytest.approx(ball, abs=5e-3)


@on_each_engine
def test_absurdly_fast_robot_is_put_back_at_rest(lab):
    robot = lab.nao(z=5.0)
    lab.core.set_velocity(robot, (5000.0, 0.0, 0.0), ZERO)
    lab.run(1)
    assert lab.engine.recovered == [robot]
    assert lab.state.linear_velocity[0].tolist() == [0.0, 0.0, 0.0]
    assert lab.state.position[0] == pytest.approx([0.0, 0.0, 5.0])


@on_each_engine
def test_ball_is_slowed_down_but_not_below_real_kicks(lab):
    lab.engine.place_ball((0.0, 0.0, 9.0), (15.0, 0.0, 0.0))
    lab.run(1)
    # One step of drag.
    assert lab.state.ball_velocity[0] == pytest.approx(15.0, rel=0.01)
    lab.core.place_ball((0.0, 0.0, 9.0), (900.0, 0.0, 0.0), ZERO)
    lab.run(1)
    assert np.linalg.norm(lab.state.ball_velocity) == pytest.approx(30.0)
    assert lab.engine.recovered == []


@on_each_engine
def test_robots_on_one_spot_stand_inside_each_other_and_are_solid_again_once_apart(lab):
    # Beamed there: robots that are added there take another way.
    robots = [lab.nao(number, x=number - 10.0) for number in range(5)]
    lab.run(10)
    for robot in robots:
        lab.engine.place_robot(robot, (1.0, 0.0, 0.46), UPRIGHT)
    lab.run(40)
    assert lab.engine.recovered == []
    # They neither explode nor drift apart.
    assert np.abs(lab.state.position[:, :2] - [1.0, 0.0]).max() < 0.1
    for number, robot in enumerate(robots):
        lab.engine.place_robot(robot, (0.8 * number - 8.0, 5.0, 0.46), UPRIGHT)
    lab.run(80)
    assert (lab.state.position[:, 2] > 0.36).all()
    # Dropped onto its neighbour, a robot does not fall through it.
    lab.engine.place_robot(robots[1], (-8.0, 5.0, 1.02), UPRIGHT)
    lab.run(50)
    assert np.linalg.norm(lab.state.position[1] - lab.state.position[0]) > 0.1


@on_each_engine
def test_robots_that_come_and_go_leave_no_memory(lab):
    def after(visits: int) -> int:
        for _ in range(visits):
            handle = lab.nao()
            lab.run(1)
            lab.engine.remove_robot(handle)
        return heap()

    first = after(30)
    # ODE's tables grow by 20 bytes a visit; a robot that PyBullet removes leaves 19,000 until its world is replaced.
    assert after(30) - first < 30 * 1000
