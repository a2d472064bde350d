"""Robots that come and go on MuJoCo: one compilation for all of a cycle, and no disturbance of the others."""

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import FIELD, STANDING, stone, walker
from simspark_ros.physics.mujoco import engine as mujoco_engine
from simspark_ros.physics.mujoco.world import MujocoWorld
from simspark_ros.physics.registry import create_engine


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of robots of the worlds that were compiled."""
    counts: list[int] = []

    def compile_world(settings, scene, models):
        counts.append(len(models))
        return MujocoWorld(settings, scene, models)

    monkeypatch.setattr(mujoco_engine, "MujocoWorld", compile_world)
    return counts


@pytest.fixture
def world(compiled: list[int]) -> CheckedWorld:
    one = walkers()
    compiled.clear()
    return one


def walkers() -> CheckedWorld:
    """Eight of them in a row that move."""
    one = CheckedWorld(create_engine("mujoco"), FIELD)
    for number in range(8):
        one.add(walker(), (0.0, float(number), STANDING))
    control = one.hold()
    control.velocity[:] = 0.5
    one.run(5, control)
    return one


def test_robots_that_come_and_go_in_a_cycle_cost_one_compilation(world: CheckedWorld, compiled: list[int]) -> None:
    for handle in (1, 2, 5, 7):
        world.engine.remove_robot(handle)
    for number in range(3):
        world.add(stone(), (3.0, float(number), 0.5))
    assert compiled == []
    world.run(2)
    assert compiled == [7]


def test_robot_that_leaves_before_the_next_step_is_never_compiled(world: CheckedWorld, compiled: list[int]) -> None:
    world.engine.remove_robot(world.add(stone(), (3.0, 0.0, 0.5)))
    world.run(2)
    assert compiled == []


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
