"""Robots of any weight and height stand on PyBullet's contacts."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.models import solid_box
from simspark_ros.physics.bullet.document.soles import CORNER_RADIUS, soles
from simspark_ros.physics.bullet.softness import softness
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind
from simspark_ros.robots.catalogue import load_robot
from test.physics.conftest import Lab


def giant(wide: float) -> ArticulatedModel:
    """A body of 200 kg, 1.4 m above the middle of a foot that is so wide, m."""
    body = solid_box("body", 200.0, (0.3, 0.3, 0.4))
    foot = solid_box("foot", 5.0, (wide, 0.5, 0.04))
    leg = Joint("leg", JointKind.FIXED, "body", "foot", (0.0, 0.0, -1.38))
    return ArticulatedModel("giant", (body, foot), (), fixed_joints=(leg,))


def test_a_tall_robot_on_a_narrow_foot_does_not_tip_over(ground: Lab) -> None:
    """Its weight fell on one side of the foot, which sank in: Robonaut 2 fell over within two seconds."""
    handle = ground.add(giant(0.066), (0.0, 0.0, 1.4))
    # As if it had been touched: from perfect balance nothing falls.
    ground.engine.set_velocity(handle, (0.02, 0.0, 0.0), (0.0, 0.0, 0.0))
    ground.run_for(5.0)
    assert math.degrees(math.acos(min(ground.state.rotation[0, 2, 2], 1.0))) < 1.0


@pytest.mark.parametrize(("wide", "hardness"), [(0.4, 1.0), (0.066, 14.1)])
def test_contacts_of_a_tall_robot_are_harder_only_on_a_narrow_foot(wide: float, hardness: float) -> None:
    assert softness(1.0, [giant(wide)]) == pytest.approx(5.5 / 205.0 / hardness, rel=0.05)


def test_contacts_of_light_robots_and_of_balls_are_those_of_the_preset() -> None:
    light = ArticulatedModel("light", (Link("base", 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)),), ())
    assert softness(0.002, [load_robot("nao").model, light]) == 0.002
    assert softness(0.002, []) == 0.002


RADIUS, LENGTH = 0.045, 0.17


def tower(shape: Shape) -> ArticulatedModel:
    """A robot of 8 kg on a foot of 9 cm; its centre of mass is 12 mm aside and 0.44 m above the foot's middle."""
    foot = replace(solid_box("foot", 8.0, (0.3, 0.3, 0.6), (0.0, -0.012, 0.44)), collisions=(shape,))
    return ArticulatedModel("tower", (foot,), ())


def prism(corners: int) -> Shape:
    turns = 2.0 * np.pi * np.arange(corners) / corners
    rim = [(float(RADIUS * np.cos(a)), float(RADIUS * np.sin(a))) for a in turns]
    vertices = tuple((x, y, z) for x, y in rim for z in (-LENGTH / 2.0, LENGTH / 2.0))
    return Shape(ShapeKind.HULL, (2.0 * RADIUS, 2.0 * RADIUS, LENGTH), vertices=vertices)


CYLINDER = Shape(ShapeKind.CYLINDER, (RADIUS, LENGTH))


@pytest.mark.parametrize("shape", [prism(23), CYLINDER], ids=["hull", "cylinder"])
def test_a_tall_robot_stands_still_on_a_round_foot(ground: Lab, shape: Shape) -> None:
    """Bullet's four points under the foot changed without end: Kinova's gen3 fell over."""
    ground.add(tower(shape), (0.0, -0.012, 0.44 + LENGTH / 2.0))
    ground.run_for(5.0)
    # What a robot at rest may in `simspark robot check`. It leans by 0.3 degrees, as the foot sinks in on one side.
    assert np.hypot(*(ground.state.position[0, :2] + [0.0, 0.012])) < 0.005


def test_soles_have_eight_corners_inside_the_solid_and_boxes_wheels_and_bolted_robots_none() -> None:
    (places,) = soles(tower(prism(23))).values()
    heights, radii = np.array(places)[:, 2], np.hypot(*np.array(places)[:, :2].T)
    assert len(places) == 8
    assert heights == pytest.approx(np.full(8, CORNER_RADIUS - LENGTH / 2.0))
    assert radii == pytest.approx(np.full(8, RADIUS - CORNER_RADIUS), abs=1e-4)
    box, wheel = Shape(ShapeKind.BOX, (0.09, 0.09, LENGTH)), replace(CYLINDER, rpy=(np.pi / 2.0, 0.0, 0.0))
    for model in (tower(box), tower(wheel), replace(tower(CYLINDER), fixed_base=True)):
        assert soles(model) == {}
