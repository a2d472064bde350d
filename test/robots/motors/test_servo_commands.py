"""Motors with gains on engines that have none: a velocity motor imitates them."""

import numpy as np
import pytest

from simspark_ros.effectors.motor import MAX_GAIN, command_motors
from simspark_ros.robots.catalogue import load_robot


@pytest.fixture
def nao(played):
    """A world with a Nao, and the function that commands one of its joints."""
    robot = played.world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)
    names = [joint.name for joint in robot.description.model.joints]

    def command(joint, *numbers):
        index = names.index(joint)
        assert command_motors(played.world, np.array([robot.handle]), np.array([index]), np.array([numbers])) == 0
        return index

    return played, command


@pytest.mark.parametrize(
    ("command", "position", "velocity"),
    [
        ((0.5, 0.0, 2.0, 0.1, 0.0), 0.5, 0.0),
        # A torque of 0.2 N m beside a spring of 2 N m/rad is an offset of 0.1 rad.
        ((0.0, 0.0, 2.0, 0.1, 0.2), 0.1, 0.0),
        # Damping alone follows a velocity.
        ((0.0, 1.0, 0.0, 0.5, 0.0), None, 1.0),
    ],
)
def test_a_joint_comes_to_its_position_as_far_as_its_spring_yields_or_to_its_velocity(nao, command, position, velocity):
    played, order = nao
    index = order("hj1", *command)
    played.run(60)
    state = played.world.engine.state
    if position is not None:
        assert state.joint_position[index] == pytest.approx(position, abs=0.01)
    assert state.joint_velocity[index] == pytest.approx(velocity, abs=0.05 if position is None else 0.01)


def test_the_strongest_gains_neither_vibrate_nor_throw(nao):
    played, command = nao
    for joint in ("hj1", "laj1", "llj4"):
        command(joint, 0.2 if joint != "llj4" else -0.2, 0.0, 10.0 * MAX_GAIN, 10.0 * MAX_GAIN, 0.0)
    played.run(50)
    state = played.world.engine.state
    assert not played.world.quarantined and np.abs(state.joint_velocity).max() < 8.0


def test_another_command_takes_the_joint_over(nao):
    played, command = nao
    index = command("hj1", 0.5, 0.0, 2.0, 0.1, 0.0)
    played.run(30)
    played.world.motors.set_velocities(np.array([index]), np.array([0.0]), played.world.engine.state)
    before = played.world.engine.state.joint_position[index]
    played.run(10)
    assert played.world.engine.state.joint_position[index] == pytest.approx(before, abs=0.01)
    # Commands of robots that are gone are counted.
    assert command_motors(played.world, np.array([99]), np.array([0]), np.zeros((1, 5))) == 1
