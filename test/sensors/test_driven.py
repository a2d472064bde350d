"""A container whose data come from the threads of drivers, as of a real robot."""

import threading

import numpy as np
import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.access import DrivenRobot
from simspark_ros.sensors.container import SensorData
from simspark_ros.sensors.feature import Feature
from test.rigs.robots.device import Device
from test.rigs.robots.sensor_program import drive_a_little, turn_a_little


def test_a_program_gets_what_a_driver_has_measured_and_waits_for_it():
    scan = SensorData("laser", "laser", Feature("scan", ("a", "b"), "distance"), "LMS200")
    robot = DrivenRobot("metal", [scan], {})
    assert not robot.sensors.update(scan)
    driver = threading.Timer(0.05, robot.put, (scan, np.array([1.0, 2.0]), 7.5))
    driver.start()
    assert robot.sensors.update(scan, patience=10.0)
    driver.join()
    assert (scan.values.tolist(), scan.stamp) == ([1.0, 2.0], 7.5)
    assert not robot.sensors.update(scan)


def test_the_program_of_simulated_robots_drives_one_of_metal():
    with Device() as device:
        # It goes on until it is told to stop, by a machine that may be busy.
        assert 0.04 < drive_a_little(device.robot, 30.0) < 0.5
        assert 0.1 <= turn_a_little(device.robot, 30.0) < 0.5
        with pytest.raises(UserError, match="robot 'metal' has no effector 'fly'"):
            device.robot.command("fly", 1.0)
