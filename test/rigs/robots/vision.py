"""Robots with vision parameters of their own, and their observations."""

from dataclasses import replace
from typing import Any

import numpy as np

from simspark_ros.exchange import Percepts
from simspark_ros.perceptors.base import Mount
from simspark_ros.physics.engine import Array
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.worlds.world import World

QUIET = {"calibration_error": 0.0, "distance_noise": 0.0, "horizontal_noise_deg": 0.0, "vertical_noise_deg": 0.0}
ALL_AROUND = {"interval": 1, "horizontal_fov_deg": 360.0, "vertical_fov_deg": 360.0}

Target = str | tuple[str, int]
"""Label of a landmark or the ball; label of a part and row of its robot."""


def nao(**vision: Any) -> RobotDescription:
    """A type 0 robot whose vision has these parameters beside its own."""
    robot = load_robot("nao")
    return replace(
        robot,
        perceptors=tuple(
            replace(p, parameters={**p.parameters, **vision}) if p.kind == "restricted_vision" else p
            for p in robot.perceptors
        ),
    )


def cameras(world: World, *parameters: dict[str, Any]) -> list[Mount]:
    """Mounts of the vision of all robots, with these parameters each, or their own."""
    mounts = []
    for row, robot in enumerate(world.robots.values()):
        spec = next(spec for spec in robot.description.perceptors if spec.kind == "restricted_vision")
        mounts.append(Mount(robot, row, replace(spec, parameters=parameters[row]) if parameters else spec, 0, row))
    return mounts


def seen(percepts: Percepts, row: int = 0) -> dict[Target, Array]:
    """Polar coordinates of the objects that a robot sees."""
    sight = percepts.sight
    assert sight is not None
    observer = sight.observers.tolist().index(row)
    start, end = sight.object_offset[observer : observer + 2]
    targets = [percepts.layout.targets[target] for target in sight.object_target[start:end]]
    keys = [label if owner < 0 else (label, owner) for label, owner in targets]
    return dict(zip(keys, sight.object_polar[start:end], strict=True))


def cartesian(polar: Array) -> Array:
    """Coordinates (n, 3) of polar ones (..., 3)."""
    d, a, e = polar.reshape(-1, 3).T
    return np.column_stack([d * np.cos(e) * np.cos(a), d * np.cos(e) * np.sin(a), d * np.sin(e)])
