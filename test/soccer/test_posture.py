"""Who has fallen, for robots of any size and shape."""

import math

import pytest

from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.posture import Falls, has_fallen, stands

SIDEWAYS, ASKEW = (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4)), (math.sin(0.44), 0.0, 0.0, math.cos(0.44))
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "height"), [("msl", 0.159), ("omni", 0.119), ("nao", 0.38), ("nao_v6", 0.36), ("kidsize", 0.5)]
)
def test_a_robot_falls_once_when_it_tips_over_and_again_when_it_has_been_up(play, name, height):
    world = play().world
    handle = world.add_robot(load_robot(name), (0.0, 0.0, height), 0.0, clearance=0.0).handle
    falls = Falls()
    told = []
    # Askew (50 degrees) is neither a fall nor up again.
    for turn in (UPRIGHT, ASKEW, SIDEWAYS, ASKEW, SIDEWAYS, UPRIGHT, SIDEWAYS):
        world.engine.place_robot(handle, (0.0, 0.0, height), turn)
        told.append(falls.new(world))
    assert told == [[], [], [handle], [], [], [], [handle]]


def test_legs_that_give_way_are_a_fall_of_an_upright_torso_and_a_ball_has_no_side_to_lie_on():
    nao, sphere, msl = (load_robot(name) for name in ("nao", "sphere", "msl"))
    assert has_fallen(nao, 1.0, 0.2) and not has_fallen(nao, 1.0, 0.3)
    assert has_fallen(msl, 0.0, 0.2) and not has_fallen(msl, 1.0, 0.159)
    assert not has_fallen(sphere, -1.0, 0.11)


def test_a_rule_books_height_holds_for_humanoids_and_the_tilt_for_robots_that_are_low_by_build():
    nao, msl = load_robot("nao"), load_robot("msl")
    assert stands(nao, 0.0, 0.26, 0.25) and not stands(nao, 1.0, 0.24, 0.25)
    assert stands(msl, 1.0, 0.159, 0.25) and not stands(msl, -1.0, 0.244, 0.25)


def test_after_another_world_its_robots_have_their_own_heights(play):
    world, falls = play().world, Falls()
    low = world.add_robot(load_robot("msl"), (0.0, 0.0, 0.159), 0.0, clearance=0.0).handle
    world.engine.place_robot(low, (0.0, 0.0, 0.159), SIDEWAYS)
    assert falls.new(world) == [low]
    world.replace(create_engine("bullet"), world.settings)
    nao = world.add_robot(load_robot("nao"), (0.0, 0.0, 0.2), 0.0, clearance=0.0).handle
    world.engine.place_robot(nao, (0.0, 0.0, 0.2), UPRIGHT)
    assert nao == low and falls.new(world) == [nao]
