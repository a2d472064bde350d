"""Worlds of Bullet's are made anew: it keeps what it knew of robots that have left as long as their world exists."""

import math
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import pybullet
import pytest

from simspark_ros.physics.bullet import engine as bullet
from simspark_ros.physics.bullet import new_world, spare_robots
from simspark_ros.physics.bullet.ball import build_scene
from test.physics.conftest import Lab

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.fixture(autouse=True)
def no_spare_robots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare_robots, "MOST_SPARE", 0)


@pytest.fixture(params=["J1", "legacy"])
def engine_preset(request) -> str:
    return str(request.param)


def moving(lab: Lab, cycles: int = 30) -> np.ndarray:
    """Bases, joints and ball while two robots march, two stand in each other and a fifth leaves."""
    walkers = [lab.nao(number, x=1.5 * number, z=0.386) for number in range(2)]
    ghosts = [lab.nao(x=-3.0, z=0.4) for _ in range(2)]
    leaver = lab.nao(x=5.0)
    lab.engine.place_ball((0.5, 1.0, 0.3), (1.0, 0.5, 0.0))
    path = []
    for cycle in range(cycles):
        if cycle == 10:
            lab.engine.remove_robot(leaver)
        control = lab.hold()
        for row in range(2):
            control.velocity[lab.joint("llj3", row)] = 2.0 * np.sin(0.6 * cycle)
            control.velocity[lab.joint("llj4", row)] = -3.0 * np.sin(0.6 * cycle)
        lab.engine.step(control)
        state = lab.state
        path.append(np.concatenate([state.position[:4].ravel(), state.joint_position[:88], state.ball_position]))
    assert lab.state.robot_contacts.tolist() == []
    assert lab.state.handles == (*walkers, *ghosts)
    return np.array(path)


def test_robots_ghosts_and_ball_move_on_in_a_new_world(make_lab, monkeypatch):
    worlds: list[int] = []

    def build(client: int, *arguments: Any) -> Any:
        worlds.append(client)
        return build_scene(client, *arguments)

    for module in (bullet, new_world):
        monkeypatch.setattr(module, "build_scene", build)
    kept = moving(make_lab())
    assert len(worlds) == 1
    monkeypatch.setattr(bullet, "_MOST_REMOVED", 1)
    renewed, again = moving(make_lab()), moving(make_lab())
    # Of the three one each, and the two that had to.
    assert len(worlds) == 5
    assert renewed.tolist() == again.tolist()
    # Contacts are found anew, elsewhere on the soles by rounding.
    assert renewed[:11] == pytest.approx(kept[:11], abs=1e-4)
    assert renewed == pytest.approx(kept, abs=0.02)


@contextmanager
def no_more_files() -> Iterator[None]:
    """This process cannot open anything."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def worlds() -> int:
    return sum(bool(pybullet.isConnected(client)) for client in range(1000))


@pytest.mark.parametrize("missing", ["files", "robot"])
def test_a_world_that_cannot_be_made_is_made_later(make_lab, monkeypatch, missing):
    """Without any file descriptor there is no new world, with a single one left no robot in it."""
    monkeypatch.setattr(bullet, "_MOST_REMOVED", 1)
    monkeypatch.setattr(bullet, "_MORE_REMOVED", 1)
    lab = make_lab()
    stays, leaves = lab.nao(x=0.0, z=0.386), [lab.nao(x=2.0 * number) for number in (1, 2, 3)]
    lab.run(1)
    first, count = lab.core._client, worlds()
    lab.engine.remove_robot(leaves[0])
    with monkeypatch.context() as broken, no_more_files() if missing == "files" else nullcontext():
        if missing == "robot":
            broken.setattr(os, "memfd_create", fail)
        lab.run(50)
    assert (lab.core._client, worlds()) == (first, count)
    assert lab.state.position[0, 2] == pytest.approx(0.386, abs=0.01)
    lab.engine.remove_robot(leaves[1])
    lab.run(1)
    assert lab.core._client != first and worlds() == count
    assert lab.state.handles == (stays, leaves[2])


def fail(*_: object) -> None:
    raise OSError("no more files")


def test_without_a_new_world_nothing_moves_after_numbers_that_are_not_finite(lab):
    handle = lab.nao(z=0.386)
    lab.run(1)
    before = lab.state.position.tolist()
    pybullet.resetBaseVelocity(lab.core._robots[handle].body, [math.nan] * 3, physicsClientId=lab.core._client)
    with no_more_files():
        for _ in range(20):
            lab.run(1)
            assert handle in lab.engine.recovered
            assert lab.state.position.tolist() == before
    lab.run(50)
    assert lab.engine.recovered == []
    assert lab.state.position[0, 2] == pytest.approx(0.386, abs=0.01)


@pytest.mark.parametrize("engine_preset", ["legacy"])
def test_what_the_hinges_have_drifted_is_taken_along(lab):
    lab.nao(z=1.0)
    for _ in range(5):
        control = lab.hold()
        control.velocity[lab.joint("llj3")] = 6.0
        lab.engine.step(control)
    drifted = lab.core._rows.links.shifts.tolist()
    assert np.abs(drifted).max() > 1e-4
    first = lab.core._client
    lab.core._renew_world()
    assert lab.core._client != first
    assert lab.core._rows.links.shifts.tolist() == drifted


@pytest.mark.parametrize("engine_preset", ["legacy"])
def test_skates_that_were_taken_out_of_the_world_count_as_robots_that_left(make_lab, monkeypatch):
    monkeypatch.setattr(bullet, "_MOST_REMOVED", 1)
    lab = make_lab()
    handle = lab.nao()
    used = set()
    # It lies down, and then nothing holds it.
    lying = ((0.0, 0.0, 0.1), (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)))
    for place in (lying, ((0.0, 0.0, 2.0), UPRIGHT)):
        lab.engine.place_robot(handle, *place)
        for _ in range(20):
            lab.run(1)
            used.add(lab.core._client)
    assert len(used) > 1
