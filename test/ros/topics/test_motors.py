import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import MotorKind
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.joints import BatteryPublisher, MotorPublisher
from simspark_ros.ros.topics.publisher import RobotEntry


def messages(played: Any, kind: MotorKind) -> tuple[Any, dict[str, Any]]:
    description = replace(load_robot("nao"), motors=kind)
    robot = played.world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0, name="r")
    robot.battery = 80.0
    played.world.motors.set_stiffness(np.array([2]), 0.5)
    percepts = played.run(1)
    entry, cycle = RobotEntry(robot.handle, "r", "r", robot.description, "none"), Cycle()
    cycle.bind(played.world, percepts)
    cycle.update(played.world, percepts, {})
    made = [*BatteryPublisher.of_robot(entry, cycle), *MotorPublisher.of_robot(entry, cycle)]
    for publisher in made:
        publisher.bind()
        assert publisher.fill()
    return robot, {publisher.topic: publisher.message for publisher in made}


def test_an_ideal_robot_tells_its_charge_and_a_realistic_one_of_motors_too(play: Callable[..., Any]) -> None:
    _, sent = messages(play(), "ideal")
    assert sent.keys() == {"r/battery_state"}
    battery = sent["r/battery_state"]
    assert (battery.percentage, battery.present) == (pytest.approx(0.8), True)
    assert math.isnan(battery.voltage)
    robot, sent = messages(play(), "realistic")
    battery = sent["r/battery_state"]
    assert battery.voltage == pytest.approx(21.6)
    # Electronics alone take 19 W.
    assert battery.current < -19.0 / 21.6
    assert battery.capacity == pytest.approx(225e3 / 21.6 / 3600.0)
    assert battery.charge == pytest.approx(robot.battery / 100.0 * battery.capacity)
    joints = len(robot.description.model.joints)
    for name in ("temperature", "current", "stiffness", "status"):
        assert len(sent[f"r/motors/{name}"].data) == joints
    assert sent["r/motors/stiffness"].data[2] == 0.5
    assert max(sent["r/motors/temperature"].data) == robot.temperature
    assert set(sent["r/motors/status"].data) == {0}
