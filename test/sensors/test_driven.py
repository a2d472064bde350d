"""A container whose data come from the threads of drivers, as of a real robot."""

from __future__ import annotations

import threading

import numpy as np

from simspark_ros.sensors.container import SensorData
from simspark_ros.sensors.driven import DrivenSensors
from simspark_ros.sensors.feature import Feature


def test_a_program_gets_what_a_driver_has_measured_and_waits_for_it():
    scan = SensorData("laser", "laser", Feature("scan", ("a", "b"), "distance"), "LMS200")
    sensors = DrivenSensors([scan])
    assert not sensors.container.update(scan)
    driver = threading.Timer(0.05, sensors.put, (scan, np.array([1.0, 2.0]), 7.5))
    driver.start()
    assert sensors.container.update(scan, patience=10.0)
    driver.join()
    assert (scan.values.tolist(), scan.stamp) == ([1.0, 2.0], 7.5)
    assert not sensors.container.update(scan)
