"""What is special about the MuJoCo engine; the promises of every engine are tested by the conformance suite."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

import mujoco

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import FIELD, STANDING, stone, walker
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel
from simspark_ros.physics.mujoco import document
from simspark_ros.physics.mujoco import engine as mujoco_engine
from simspark_ros.physics.mujoco import world as world_module
from simspark_ros.physics.mujoco.step_memory import _ROWS, StepMemory, _layout
from simspark_ros.physics.mujoco.world import MujocoWorld
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from test.physics.conftest import Lab
from test.physics.engine_availability import skip_without

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
NAN = float("nan")


@pytest.fixture
def engine_name() -> str:
    return "mujoco"


def test_contacts_feel_the_velocity_that_takes_the_gaps_of_a_whole_leg_back(lab):
    lab.nao(z=3.0)
    lab.run(1)
    world = lab.core._world
    bodies = world.parts[0].links
    shift = world.drift.shift
    shift[:] = 0.0
    shift[bodies["lshank"]] = (0.001, 0.0, -0.002)
    shift[bodies["lfoot"]] = (0.001, 0.0, -0.006)
    shift[bodies["rfoot"]] = (0.0, 0.0, 0.01)
    world.drift.tilt[:] = 0.0
    # Of the foot against the ankle, about an axis that is not the hinge's.
    world.drift.tilt[bodies["lfoot"], 2] = 0.01
    world.drift.settle()
    # 0.1 m beside the anchor in the foot.
    anchor = world.data.xanchor[world.model.body_jntadr[bodies["lfoot"]]] + shift[bodies["lfoot"]]
    at_foot, at_torso = (
        motion[:3] + np.cross(motion[3:], point)
        for motion, point in zip(
            world.drift.closing_motion[[bodies["lfoot"], bodies[lab.state.models[0].base.name]]],
            (anchor + np.array([0.0, 0.1, 0.0]), anchor),
            strict=True,
        )
    )
    # A fifth of the gaps and of the tilt within a step of 20 ms, away from where they lead.
    assert at_foot == pytest.approx(np.array([-0.01 + 0.1 * 0.1, 0.0, 0.06]), abs=2e-5)
    assert at_torso == pytest.approx(np.zeros(3), abs=2e-5)


def test_bodies_go_where_ode_takes_them(make_lab):
    skip_without("ode")
    weightless = SceneModel(gravity=(0.0, 0.0, 0.0))
    labs = [make_lab(weightless), Lab(create_engine("ode"), weightless)]
    poses = []
    for lab in labs:
        handle, control = lab.nao(z=3.0), lab.hold()
        # A gap at the knee would turn with the thigh.
        for name, speed in (("llj3", 6.0), ("llj4", -6.0), ("llj2", 4.0), ("rlj3", -4.0), ("laj1", 6.0), ("laj2", 3.0)):
            control.velocity[lab.joint(name)] = speed
        lab.run(12, control)
        poses.append(lab.poses(handle, *(link.name for link in lab.state.models[0].links)))
    labs[1].engine.close()
    (places, turns), (odes, ode_turns) = poses
    # Measured 0.6 mm and 0.002, by the softness of motors; 4 mm and 0.014 where gaps turn with the body above them.
    assert np.linalg.norm(places - odes, axis=1).max() < 1e-3
    assert np.abs(turns - ode_turns).max() < 4e-3


def test_placing_a_robot_closes_its_hinges_and_no_others(lab):
    first, second = lab.nao(x=-2.0, z=3.0), lab.nao(x=2.0, z=3.0)
    control = lab.hold()
    control.velocity[:] = 4.0
    lab.run(6, control)
    other = lab.hinge_gaps(second)
    lab.engine.place_robot(first, (0.0, 0.0, 3.0), UPRIGHT)
    assert lab.hinge_gaps(first).max() < 1e-9
    assert lab.hinge_gaps(second) == pytest.approx(other, abs=1e-12)


def test_a_model_that_mujoco_refuses_is_named_and_changes_nothing(lab):
    handle = lab.nao()
    # Inertias that no body has: 1 + 1 < 9.
    crooked = ArticulatedModel("crooked", (Link("a", 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 9.0)),), ())
    with pytest.raises(PhysicsError, match="crooked"):
        lab.engine.add_robot(crooked, (0.0, 0.0, 1.0))
    assert lab.state.handles == (handle,)
    lab.run(1)


def test_an_upright_cylinder_stays_on_the_ground_whatever_is_rounded(lab):
    handle = lab.engine.add_robot(load_robot("scout").model, (0.0, 3.0, 0.13), 0.0)
    draw, hold = np.random.default_rng(1), lab.hold()
    for _ in range(600):
        half, (x, y) = draw.uniform(0.0, np.pi), draw.normal(0.0, 4e-16, 2).tolist()
        lab.engine.place_robot(handle, (0.0, 3.0, 0.126), (x, y, float(np.sin(half)), float(np.cos(half))))
        lab.engine.step(hold)
        assert abs(lab.state.linear_velocity[0, 2]) < 0.5


def test_a_joint_that_is_driven_just_to_its_stop_ends_there(lab):
    """Agents do so in walks and kicks, by angles with two decimals: few of these joints bounce on ODE."""
    handle = lab.nao(z=3.0)
    control, index = lab.hold(), lab.joint("hj2")
    speed, stop, short = 4.5, np.radians(45.0), np.radians(0.005)
    lab.engine.set_joint_positions(handle, np.eye(len(control.velocity))[index] * (stop - 4 * speed * 0.02))
    control.velocity[index] = speed
    lab.run(3, control)
    control.velocity[index] = (stop - short - lab.state.joint_position[index]) / 0.02
    lab.run(1, control)
    control.velocity[index] = 0.0
    lab.run(3, control)
    # A joint may rest within 0.0115 degrees before the end of its range; a bounce would take it 5 degrees away.
    assert np.radians(44.98) < lab.state.joint_position[index] < stop


def test_a_motor_that_is_weaker_than_its_nominal_rests_at_the_stop(lab):
    lab.nao(z=3.0)
    control, index = lab.hold(), lab.joint("hj2")
    control.velocity[index] = 5.0
    control.effort_limit[index] *= 0.5
    lab.run(60, control)
    assert lab.state.joint_position[index] == pytest.approx(np.radians(45.0), abs=1e-3)
    assert lab.state.joint_velocity[index] == pytest.approx(0.0, abs=1e-3)


def test_stops_of_robots_that_are_not_the_league_s_are_not_elastic(make_lab):
    lab = make_lab(preset="rigid20")
    lab.nao(z=3.0)
    control, index = lab.hold(), lab.joint("hj2")
    control.velocity[index] = 5.0
    lab.run(60, control)
    # Strictly inside the range, by 0.002 rad, or effectors would ignore every later command.
    assert lab.state.joint_position[index] == pytest.approx(np.radians(45.0) - 0.002, abs=5e-4)
    control.velocity[index] = -1.0
    lab.run(5, control)
    assert lab.state.joint_position[index] == pytest.approx(np.radians(45.0) - 0.102, abs=5e-4)


def test_the_solver_starts_near_where_it_ends(lab):
    lab.nao()
    control, steps = lab.hold(), []
    for cycle in range(50):
        control.velocity[:] = 2.0 * np.sin(0.3 * cycle + np.arange(len(control.velocity)))
        lab.run(1, control)
        data = lab.core._current().data
        steps.append(int(data.solver_niter[: max(1, data.nisland)].sum()))
    # 2.8; 16 from the accelerations of the step before.
    assert np.mean(steps) < 6.0


def test_missing_or_old_mujoco_says_what_to_install(monkeypatch):
    ours = [name for name in sys.modules if name.startswith("simspark_ros.physics.mujoco")]
    for name in ours:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("mujoco.__version__", "3.2.1")
    with pytest.raises(PhysicsError, match=r"MuJoCo 3.2.1 is too old.*pip install --upgrade mujoco"):
        create_engine("mujoco")
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(PhysicsError, match=r"'mujoco' needs .*pip install --upgrade mujoco"):
        create_engine("mujoco")
    # What these attempts imported must not stay beside what monkeypatch brings back.
    for name in [name for name in sys.modules if name.startswith("simspark_ros.physics.mujoco")]:
        del sys.modules[name]


def test_robot_that_goes_wrong_again_and_again_comes_free_of_its_neighbours(lab):
    robots = [lab.nao(x=0.0), lab.nao(x=0.12)]
    lab.run(1)
    for _ in range(3):
        lab.core.set_velocity(robots[0], (NAN, NAN, NAN), (0.0, 0.0, 0.0))
        lab.run(1)
        assert robots[0] in lab.engine.recovered
    lab.run(50)
    assert lab.engine.recovered == []
    assert np.isfinite(lab.state.position).all()


def test_robots_for_whose_constraints_there_is_no_memory_stay_where_they_are(lab, monkeypatch):
    handle = lab.nao(z=1.0)
    lab.run(1)
    before = lab.state.position.copy()
    # All that MuJoCo does where a crowd's constraints do not fit: no row is made.
    monkeypatch.setattr(mujoco, "mj_makeConstraint", lambda model, data: None)
    lab.run(1)
    assert handle in lab.engine.recovered
    assert lab.state.position == pytest.approx(before)
    assert np.isfinite(lab.state.joint_effort).all()


def test_worlds_prepared_by_threads_are_the_same(make_lab: Callable[..., Lab], monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[int] = []
    compile_world = document.compile_world

    def count(settings: Any, scene: Any, models: Any) -> Any:
        compiled.append(len(models))
        return compile_world(settings, scene, models)

    labs = make_lab(), make_lab()
    for lab in labs:
        lab.nao(x=-1.0)
        lab.run(5)
    monkeypatch.setattr(world_module, "compile_world", count)
    prepared, other = labs
    models = (*prepared.state.models, load_robot("nao", 1).model)
    ready = prepared.engine.prepare(models)
    assert ready is not None
    for lab in labs:
        lab.nao(1, x=1.0)
        lab.run(5)
    # Once beside the first engine, and once in the step of the second one.
    assert compiled == [2, 2]
    assert np.array_equal(prepared.core._world.data.qpos, other.core._world.data.qpos)
    assert np.array_equal(prepared.core._world.data.qvel, other.core._world.data.qvel)


def test_a_world_prepared_for_other_robots_is_not_used(lab: Lab) -> None:
    lab.nao(x=-1.0)
    lab.run(1)
    lab.engine.prepare((*lab.state.models, load_robot("nao", 1).model))
    lab.nao(2, x=1.0)
    lab.run(1)
    assert lab.core._world.models == tuple(load_robot("nao", variant).model for variant in (0, 2))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    counts: list[int] = []

    def compile_world(settings, scene, models):
        counts.append(len(models))
        return MujocoWorld(settings, scene, models)

    monkeypatch.setattr(mujoco_engine, "MujocoWorld", compile_world)
    return counts


def walkers() -> CheckedWorld:
    """Eight of them in a row that move."""
    one = CheckedWorld(create_engine("mujoco"), FIELD)
    for number in range(8):
        one.add(walker(), (0.0, float(number), STANDING))
    control = one.hold()
    control.velocity[:] = 0.5
    one.run(5, control)
    return one


@pytest.fixture
def world() -> CheckedWorld:
    return walkers()


def test_robots_that_come_and_go_in_a_cycle_cost_one_compilation(world: CheckedWorld, compiled: list[int]) -> None:
    world.engine.remove_robot(world.add(stone(), (3.0, 0.0, 0.5)))
    world.run(2)
    # One that leaves before the next step is never compiled.
    assert compiled == []
    for handle in (1, 2, 5, 7):
        world.engine.remove_robot(handle)
    for number in range(3):
        world.add(stone(), (3.0, float(number), 0.5))
    assert compiled == []
    world.run(2)
    assert compiled == [7]


def test_robots_move_on_as_if_none_had_left_or_joined(world: CheckedWorld) -> None:
    other = walkers()
    for handle in (0, 4):
        world.engine.remove_robot(handle)
    world.add(walker(), (9.0, 3.0, STANDING))
    for one in (world, other):
        one.run(20)
    # The solver stops at a tolerance that all robots share: rounding.
    np.testing.assert_allclose(world.state.position[:6], other.state.position[[1, 2, 3, 5, 6, 7]], atol=1e-6)


def test_a_newcomer_can_be_put_elsewhere_before_the_next_step(world: CheckedWorld) -> None:
    handle = world.add(stone(), (3.0, 0.0, 0.5))
    world.engine.remove_robot(0)
    world.engine.place_robot(handle, (4.0, 1.0, 2.0), (0.0, 0.0, 1.0, 0.0))
    world.engine.set_velocity(handle, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    row = world.state.row(handle)
    assert world.state.position[row].tolist() == [4.0, 1.0, 2.0]
    world.run(1)
    assert world.state.position[row, 2] > 2.01


_FALLING = """<mujoco><worldbody><geom type="plane" size="9 9 1"/>
<body pos="0 0 1"><freejoint/><geom type="box" size=".3 .2 .1"/>
<body pos=".3 0 0"><joint name="a" range="-.2 .2" limited="true" frictionloss="1"/><geom size=".1"/></body></body>
<body pos=".1 0 2"><freejoint/><geom type="box" size=".2 .2 .2"/></body></worldbody></mujoco>"""


def test_contacts_and_rows_are_found_where_mujoco_has_put_them_in_every_step():
    model = mujoco.MjModel.from_xml_string(_FALLING)
    data: Any = mujoco.MjData(model)
    memory = StepMemory(data)
    words, numbers = np.asarray(memory.rows.words), np.asarray(memory.rows.numbers)
    indices, begin = np.asarray(memory.rows.indices), memory.rows.begin
    most = 0
    for _ in range(500):
        mujoco.mj_step(model, data)
        most = max(most, data.ncon)
        for name, view in memory.contacts.items():
            assert (view[: data.ncon] == getattr(data.contact, name)).all()
        for name in _ROWS:
            array = getattr(data, f"efc_{name}")
            at, whole = words[getattr(memory.rows, name)] - begin, numbers if array.dtype == np.float64 else indices
            assert (whole[at // array.itemsize :][: array.size] == array).all()
    assert most > 4


def test_a_mujoco_that_keeps_them_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of this module: tests that hide a library import it again.
    monkeypatch.setitem(_layout.__wrapped__.__globals__, "_MOST", 100)
    with pytest.raises(PhysicsError, match=r"MuJoCo \S+ has an unknown layout of memory; install the version"):
        _layout.__wrapped__()
