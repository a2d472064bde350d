"""Many rays of many robots take memory for the rays alone."""

from __future__ import annotations

import tracemalloc

import numpy as np

from simspark_ros.robots.catalogue import load_robot
from test.physics.conftest import Lab

RAYS = 16_384
"""Most rays that a robot may cast in a cycle."""


def test_memory_does_not_grow_with_rays_times_robots(lab: Lab) -> None:
    sphere, robots = load_robot("sphere").model, 20
    handles = [lab.engine.add_robot(sphere, (float(place), 0.0, 0.3), 0.0) for place in range(robots)]
    angle = np.tile(np.linspace(-1.6, 1.6, RAYS), robots)
    origins, directions = (
        np.repeat(lab.state.position, RAYS, 0),
        np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), 1),
    )
    lab.engine.cast_rays(origins[:1], directions[:1], 9.0)
    tracemalloc.start()
    lab.engine.cast_rays(origins, directions, 1000.0, np.repeat(handles, RAYS))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # What is returned has 56 bytes a ray, unit directions and their checks have as much again.
    assert peak / len(origins) < 200
