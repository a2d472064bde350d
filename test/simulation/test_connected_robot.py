"""The robot of a program that has its simulation in the same process."""

from __future__ import annotations

import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.access import RobotRefusedError
from simspark_ros.simulation.connected_robot import ConnectedRobot
from test.rigs.sensor_program import CONFIGURATION, NEEDS_BEAMS, drive_a_little, turn_a_little


@pytest.fixture
def simulation(play):
    return play(engine="planar", world="msl", referee=False, changes=("create.heading_deg=0",)).simulation


def test_a_program_drives_it_by_its_container(simulation):
    # Time has passed before.
    for _ in range(60):
        simulation.run_cycle()
    robot = ConnectedRobot(simulation, CONFIGURATION, "mine")
    # It goes on a little after it was told to stop; the goal is seen every third cycle.
    assert drive_a_little(robot, 2.0) == pytest.approx(0.06, abs=0.03)
    assert turn_a_little(robot, 2.0) == pytest.approx(0.11, abs=0.03)
    robot.close()
    assert simulation.world.robot_named("mine") is None


def test_a_configuration_that_cannot_be_built_is_refused_with_the_reason(simulation):
    with pytest.raises(RobotRefusedError, match="beams"):
        ConnectedRobot(simulation, NEEDS_BEAMS)
    assert not simulation.world.robots


def test_commands_that_the_robot_cannot_do_are_refused(simulation):
    robot = ConnectedRobot(simulation, CONFIGURATION)
    with pytest.raises(UserError, match="fly"):
        robot.command("fly", 1.0)
    with pytest.raises(UserError, match="wheels needs 3 arguments"):
        robot.command("wheels", 1.0)
