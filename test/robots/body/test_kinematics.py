from __future__ import annotations

import math

import pytest

from simspark_ros.physics.model import ArticulatedModel, Link, Shape, ShapeKind, Vector
from simspark_ros.robots.body.kinematics import standing_height

UNIT = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
TILT = (0.0, math.radians(30), 0.0)


@pytest.mark.parametrize(
    ("shape", "depth"),
    [
        (Shape(ShapeKind.BOX, (0.2, 0.2, 0.4)), 0.2),
        (Shape(ShapeKind.BOX, (0.2, 0.2, 0.4), rpy=TILT), 0.1 * 0.5 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.SPHERE, (0.3,), rpy=TILT), 0.3),
        (Shape(ShapeKind.CYLINDER, (0.1, 0.4), rpy=TILT), 0.1 * 0.5 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.CAPSULE, (0.1, 0.4), rpy=TILT), 0.1 + 0.2 * math.sqrt(0.75)),
        (Shape(ShapeKind.SPHERE, (0.3,), position=(0.0, 0.0, -1.0)), 1.3),
    ],
)
def test_standing_height_reaches_to_the_lowest_point(shape: Shape, depth: float) -> None:
    centre: Vector = (0.0, 0.0, 0.05)
    model = ArticulatedModel("solid", (Link("base", 1, UNIT, centre, (shape,)),), ())
    assert standing_height(model) == pytest.approx(depth + 0.05, abs=1e-12)


def test_a_robot_that_collides_with_nothing_stands_at_zero() -> None:
    assert standing_height(ArticulatedModel("ghost", (Link("base", 1, UNIT),), ())) == 0.0
