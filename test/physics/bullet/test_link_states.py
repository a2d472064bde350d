"""Links are where Bullet has them, and move as Bullet says."""

import numpy as np
import pybullet
import pytest

from simspark_ros.physics.bullet.links import rotations_of
from simspark_ros.robots.catalogue import load_robot

# Bullet's quaternions have unit length to single precision only, 6e-8, which twists add up along a limb.
ROUNDING = 2e-6


@pytest.mark.parametrize("name", ["nao_v6", "msl"])
def test_links_are_and_move_as_bullet_says(make_lab, name):
    lab = make_lab()
    robots = [lab.engine.add_robot(load_robot(name, 0).model, (2.0 * number, 0.0, 0.6)) for number in range(2)]
    joints, control = len(lab.state.joint_position), lab.hold()
    for cycle in range(20):
        control.velocity = 2.0 * np.sin(np.arange(joints) + 0.1 * cycle)
        lab.engine.step(control)
    links = lab.core._rows.links
    for row, robot in enumerate(map(lab.core._robots.__getitem__, robots)):
        own, client = links.of_robot(row), lab.core._client
        states = pybullet.getLinkStates(robot.body, robot.model_links[1:], 1, 1, physicsClientId=client)
        for found, column in ((links.centres, 0), (links.linear, 6), (links.angular, 7)):
            assert found[own][1:] == pytest.approx(np.array([state[column] for state in states]), abs=ROUNDING)
        assert links.rotations[own][1:] == pytest.approx(rotations_of([state[5] for state in states]), abs=ROUNDING)
        assert links.spins()[row] == pytest.approx(links.angular[own].sum(axis=0))
