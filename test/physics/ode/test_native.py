"""Near-callbacks in C and in Python call ODE in the same order, so that all results are equal to the bit."""

import hashlib

import numpy as np
import pytest

from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.ode.library import load_library
from simspark_ros.physics.ode.native import native_of
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings
from test.physics.engine_availability import skip_without


def heap() -> tuple[str, int, int]:
    """Naos fall onto each other, two of them out of one place, and the ball flies into them.

    Returns:
        a hash of all readings, and how often robots touched the ball and each other.
    """
    engine = create_engine("ode")
    engine.load_scene(load_soccer_settings().scene)
    for row, x in enumerate((0.0, 0.05, 0.3, 0.6)):
        engine.add_robot(load_robot("nao").model, (x, 0.0, 0.45), 0.3 * row)
    state, read, ball, robots = engine.state, hashlib.sha256(), 0, 0
    count = state.joint_lower.size
    control = JointControl(np.zeros(count), state.joint_max_effort.copy(), np.zeros(count))
    numbers = np.random.default_rng(0)
    for cycle in range(100):
        if cycle % 10 == 0:
            control.velocity[:] = numbers.normal(0.0, 2.0, count)
        if cycle % 25 == 0:
            engine.place_ball((-0.5, 0.05, 0.2), (5.0, 0.0, 0.0))
        engine.step(control)
        ball += len(state.ball_contacts)
        robots += len(state.robot_contacts)
        for name in ("position", "rotation", "joint_position", "touch_force", "touch_point", "ball_velocity"):
            read.update(getattr(state, name).tobytes())
    engine.close()
    return read.hexdigest(), ball, robots


def test_native_and_python_near_callbacks_are_equal_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without("ode")
    assert native_of(load_library()) is not None, "native.c is not compiled: run make setup"
    native = heap()
    monkeypatch.setattr("simspark_ros.physics.ode.scene.native_of", lambda library: None)
    assert heap() == native
    assert min(native[1:]) > 0
