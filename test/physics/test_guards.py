"""What must not stop a match: bad numbers, heaps of robots, balls and robots out of this world."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.physics.engine import BALL_HANDLE

NAN = math.nan
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def finite(lab) -> bool:
    state = lab.state
    arrays = (state.position, state.rotation, state.linear_velocity, state.joint_position, state.touch_force)
    return all(np.isfinite(array).all() for array in (*arrays, state.ball_position, state.ball_velocity))


def test_robot_with_numbers_that_are_not_finite_is_put_back_and_named(lab, monkeypatch):
    healthy, sick = lab.nao(x=-5.0), lab.nao(x=5.0)
    lab.run(30)
    before = lab.state.position.copy()
    # Bullet's own numbers are made bad behind the engine's back.
    lab.core._robots[sick].set_velocity((NAN, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    assert lab.engine.recovered == [sick]
    assert finite(lab)
    assert lab.state.position == pytest.approx(before, abs=1e-3)
    lab.run(60)
    assert lab.engine.recovered == []
    assert lab.state.touching.all()
    assert lab.state.handles == (healthy, sick)
    assert lab.state.position == pytest.approx(before, abs=5e-3)


def test_absurdly_fast_robot_is_put_back_at_rest(lab):
    robot = lab.nao(z=5.0)
    lab.core._robots[robot].set_velocity((500.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    assert lab.engine.recovered == [robot]
    assert lab.state.linear_velocity[0].tolist() == [0.0, 0.0, 0.0]
    assert lab.state.position[0] == pytest.approx([0.0, 0.0, 5.0])


def test_ball_that_is_not_finite_is_put_back_and_named(lab):
    lab.engine.place_ball((1.0, 2.0, 0.5))
    lab.run(1)
    before = lab.state.ball_position
    lab.core._ball.set_velocity((NAN, NAN, NAN), (0.0, 0.0, 0.0))
    lab.run(1)
    assert lab.engine.recovered == [BALL_HANDLE]
    assert lab.state.ball_position == pytest.approx(before)
    lab.run(100)
    assert lab.engine.recovered == []
    assert lab.state.ball_position[2] == pytest.approx(0.0403, abs=1e-3)


def test_ball_is_slowed_down_but_not_below_real_kicks(lab):
    lab.engine.place_ball((0.0, 0.0, 1.0), (15.0, 0.0, 0.0))
    lab.run(1)
    assert lab.state.ball_velocity[0] == pytest.approx(15.0, rel=0.01)
    lab.core._ball.set_velocity((900.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(1)
    assert np.linalg.norm(lab.state.ball_velocity) == pytest.approx(30.0)
    assert lab.engine.recovered == []


def test_robots_on_one_spot_stand_inside_each_other_until_apart(lab):
    robots = [lab.nao(x=1.0) for _ in range(8)]
    lab.run(40)
    assert finite(lab)
    assert lab.engine.recovered == []
    # They neither explode nor stop the simulation; each stands on the ground.
    assert np.abs(lab.state.position[:, :2] - [1.0, 0.0]).max() < 0.1
    for number, robot in enumerate(robots):
        lab.engine.place_robot(robot, (0.5 * number, 5.0, 0.4), UPRIGHT)
    lab.run(60)
    # Apart, they are solid again.
    lab.engine.place_robot(robots[1], (0.0, 5.0, 0.9), UPRIGHT)
    lab.run(50)
    assert lab.state.position[1, 2] > 0.45 or abs(lab.state.position[1, 1] - 5.0) > 0.1


def test_heap_of_moving_robots_stays_finite(lab):
    draw = np.random.default_rng(1)
    for level in range(8):
        x, y = draw.uniform(-0.15, 0.15, 2)
        lab.nao(level % 5, x=float(x), y=float(y), z=0.4 + 0.45 * level)
    control = lab.hold()
    for _ in range(10):
        control.velocity[:] = draw.uniform(-6.0, 6.0, len(control.velocity))
        lab.run(10, control)
        assert finite(lab)
        assert np.abs(lab.state.linear_velocity).max() < 60.0


def test_robot_in_the_ground_comes_out(lab):
    lab.nao(z=-0.3)
    # Pushed out at 16 m/s it flies for three seconds.
    lab.run(280)
    assert finite(lab)
    assert lab.state.position[0, 2] > 0.1


def test_walls_stop_robots(lab):
    robot = lab.nao(x=24.0)
    lab.engine.set_velocity(robot, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(60)
    assert lab.state.position[0, 0] < 24.6
