"""The walk on the default engine."""

import math

import numpy as np
import pytest

from simspark_ros.motion.footing import TiltError
from simspark_ros.motion.gait import Gait
from simspark_ros.motion.interface import BodyReadings, LookAt, Stand, Walk
from simspark_ros.motion.settings import load_motion_settings
from test.motion.conftest import motion_of
from test.physics.engine_availability import skip_without


@pytest.mark.parametrize("variant", range(5))
def test_every_type_walks_forward_without_falling(rehearse, variant):
    rehearsal, motion = rehearse(variant)
    rehearsal.run(motion, Walk(forward=0.3), 5.0)
    assert not rehearsal.fallen
    # 1.5 m less the start and slipping feet: measured 0.75 to 1.3.
    assert rehearsal.standing.x > 0.6
    assert abs(rehearsal.standing.y) < 0.4


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_it_walks_as_far_in_shorter_cycles(rehearse, engine):
    skip_without(engine)
    rehearsal, motion = rehearse(engine=engine, preset="lola12")
    rehearsal.run(motion, Walk(forward=0.3), 5.0)
    assert not rehearsal.fallen
    # Measured 1.11 and 1.25, in 20 ms 1.17 and 1.42; a gait that took 12 ms for 20 would go 2 m.
    assert rehearsal.standing.x == pytest.approx(1.2, abs=0.2)
    assert abs(rehearsal.standing.y) < 0.4


def test_travel_adds_up_to_where_the_robot_went(rehearse):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Stand(), 1.0)
    x = y = heading = 0.0
    for cycle in range(400):
        rehearsal.cycle(motion, Walk(forward=0.3, turn=0.4 if cycle < 200 else -0.4))
        travel = motion.status.travel
        x += travel.forward * math.cos(heading) - travel.left * math.sin(heading)
        y += travel.forward * math.sin(heading) + travel.left * math.cos(heading)
        heading += travel.turn
    there = rehearsal.standing
    # Readings are two cycles late, and the gyroscope feels the sway of each step.
    assert heading == pytest.approx(there.heading, abs=0.1)
    # 2 m of way; feet slip up to a fifth more or less than in the mean.
    assert math.hypot(x - there.x, y - there.y) < 0.45


def test_it_stops_beside_where_it_is_told_to_and_stands(rehearse):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Walk(forward=0.3), 2.0)
    rehearsal.run(motion, Stand(), 2.0)
    there = rehearsal.standing
    rehearsal.run(motion, Stand(), 1.0)
    # Soft contacts creep by less than that.
    assert rehearsal.standing.x == pytest.approx(there.x, abs=0.01)
    assert motion.status.activity.value == "standing"


def test_feet_move_without_jumps_whatever_is_commanded():
    gait = Gait(load_motion_settings().gait, 0.055)
    commands = [Walk(forward=9.0), Walk(left=-9.0, turn=9.0), None, Walk(forward=-9.0, turn=-9.0), None]
    previous = None
    for command in commands:
        for _ in range(150):
            gait.update(command, TiltError(), 0.02)
            places = [
                (foot.x, foot.y - gait.posture.sway, foot.lift, 0.1 * foot.yaw) for foot in (gait.left, gait.right)
            ]
            # A swinging foot covers two steps' lengths (0.2 m) in ten cycles, at most 1.6 times as fast in the middle.
            assert previous is None or np.abs(np.array(places) - previous).max() < 0.035
            previous = np.array(places)
    assert not gait.walking


def test_readings_that_are_not_finite_are_replaced(rehearse):
    motion = motion_of()
    good = BodyReadings(0.0, (0.1,) * 22)
    motion.update(good, Stand(), LookAt())
    bad = BodyReadings(0.02, (float("nan"),) * 22, gyro=(float("inf"), 0.0, 0.0))
    speeds = motion.update(bad, Stand(), LookAt())
    assert all(abs(speed) <= 6.2 for speed in speeds)
    assert motion.update(good, Stand(), LookAt()) is not None
    assert abs(motion.status.roll) < 0.1
