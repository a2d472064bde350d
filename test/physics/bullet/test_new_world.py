"""Worlds of Bullet's are made anew: it keeps what it knew of robots that have left as long as their world exists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.bullet import engine as bullet
from simspark_ros.physics.bullet.scene import build_scene
from test.physics.conftest import Lab

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


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

    monkeypatch.setattr(bullet, "build_scene", build)
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
