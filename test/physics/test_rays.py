"""Many rays of many robots: hits of a ray do not depend on the others, and memory grows with the rays alone."""

import math
import tracemalloc
from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from simspark_ros.physics.engine import Array, IntArray, RayHits, RayTarget
from simspark_ros.physics.height_rays import meet_height_field
from simspark_ros.physics.model import HeightField, Obstacle, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from test.physics.conftest import Lab

RAYS = 16_384
"""Most rays that a robot may cast in a cycle."""


def scanners(lab: Lab, robots: int) -> tuple[Array, Array, IntArray]:
    """Origins, directions and handles of a row of robots that all look ahead."""
    sphere = load_robot("sphere").model
    handles = [lab.engine.add_robot(sphere, (float(place), 0.0, 0.3), 0.0) for place in range(robots)]
    angle = np.tile(np.linspace(-1.6, 1.6, RAYS), robots)
    origins = np.repeat(lab.state.position, RAYS, 0)
    return origins, np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), 1), np.repeat(handles, RAYS)


def test_memory_does_not_grow_with_rays_times_robots(lab: Lab) -> None:
    origins, directions, handles = scanners(lab, 20)
    lab.engine.cast_rays(origins[:1], directions[:1], 9.0)
    tracemalloc.start()
    lab.engine.cast_rays(origins, directions, 1000.0, handles)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # What is returned has 56 bytes a ray, unit directions and their checks have as much again.
    assert peak / len(origins) < 200


def test_what_a_ray_hits_does_not_depend_on_the_rays_beside_it(lab: Lab) -> None:
    origins, directions, handles = scanners(lab, 3)
    lab.nao(x=5.0, y=2.0)
    lab.nao(x=3.0, y=-3.0)
    random = np.random.default_rng(3)
    directions[:, 2] = random.uniform(-0.05, 0.05, len(directions))
    # Beams of a scanner pass most robots by together, rays in all directions do not.
    order = random.permutation(len(origins))
    limits = random.uniform(2.0, 40.0, len(origins))
    together = lab.engine.cast_rays(origins, directions, limits, handles)
    mixed = lab.engine.cast_rays(origins[order], directions[order], limits[order], handles[order])
    # All but the first in the row, which nobody looks at.
    assert set(together.handle.tolist()) == {-1, *lab.state.handles[1:]}
    assert_equal(mixed, together, order)
    for ray in np.flatnonzero(together.handle >= 0)[::97]:
        own = slice(ray, ray + 1)
        assert_equal(lab.engine.cast_rays(origins[own], directions[own], limits[own], handles[own]), together, own)


def assert_equal(some: RayHits, all_of_them: RayHits, which: IntArray | slice) -> None:
    for field in fields(RayHits):
        assert (getattr(some, field.name) == getattr(all_of_them, field.name)[which]).all(), field.name


DRAWN = np.random.default_rng(1)
HEIGHTS = DRAWN.uniform(0.0, 1.0, (7, 9))
FIELD = HeightField(tuple(map(tuple, HEIGHTS.tolist())), (4.0, 3.0), (0.5, -0.2, 0.3))


def triangles() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    x, y = np.linspace(-1.5, 2.5, 9), np.linspace(-1.7, 1.3, 7)
    points = np.stack((*np.meshgrid(x, y), HEIGHTS + 0.3), axis=2)
    halves = []
    for row, column in product(range(6), range(8)):
        base, far = points[row, column], points[row + 1, column + 1]
        halves += [(base, points[row, column + 1], far), (base, far, points[row + 1, column])]
    return halves


def first_hit(origin: np.ndarray, direction: np.ndarray) -> tuple[float, np.ndarray]:
    best, normal = math.inf, np.zeros(3)
    for corners in triangles():
        across = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        if (fall := direction @ across) >= 0.0:
            continue
        distance = ((corners[0] - origin) @ across) / fall
        point = origin + distance * direction
        sides = zip(corners, (*corners[1:], corners[0]), strict=True)
        if 0.0 <= distance < best and all(np.cross(v - u, point - u) @ across >= -1e-12 for u, v in sides):
            best, normal = distance, across / np.linalg.norm(across)
    return best, normal


def test_rays_meet_the_nearest_triangle_and_see_hills_in_front_of_the_ground() -> None:
    origins, targets = DRAWN.uniform(-3.0, 3.0, (80, 3)), DRAWN.uniform(-1.5, 1.5, (80, 3))
    origins[:, 2], targets[:, 2] = DRAWN.uniform(0.0, 3.0, 80), DRAWN.uniform(0.2, 1.3, 80)
    directions = targets - origins
    # Along an axis, and along a line of the grid.
    directions[:10], directions[10:20], origins[20:25, 0] = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), 0.5
    directions[20:25, 0] = 0.0
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    distances, normals = meet_height_field(FIELD, origins, directions)
    expected = [first_hit(*ray) for ray in zip(origins, directions, strict=True)]
    assert 30 < np.isfinite(distances).sum() < 80
    assert distances == pytest.approx([distance for distance, _ in expected])
    # On the border of two triangles either normal is right.
    inner = np.delete(np.arange(80), np.arange(20, 25))
    assert normals[inner] == pytest.approx(np.array([normal for _, normal in expected])[inner], abs=1e-9)
    plank = Shape(ShapeKind.BOX, (2.0, 2.0, 0.2), (5.0, 0.0, 1.0), (0.0, math.pi / 4.0, 0.0))
    engine = create_engine("bullet")
    engine.load_scene(SceneModel(obstacles=(Obstacle("hills", FIELD), Obstacle("plank", plank))))
    down = np.tile((0.0, 0.0, -1.0), (3, 1))
    hits = engine.cast_rays(np.array([[0.5, -0.2, 3.0], [5.0, 0.0, 3.0], [-3.0, 0.0, 3.0]]), down, 10.0)
    engine.close()
    assert hits.target.tolist() == [RayTarget.OBSTACLE, RayTarget.OBSTACLE, RayTarget.GROUND]
    # The middle of the grid is a point of it; the plank's upper face is 0.1 m from its middle, at 45 degrees.
    assert hits.distance == pytest.approx([2.7 - HEIGHTS[3, 4], 2.0 - 0.1 * math.sqrt(2.0), 3.0])
    assert hits.normal[1] == pytest.approx([math.sqrt(0.5), 0.0, math.sqrt(0.5)])
