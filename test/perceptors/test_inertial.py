from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot


def reading(percepts, kind, row=0):
    slot = next(s for s in percepts.layout.robots[row].slots if s.kind == kind)
    return percepts.values[slot.start : slot.start + len(slot.columns)]


def test_at_rest_the_accelerometer_shows_gravity_upward(played):
    played.world.add_robot(load_robot("nao"), (-3, 0, 0.3845), 0.7)
    percepts = played.run(60)
    # the reference prints two decimals; contact noise of the engine stays below one of them
    assert reading(percepts, "accelerometer") == pytest.approx((0, 0, 9.81), abs=0.01)
    assert np.degrees(reading(percepts, "gyroscope")) == pytest.approx((0, 0, 0), abs=0.01)


def test_in_free_fall_it_shows_nothing(played):
    played.world.add_robot(load_robot("nao"), (0, 0, 1.5), 0.0)
    for _ in range(5):
        # air drag at less than 1 m/s, 23 parts x 0.01 N s/m on 4.6 kg, stays below 0.05 m/s2
        assert reading(played.run(1), "accelerometer") == pytest.approx((0, 0, 0), abs=0.05)


def test_being_placed_while_falling_shows_as_a_spike(played):
    """Recorded: 19.62 after one cycle and 29.42 after two cycles of fall."""
    world = played.world
    robot = world.add_robot(load_robot("nao"), (0, 0, 1.5), 0.0)
    played.run(2)
    world.place(robot, 0, 0, 1.5, 0.0)
    assert reading(played.run(1), "accelerometer")[2] == pytest.approx(19.62, abs=0.05)
    played.run(1)
    played.run(1)
    world.place(robot, 0, 0, 1.5, 0.0)
    assert reading(played.run(1), "accelerometer")[2] == pytest.approx(29.42, abs=0.05)


def test_gyroscope_reads_in_the_bodys_own_axes(played):
    robot = played.world.add_robot(load_robot("nao"), (0, 0, 3.0), math.pi / 2)
    played.run(1)
    played.world.engine.set_velocity(robot.handle, (0, 0, 0), (0.0, 0.5, 0.0))
    # facing +y, a turn about world y is a roll about the body's forward axis; one step of drag and coupling: 5 %
    assert reading(played.run(1), "gyroscope") == pytest.approx((0.5, 0, 0), abs=0.025)


def test_memory_survives_the_arrival_of_another_robot(played):
    played.world.add_robot(load_robot("nao"), (0, 0, 1.5), 0.0)
    played.run(3)
    played.world.add_robot(load_robot("nao"), (2, 0, 1.5), 0.0)
    percepts = played.run(1)
    assert reading(percepts, "accelerometer", 0) == pytest.approx((0, 0, 0), abs=0.05)
    assert reading(percepts, "accelerometer", 1) == pytest.approx((0, 0, 0), abs=0.05)
