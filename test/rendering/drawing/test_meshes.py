import math

import numpy as np
import pytest

from simspark_ros.physics.model import ArticulatedModel, Link, Shape, ShapeKind
from simspark_ros.physics.surface import Surface
from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS, coloured_parts
from simspark_ros.rendering.drawing.meshes import Detail, Mesh, detail_for, mesh_of, surface_mesh
from simspark_ros.rendering.scene_models import line_of_model, models_of_lines
from simspark_ros.robots.description import RobotDescription
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.dress import dressed

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


@pytest.mark.parametrize("shape", [SPHERE, CYLINDER, CAPSULE], ids=lambda shape: shape.kind.value)
@pytest.mark.parametrize("detail", [Detail.COARSE, Detail.COARSEST])
def test_coarse_meshes_are_right_up_to_the_error_that_their_detail_is_chosen_for(shape: Shape, detail: Detail) -> None:
    radius = shape.size[0]
    error = next(e for e in np.arange(0.0, radius, 1e-4) if detail_for(radius, float(e)) is detail)
    mesh = mesh_of(shape, detail)
    assert len(mesh.triangles) < 0.7 * len(mesh_of(shape).triangles)
    weights = np.random.default_rng(1).dirichlet((1.0, 1.0, 1.0), 500)
    points = np.einsum("nk,tkx->tnx", weights, mesh.vertices[mesh.triangles]).reshape(-1, 3)
    half = 0.0 if shape is SPHERE else shape.size[1] / 2.0
    if shape is CYLINDER:
        points = points[np.abs(points[:, 2]) < 0.99 * half]
    # The nearest point of the axis is the centre of a sphere, of a cap, or beside the point.
    points[:, 2] -= np.clip(points[:, 2], -half, half)
    assert np.abs(np.linalg.norm(points, axis=1) - radius).max() <= error


RED, GREY = (1.0, 0.0, 0.0, 1.0), (0.5, 0.5, 0.5, 1.0)
CORNERS = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def cube(rgba: tuple[float, float, float, float] = GREY) -> Surface:
    """A cube of 1 m, whose sides share their corners."""
    triangles = [(a, b, c) for one, two, three, four in SIDES for a, b, c in ((one, two, three), (one, three, four))]
    return Surface.of(CORNERS, np.array(triangles), rgba)


def a_link(*surfaces: Surface) -> Link:
    return Link("body", 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), surfaces=surfaces)


def test_edges_are_sharp_round_parts_smooth_and_details_have_fewer_triangles() -> None:
    mesh = surface_mesh(cube())
    assert len(mesh.vertices) == 24 and np.abs(mesh.normals).max(axis=1) == pytest.approx(1.0)
    assert (np.abs(mesh.vertices + 0.1 * mesh.normals - 0.5).max(axis=1) > 0.5).all()
    sphere = mesh_of(Shape(ShapeKind.SPHERE, (1.0,)))
    ball = Surface.of(sphere.vertices, sphere.triangles, GREY)
    mesh, *coarser = (surface_mesh(ball, detail) for detail in Detail)
    assert np.einsum("ij,ij->i", mesh.normals, mesh.vertices).min() > 0.97
    assert len(mesh.triangles) > 2 * len(coarser[0].triangles) > 2 * len(coarser[1].triangles) > 0


def test_surfaces_wear_their_own_colours_outside_teams_and_reach_programs_that_draw() -> None:
    link = a_link(cube(RED), cube(GREY))
    blue = TEAM_COLOURS[Side.LEFT]
    assert {colour for _, colour in coloured_parts(link, None)} == {RED, GREY}
    assert {colour for _, colour in coloured_parts(link, blue)} == {blue, GREY}
    for side, wanted in ((Side.LEFT, [blue, GREY]), (None, [RED, GREY])):
        assert [one.rgba for one in dressed([link], side)[0].surfaces] == wanted
    robot = RobotDescription("r", 0, ArticulatedModel("r", (a_link(cube(RED)),), ()), (), (), {}, 0.0, "", source="r")
    (told,) = models_of_lines(line_of_model(robot)).values()
    assert told.model.base.surfaces == (cube(RED),)
