from __future__ import annotations

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot


@pytest.mark.parametrize(("joint", "effort"), [("hj2", 10.0), ("hj2", -8.0), ("raj1", 10.0), ("raj4", 6.0)])
def test_an_effort_throws_no_joint_through_its_stops_nor_beyond_its_speed(play, joint, effort):
    played = play()
    world = played.world
    robot = world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)
    index = [j.name for j in robot.description.model.joints].index(joint)
    world.motors.set_efforts(np.array([index]), np.array([effort]), world.engine.state)
    for _ in range(60):
        played.run(1)
        state = world.engine.state
        # the direct solver's softness lets a motor at its limit pass a stop by a fraction of a degree
        assert state.joint_lower[index] - 0.01 <= state.joint_position[index] <= state.joint_upper[index] + 0.01
        assert abs(state.joint_velocity[index]) <= state.joint_max_velocity[index] * 1.02
    assert not world.quarantined


def test_a_small_effort_accelerates_a_joint_as_a_torque_does(play):
    played = play()
    world = played.world
    robot = world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)
    index = [j.name for j in robot.description.model.joints].index("hj1")
    world.motors.set_efforts(np.array([index]), np.array([0.005]), world.engine.state)
    played.run(5)
    # head and neck turn about their common axis: 0.4 m r^2 of the sphere and the capsule's 5.6e-6, kg m2
    inertia = 0.4 * 0.35 * 0.065**2 + 5.6e-6
    # the torso yields a little to the reaction, and drag takes 0.02 of it
    assert world.engine.state.joint_velocity[index] == pytest.approx(5 * 0.02 * 0.005 / inertia, rel=0.1)
