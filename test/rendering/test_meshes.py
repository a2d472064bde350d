"""Triangles enclose the solids that they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.physics.model import Shape, ShapeKind
from simspark_ros.rendering.meshes import Mesh, joined, mesh_of

BOX = Shape(ShapeKind.BOX, (0.2, 0.3, 0.4))
SPHERE = Shape(ShapeKind.SPHERE, (0.1,))
CYLINDER = Shape(ShapeKind.CYLINDER, (0.1, 0.4))
CAPSULE = Shape(ShapeKind.CAPSULE, (0.1, 0.4))


def volume(mesh: Mesh) -> float:
    """Signed volume: positive only if triangles are counter-clockwise seen from outside and leave no hole."""
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    return float((a * np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize(
    ("shape", "exact"),
    [
        (BOX, 0.2 * 0.3 * 0.4),
        (SPHERE, 4.0 / 3.0 * math.pi * 0.1**3),
        (CYLINDER, math.pi * 0.1**2 * 0.4),
        (CAPSULE, math.pi * 0.1**2 * 0.4 + 4.0 / 3.0 * math.pi * 0.1**3),
    ],
    ids=lambda value: value.kind.value if isinstance(value, Shape) else "",
)
def test_triangles_have_the_volume_of_their_solid_and_normals_point_out_of_it(shape: Shape, exact: float) -> None:
    mesh = mesh_of(shape)
    # Corners lie on the solid, so flat faces cut off some of what is round: 6 % of a sphere with 16 x 8 faces.
    assert 0.93 * exact < volume(mesh) <= exact * (1 + 1e-9)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-9)
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    outward = np.cross(b - a, c - a)
    assert (np.linalg.norm(outward, axis=1) > 1e-9).all(), "no triangle without an area"
    assert ((outward[:, None] * mesh.normals[mesh.triangles]).sum(2) > 0.0).all()


def test_shapes_are_turned_and_moved_as_in_urdf() -> None:
    mesh = mesh_of(Shape(ShapeKind.CYLINDER, (0.1, 0.4), (1.0, 2.0, 3.0), (0.0, math.pi / 2.0, 0.0)))
    np.testing.assert_allclose(mesh.vertices.min(0), (0.8, 1.9, 2.9), atol=1e-2)
    np.testing.assert_allclose(mesh.vertices.max(0), (1.2, 2.1, 3.1), atol=1e-2)


def test_joined_meshes_keep_their_volumes() -> None:
    both = joined([mesh_of(BOX), mesh_of(SPHERE)])
    assert volume(both) == pytest.approx(volume(mesh_of(BOX)) + volume(mesh_of(SPHERE)))
