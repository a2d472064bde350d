"""Who has fallen, for robots of any size and shape."""

import math

import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.posture import Falls, has_fallen

SIDEWAYS, ASKEW = (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4)), (math.sin(0.44), 0.0, 0.0, math.cos(0.44))
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(("name", "height"), [("msl", 0.159), ("omni", 0.119), ("nao", 0.38), ("nao_v6", 0.36)])
def test_a_robot_falls_once_when_it_tips_over_and_again_when_it_has_been_up(play, name, height):
    world = play().world
    handle = world.add_robot(load_robot(name), (0.0, 0.0, height), 0.0, clearance=0.0).handle
    falls = Falls()
    told = []
    # Askew (50 degrees) is neither a fall nor up again.
    for turn in (UPRIGHT, ASKEW, SIDEWAYS, ASKEW, SIDEWAYS, UPRIGHT, SIDEWAYS):
        world.engine.place_robot(handle, (0.0, 0.0, height), turn)
        told.append(falls.new(world.engine.state, world.robots))
    assert told == [[], [], [handle], [], [], [], [handle]]


def test_legs_that_give_way_are_a_fall_of_an_upright_torso_and_a_ball_has_no_side_to_lie_on():
    nao, sphere, msl = (load_robot(name) for name in ("nao", "sphere", "msl"))
    assert has_fallen(nao, 1.0, 0.2) and not has_fallen(nao, 1.0, 0.3)
    assert has_fallen(msl, 0.0, 0.2) and not has_fallen(msl, 1.0, 0.159)
    assert not has_fallen(sphere, -1.0, 0.11)
