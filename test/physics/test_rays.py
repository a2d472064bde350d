"""Many rays of many robots: hits of a ray do not depend on the others, and memory grows with the rays alone."""

import tracemalloc
from dataclasses import fields

import numpy as np

from simspark_ros.physics.engine import Array, IntArray, RayHits
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
