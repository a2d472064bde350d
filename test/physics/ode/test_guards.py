"""What must not stop a match on ODE: heaps of robots, absent libraries; and when robots sleep."""

import time
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.ode import library as ode_library
from simspark_ros.physics.ode.ghost_pairs import GhostPairs
from simspark_ros.physics.ode.library import load_library
from simspark_ros.physics.registry import create_engine

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.mark.slow
def test_heap_of_a_whole_match_never_takes_seconds(lab):
    draw = np.random.default_rng(1)
    for level in range(22):
        x, y = draw.uniform(-0.3, 0.3, 2)
        lab.nao(level % 5, x=float(x), y=float(y), z=0.4 + 0.3 * level)
    control, longest = lab.hold(), 0.0
    for _ in range(6):
        control.velocity[:] = draw.uniform(-6.0, 6.0, len(control.velocity))
        for _ in range(10):
            start = time.thread_time()
            lab.engine.step(control)
            longest = max(longest, time.thread_time() - start)
        # False for numbers that are not finite, too.
        assert np.abs(lab.state.linear_velocity).max() < 100.0
    # Without groups the solver takes several seconds; 0.25 s were measured.
    assert longest < 2.0


def test_ghosts_are_looked_at_by_turns_and_forgotten_once_apart():
    ghosts = GhostPairs()
    ghosts.add((3, 4))
    ghosts.add((5, 6))
    assert ghosts.candidates(1) == [(3, 4)]
    assert ghosts.passes((3, 4)) and ghosts.passes((5, 6)) and not ghosts.passes((3, 5))
    assert ghosts.candidates(1) == [(5, 6)]
    # Boxes that do not even overlap: apart.
    assert ghosts.passes((5, 6))
    assert ghosts.candidates(5) == [(5, 6)]
    assert not ghosts.passes((3, 4))
    ghosts.forget(6)
    assert not ghosts.passes((5, 6))


def test_resting_robot_sleeps_keeps_its_touch_and_wakes_by_command(lab, is_awake):
    robot = lab.nao()
    lab.run(300)
    assert not is_awake(robot)
    assert lab.state.touch_force[0, 2] == pytest.approx(22.6, abs=0.1)
    effort = lab.state.joint_effort.copy()
    lab.run(5)
    assert lab.state.joint_effort.tolist() == effort.tolist()
    lab.turn("hj1", 0.5, 2)
    assert is_awake(robot)
    assert lab.state.joint_position[0] == pytest.approx(0.02, abs=1e-3)


def test_sleeping_robot_wakes_when_it_is_put_into_the_air_or_hit(lab, is_awake):
    robot, other = lab.nao(), lab.nao(x=3.0)
    lab.run(300)
    lab.engine.place_robot(robot, (0.0, 0.0, 0.6), UPRIGHT)
    assert not lab.state.touching[:2].any()
    lab.run(60)
    assert lab.state.position[0, 2] < 0.5
    assert not is_awake(other)
    lab.engine.place_ball((2.5, 0.055, 0.05), (6.0, 0.0, 0.0))
    lab.run(6)
    assert is_awake(other)


def test_absent_library_says_what_to_install(monkeypatch):
    monkeypatch.delenv(ode_library.ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr(ode_library, "SYSTEM_LIBRARY", "libode-that-is-not-there.so")

    def fail(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(ode_library, "files", fail)
    with pytest.raises(PhysicsError, match=r"finds no ODE library .*pip install dartpy.*libode8"):
        create_engine("ode")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/nowhere/libode.so", r"SIMSPARK_ODE_LIBRARY names '/nowhere/libode\.so'"),
        # The C library is there and has none of ODE's functions.
        ("libc.so.6", r"libc\.so\.6 is not ODE 0\.16"),
    ],
)
def test_library_that_is_named_is_used_or_refused(monkeypatch, path, message):
    monkeypatch.setenv(ode_library.ENVIRONMENT_VARIABLE, path)
    with pytest.raises(PhysicsError, match=message):
        load_library()
