"""Hulls are as large on PyBullet as elsewhere, and rub as much."""

from itertools import product

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_ros.physics.geometry.hulls import hull_shape
from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, SurfaceMaterial
from simspark_ros.physics.registry import create_engine

CORNERS = np.array(list(product((-0.1, 0.1), (-0.1, 0.1), (-0.05, 0.05))))
INERTIA = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)


def test_a_hull_lies_on_its_corners_and_slides_as_friction_says() -> None:
    """Bullet lays a millimetre around hulls: feet of meshes were lifted by that, and rubbed now more, now less."""
    stone = Link("stone", 1.0, INERTIA, collisions=(hull_shape(CORNERS),), material=SurfaceMaterial(0.4))
    made = create_engine("bullet")
    world = CheckedWorld(made, SceneModel(ground=SurfaceMaterial(0.5)))
    handle = world.add(ArticulatedModel("stone", (stone,), ()), (0.0, 0.0, 0.05))
    world.run_for(0.4)
    # Soft contacts give way by a tenth of a millimetre.
    assert world.state.position[0, 2] == pytest.approx(0.05, abs=2e-4)
    made.set_velocity(handle, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.run_for(0.5)
    # It slows down by 0.4 * 0.5 g; 0.4 % for a weight that moves to the front corners.
    assert world.state.linear_velocity[0, 0] == pytest.approx(2.0 - 0.2 * 9.81 * 0.5, rel=0.004)
    made.close()
