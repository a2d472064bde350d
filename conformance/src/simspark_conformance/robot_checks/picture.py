"""The picture of a robot on several engines, side by side, after it has stood for a while."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from simspark_conformance.robot_checks.bench import Bench, reach
from simspark_ros.rendering.renderer import Picture
from simspark_ros.robots.description import RobotDescription

_SECONDS = 5.0
_WIDTH, _HEIGHT, _FOV_DEG = 480, 480, 40.0
_DIRECTION = np.array((0.75, -0.56, 0.35))
"""Unit vector from the robot to the camera."""


def picture_of(robot: RobotDescription, engines: Sequence[str]) -> Picture:
    """The robot after five seconds on each engine, from the left: (480, 480 for each engine, 3), red, green, blue.

    Raises:
        MissingPackageError: there is neither OpenGL nor PyBullet, which draw.
    """
    return np.concatenate([_on(robot, engine) for engine in engines], axis=1)


def _on(robot: RobotDescription, engine: str) -> Picture:
    with Bench(robot, engine) as bench:
        bench.stand()
        bench.arena.step(round(_SECONDS / bench.cycle))
        handle = bench.engine.state.handles[0]
        names = [(handle, link.name) for link in robot.model.links]
        centres, _ = bench.engine.link_poses(bench.engine.select_links(names))
        middle = (centres.min(axis=0) + centres.max(axis=0)) / 2.0
        size = float(np.linalg.norm(centres.max(axis=0) - centres.min(axis=0))) / 2.0 + min(reach(robot), 0.3)
        eye = middle + size / math.sin(math.radians(_FOV_DEG / 2.0)) * _DIRECTION
        places = (tuple(eye.tolist()), tuple(middle.tolist()))
        return bench.arena.render(*places, width=_WIDTH, height=_HEIGHT, fov_deg=_FOV_DEG)
