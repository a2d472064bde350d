"""Falling and getting up."""

from __future__ import annotations

import math

import pytest

from simspark_ros.players.motion.interface import Activity, Dive, Foot, Stand, Walk

# Where the torso's forward axis points: rotations about the world's y axis, x y z w.
LYING = {
    "on the chest": (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)),
    "on the back": (0.0, -math.sqrt(0.5), 0.0, math.sqrt(0.5)),
}


@pytest.mark.parametrize("posture", LYING)
def test_a_robot_that_lies_gets_up_and_walks_on(rehearse, posture):
    rehearsal, motion = rehearse()
    rehearsal.world.engine.place_robot(rehearsal.robot.handle, (0.0, 0.0, 0.1), LYING[posture])
    rehearsal.run(motion, Stand(), 1.0)
    assert rehearsal.fallen
    assert motion.status.fallen
    assert not motion.status.may_change
    # From the back it rolls over first: 4 s where each try succeeds; two more tries are granted.
    rehearsal.run(motion, Stand(), 8.0)
    assert not rehearsal.fallen
    assert motion.status.activity is Activity.STANDING
    before = rehearsal.standing
    rehearsal.run(motion, Walk(forward=0.2), 2.0)
    assert not rehearsal.fallen
    assert math.hypot(rehearsal.standing.x - before.x, rehearsal.standing.y - before.y) > 0.15


def test_a_robot_that_stands_is_not_taken_for_fallen(rehearse):
    rehearsal, motion = rehearse()
    for _ in range(100):
        rehearsal.cycle(motion, Walk(turn=1.0))
        assert not motion.status.fallen


@pytest.mark.parametrize(("side", "sign"), [(Foot.LEFT, 1.0), (Foot.RIGHT, -1.0)])
def test_a_dive_goes_to_its_side_and_ends_standing(rehearse, side, sign):
    rehearsal, motion = rehearse()
    rehearsal.run(motion, Stand(), 1.0)
    rehearsal.run(motion, Dive(side), 0.5)
    assert motion.status.activity is Activity.DIVING
    # Measured 0.35 to 0.4 m after half a second.
    assert sign * rehearsal.standing.y > 0.25
    rehearsal.run(motion, Dive(side), 9.0)
    assert motion.status.activity is Activity.STANDING
    assert not rehearsal.fallen
