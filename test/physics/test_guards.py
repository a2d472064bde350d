"""What must not stop a match, on each engine: bad numbers, robots on one spot, bodies faster than any real one."""

import math
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.engine import BALL_HANDLE
from test.rigs.machine.memory import heap

UPRIGHT, ZERO = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
BAD = (math.nan,) * 3


@pytest.fixture(params=[("bullet", "J1"), ("bullet", "legacy"), ("mujoco", None), ("ode", None)], ids=str)
def engine_and_preset(request: Any) -> tuple[str, str | None]:
    name, preset = request.param
    return name, preset


@pytest.fixture
def engine_name(engine_and_preset: tuple[str, str | None]) -> str:
    return engine_and_preset[0]


@pytest.fixture
def engine_preset(engine_and_preset: tuple[str, str | None]) -> str | None:
    return engine_and_preset[1]


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


def test_absurdly_fast_robot_is_put_back_at_rest(lab):
    robot = lab.nao(z=5.0)
    lab.core.set_velocity(robot, (5000.0, 0.0, 0.0), ZERO)
    lab.run(1)
    assert lab.engine.recovered == [robot]
    assert lab.state.linear_velocity[0].tolist() == [0.0, 0.0, 0.0]
    assert lab.state.position[0] == pytest.approx([0.0, 0.0, 5.0])


def test_ball_is_slowed_down_but_not_below_real_kicks(lab):
    lab.engine.place_ball((0.0, 0.0, 9.0), (15.0, 0.0, 0.0))
    lab.run(1)
    # One step of drag.
    assert lab.state.ball_velocity[0] == pytest.approx(15.0, rel=0.01)
    lab.core.place_ball((0.0, 0.0, 9.0), (900.0, 0.0, 0.0), ZERO)
    lab.run(1)
    assert np.linalg.norm(lab.state.ball_velocity) == pytest.approx(30.0)
    assert lab.engine.recovered == []


def test_robots_on_one_spot_stand_inside_each_other_and_are_solid_again_once_apart(lab):
    # Beamed there: robots that are added there take another way.
    robots = [lab.nao(number % 5, x=number - 10.0) for number in range(8)]
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


def test_robots_that_come_and_go_leave_no_memory(lab):
    def after(visits: int) -> int:
        for _ in range(visits):
            handle = lab.nao()
            lab.run(1)
            lab.engine.remove_robot(handle)
        return heap()

    first = after(50)
    # ODE's tables grow by 20 bytes a visit; a robot that PyBullet removes leaves 19,000 until its world is replaced.
    assert after(50) - first < 50 * 1000
