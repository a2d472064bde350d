"""Which robots have fallen: by the tilt of the torso and by its height, compared with the robot's own standing height.

So it holds for robots of any size: a robot on wheels rides lower than a Nao lies, and falls only if it tips over.
"""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import ShapeKind
from simspark_ros.robots.description import RobotDescription
from simspark_ros.soccer.world import SoccerWorld

FALLEN_TILT, RISEN_TILT = 0.5, 0.7
"""Cosine of the torso's tilt below which a robot has fallen (60 degrees), and above which it is up again (45)."""

FALLEN_HEIGHT, RISEN_HEIGHT = 0.6, 0.75
"""Share of the standing height below which a torso has fallen, and above which it is up again: swaying is one fall."""


def has_fallen(description: RobotDescription, upright: float, height: float) -> bool:
    """Whether a robot lies. upright: cosine of the torso's tilt; height: its centre's height, m."""
    tilted = upright < FALLEN_TILT and not rolls(description)
    return tilted or height < FALLEN_HEIGHT * description.spawn_height


def is_low(description: RobotDescription, height: float) -> bool:
    """Whether a robot is so low by build that the rule book's height for humanoids, m, does not fit it."""
    return RISEN_HEIGHT * description.spawn_height < height


def stands(description: RobotDescription, upright: float, z: float, height: float) -> bool:
    """Whether a robot stands by the rule book's height for humanoids, m; a robot that is low by build unless it fell.

    upright: cosine of the torso's tilt; z: height of its centre, m.
    """
    return not has_fallen(description, upright, z) if is_low(description, height) else z >= height


def rolls(description: RobotDescription) -> bool:
    """Whether a robot is a ball, which has no side to lie on."""
    centre = description.model.base.centre
    shapes = [shape for link in description.model.links for shape in link.collisions]
    return bool(shapes) and all(shape.kind is ShapeKind.SPHERE and shape.position == centre for shape in shapes)


class Falls:
    """Follows who lies, and tells falls once: a robot has to get up before it falls again."""

    def __init__(self) -> None:
        self._lying: frozenset[int] = frozenset()
        self._robots: tuple[int, tuple[int, ...]] = (0, ())
        self._low: Array = np.zeros(0)
        self._tilted: Array = np.zeros(0)

    def new(self, world: SoccerWorld) -> list[int]:
        """Handles of the robots that have fallen since the last call, in order."""
        state, robots = world.engine.state, world.robots
        if (world.generation, state.handles) != self._robots:
            if world.generation != self._robots[0]:
                # Another world gives the same handles to other robots.
                self._lying = frozenset()
            self._robots = world.generation, state.handles
            descriptions = [robots[handle].description for handle in state.handles]
            self._low = np.array([RISEN_HEIGHT * description.spawn_height for description in descriptions])
            self._tilted = np.array([-2.0 if rolls(description) else RISEN_TILT for description in descriptions])
        upright, height = state.rotation[:, 2, 2], state.position[:, 2]
        before, lying = self._lying, set[int]()
        for row in np.flatnonzero((height < self._low) | (upright < self._tilted)).tolist():
            handle = state.handles[row]
            if handle in before or has_fallen(robots[handle].description, float(upright[row]), float(height[row])):
                lying.add(handle)
        self._lying = frozenset(lying)
        return sorted(lying - before)
