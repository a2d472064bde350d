"""Hulls are as large on PyBullet as elsewhere."""

from __future__ import annotations

from itertools import product

import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine

SIZE = (0.3, 0.2, 0.1)


def as_hull(box: Link) -> Link:
    corners = tuple((x * 0.15, y * 0.1, z * 0.05) for x, y, z in product((-1.0, 1.0), repeat=3))
    return Link(box.name, box.mass, box.inertia, collisions=(Shape(ShapeKind.HULL, SIZE, vertices=corners),))


def test_a_hull_lies_as_deep_as_a_box_of_its_size() -> None:
    """PyBullet lays a millimetre around hulls: robots on feet of meshes were lifted by that at their start."""
    heights = []
    for link in (solid_box("body", 5.0, SIZE), as_hull(solid_box("body", 5.0, SIZE))):
        made = create_engine("bullet")
        world = CheckedWorld(made, SceneModel())
        world.add(ArticulatedModel("stone", (link,), ()), (0.0, 0.0, 0.05))
        world.run_for(1.0)
        heights.append(float(world.state.position[0, 2]))
        made.close()
    assert heights[1] == pytest.approx(heights[0], abs=3e-4)
