from dataclasses import replace

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.catalogue import load_robot
from test.perceptors.readings import reading


def nao(**parameters):
    robot = load_robot("nao")
    specs = [replace(p, parameters=parameters) if p.kind == "agent_state" else p for p in robot.perceptors]
    return replace(robot, perceptors=tuple(specs))


def test_a_robot_reports_its_own_battery_and_temperature(played):
    robot = played.world.add_robot(nao(), (0, 0, 0.385), 0.0)
    assert reading(played.run(1), "agent_state").tolist() == [25.0, 100.0]
    robot.battery = 60.5
    assert reading(played.run(1), "agent_state")[1] == 60.5


def test_constants_in_its_file_are_reported_instead_and_a_battery_above_100_percent_is_refused(played):
    played.world.add_robot(nao(temperature=48.0, battery=75.0), (0, 0, 0.385), 0.0).battery = 3.0
    assert reading(played.run(1), "agent_state").tolist() == [48.0, 75.0]
    with pytest.raises(ConfigurationError, match=r"agent_state.*battery must be at least 0 and at most 100 percent"):
        played.world.add_robot(nao(battery=101.0), (0, 0, 0.385), 0.0)
