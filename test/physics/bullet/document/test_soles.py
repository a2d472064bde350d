"""Robots on soles of many corners stand on PyBullet, too."""

from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.bullet.document.soles import CORNER_RADIUS, soles
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine

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
def test_a_tall_robot_stands_still_on_a_round_foot(shape: Shape) -> None:
    """Bullet's four points under the foot changed without end: Kinova's gen3 fell over."""
    made = create_engine("bullet")
    world = CheckedWorld(made, SceneModel())
    world.add(tower(shape), (0.0, -0.012, 0.44 + LENGTH / 2.0))
    world.run_for(5.0)
    aside = float(np.hypot(world.state.position[0, 0], world.state.position[0, 1] + 0.012))
    made.close()
    # What a robot at rest may in `simspark robot check`. It leans by 0.3 degrees, as the foot sinks in on one side.
    assert aside < 0.005


def test_soles_have_eight_corners_inside_the_solid() -> None:
    (places,) = soles(tower(prism(23))).values()
    heights, radii = np.array(places)[:, 2], np.hypot(*np.array(places)[:, :2].T)
    assert len(places) == 8
    assert heights == pytest.approx(np.full(8, CORNER_RADIUS - LENGTH / 2.0))
    assert radii == pytest.approx(np.full(8, RADIUS - CORNER_RADIUS), abs=1e-4)


BOX = Shape(ShapeKind.BOX, (0.09, 0.09, LENGTH))


@pytest.mark.parametrize("shape", [BOX, replace(CYLINDER, rpy=(np.pi / 2.0, 0.0, 0.0))], ids=["box", "wheel"])
def test_boxes_and_wheels_need_none(shape: Shape) -> None:
    assert soles(tower(shape)) == {}


def test_a_bolted_robot_has_no_sole() -> None:
    assert soles(replace(tower(CYLINDER), fixed_base=True)) == {}
