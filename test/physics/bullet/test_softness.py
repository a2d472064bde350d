"""Contacts are as hard as a robot needs, for its weight and for its height."""

import math

import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.bullet.softness import softness
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot


def giant(wide: float) -> ArticulatedModel:
    """A body of 200 kg, 1.4 m above the middle of a foot that is so wide, m."""
    body = solid_box("body", 200.0, (0.3, 0.3, 0.4))
    foot = solid_box("foot", 5.0, (wide, 0.5, 0.04))
    leg = Joint("leg", JointKind.FIXED, "body", "foot", (0.0, 0.0, -1.38))
    return ArticulatedModel("giant", (body, foot), (), fixed_joints=(leg,))


def test_a_tall_robot_on_a_narrow_foot_does_not_tip_over() -> None:
    """Its weight fell on one side of the foot, which sank in: Robonaut 2 fell over within two seconds."""
    made = create_engine("bullet")
    world = CheckedWorld(made, SceneModel())
    world.add(giant(0.066), (0.0, 0.0, 1.4))
    # As if it had been touched: from perfect balance nothing falls.
    made.set_velocity(world.state.handles[0], (0.02, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.run_for(5.0)
    assert math.degrees(math.acos(min(world.state.rotation[0, 2, 2], 1.0))) < 1.0
    made.close()


@pytest.mark.parametrize(("wide", "hardness"), [(0.4, 1.0), (0.066, 14.1)])
def test_contacts_of_a_tall_robot_are_harder_only_on_a_narrow_foot(wide: float, hardness: float) -> None:
    assert softness(1.0, [giant(wide)]) == pytest.approx(5.5 / 205.0 / hardness, rel=0.05)


def test_contacts_of_light_robots_and_of_balls_are_those_of_the_preset() -> None:
    light = ArticulatedModel("light", (Link("base", 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)),), ())
    assert softness(0.002, [load_robot("nao").model, light]) == 0.002
    assert softness(0.002, []) == 0.002
