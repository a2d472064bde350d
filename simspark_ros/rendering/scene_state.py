"""Robots in a scene and the poses of all that moves, for programs that draw them."""

from __future__ import annotations

from typing import NamedTuple

from simspark_ros.physics.engine import Array
from simspark_ros.soccer.teams import Side


class SimulatedRobot(NamedTuple):
    """One robot of a simulator: `name` is its namespace (empty = none), `model` its name in the catalogue or file."""

    name: str
    model: str
    variant: int
    team: Side | None
    links: int


class ScenePose(NamedTuple):
    """Poses of everything that moves, world frame.

    Attributes:
        positions: (K, 3) centres of mass of all links of all robots, in the order of `SceneRenderer.set_robots` and of
            the models' links, m.
        quaternions: (K, 4) rotations from links to world, x, y, z, w.
        ball: (3,) centre of the ball, m, or None.
    """

    positions: Array
    quaternions: Array
    ball: Array | None = None
