"""Surfaces in pictures: edges stay sharp, round parts smooth, far robots have fewer triangles."""

import numpy as np
import pytest

from simspark_ros.physics.model import ArticulatedModel, Link, Shape, ShapeKind
from simspark_ros.physics.surface import Surface
from simspark_ros.rendering.bodies import coloured_parts
from simspark_ros.rendering.meshes import Detail, mesh_of, surface_mesh
from simspark_ros.rendering.scene_models import line_of_model, models_of_lines
from simspark_ros.robots.description import RobotDescription
from simspark_watching.broadcast.dress import dressed

RED, GREY = (1.0, 0.0, 0.0, 1.0), (0.5, 0.5, 0.5, 1.0)
TEAM = (0.1, 0.2, 0.9, 1.0)
BOX = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def cube(rgba: tuple[float, float, float, float] = GREY) -> Surface:
    """A cube of 1 m, whose sides share their corners."""
    triangles = [(a, b, c) for one, two, three, four in SIDES for a, b, c in ((one, two, three), (one, three, four))]
    return Surface.of(BOX, np.array(triangles), rgba)


def ball() -> Surface:
    """A ball of 1 m."""
    mesh = mesh_of(Shape(ShapeKind.SPHERE, (1.0,)))
    return Surface.of(mesh.vertices, mesh.triangles, GREY)


def a_link(*surfaces: Surface) -> Link:
    return Link("body", 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), surfaces=surfaces)


def test_edges_are_sharp() -> None:
    mesh = surface_mesh(cube())
    assert len(mesh.vertices) == 24
    assert np.abs(mesh.normals).max(axis=1) == pytest.approx(1.0)
    out = mesh.vertices + 0.1 * mesh.normals - 0.5
    assert (np.abs(out).max(axis=1) > 0.5).all()


def test_round_parts_are_smooth() -> None:
    mesh = surface_mesh(ball())
    assert np.einsum("ij,ij->i", mesh.normals, mesh.vertices).min() > 0.97


def test_details_have_fewer_triangles() -> None:
    counts = [len(surface_mesh(ball(), detail).triangles) for detail in Detail]
    assert counts[0] > 2 * counts[1] > 2 * counts[2] > 0


def test_surfaces_wear_their_own_colours_outside_teams() -> None:
    link = a_link(cube(RED), cube(GREY))
    assert {colour for _, colour in coloured_parts(link, TEAM)} == {RED, GREY}
    assert {colour for _, colour in coloured_parts(link, TEAM, worn=TEAM)} == {TEAM, GREY}
    for is_player, wanted in ((True, [TEAM, GREY]), (False, [RED, GREY])):
        assert [one.rgba for one in dressed([link], TEAM, is_player)[0].surfaces] == wanted


def test_programs_that_draw_get_surfaces() -> None:
    robot = RobotDescription("r", 0, ArticulatedModel("r", (a_link(cube(RED)),), ()), (), (), {}, 0.0, "", source="r")
    (told,) = models_of_lines(line_of_model(robot)).values()
    assert told.model.base.surfaces == (cube(RED),)
