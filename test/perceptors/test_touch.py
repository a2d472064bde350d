from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec


def force(percepts, name):
    robot = percepts.layout.robots[0]
    index = next(i for i, s in enumerate(robot.slots) if s.name == name and s.kind == "force_resistance")
    start = robot.slots[index].start
    return bool(percepts.present[index]), percepts.values[start : start + 6]


def test_feet_report_half_the_weight_each_at_rest_and_nothing_in_the_air(played):
    played.world.add_robot(load_robot("nao"), (-3, 0, 0.42), 0.0)
    assert not force(played.run(1), "rf")[0]
    percepts = played.run(80)
    for name in ("rf", "lf"):
        present, values = force(percepts, name)
        assert present
        # measured on the reference: point (0.00, -0.01, -0.01) in its frame, force 22.59 N
        assert values[:3] == pytest.approx((-0.01, 0.0, -0.01), abs=0.005)
        assert values[5] == pytest.approx(22.59, abs=0.1)
        assert np.abs(values[3:5]).max() < 0.1


def test_the_touch_perceptor_is_0_or_1(played):
    robot = load_robot("nao")
    robot = replace(robot, perceptors=(*robot.perceptors, PerceptorSpec("touch", "bumper", "rfoot")))
    played.world.add_robot(robot, (-3, 0, 0.42), 0.0)
    slot = played.run(1).layout.robots[0].slots[-1]
    assert played.run(1).values[slot.start] == 0
    assert played.run(60).values[slot.start] == 1
