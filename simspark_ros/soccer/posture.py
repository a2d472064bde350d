"""Which robots have fallen: by the tilt of the torso and by its height, compared with the robot's own standing height.

So it holds for robots of any size: a robot on wheels rides lower than a Nao lies, and falls only if it tips over.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.physics.model import ShapeKind
from simspark_ros.robots.description import RobotDescription
from simspark_ros.soccer.world import SoccerRobot

FALLEN_TILT, RISEN_TILT = 0.5, 0.7
"""Cosine of the torso's tilt below which a robot has fallen (60 degrees), and above which it is up again (45)."""

FALLEN_HEIGHT, RISEN_HEIGHT = 0.6, 0.75
"""Share of the standing height below which a torso has fallen, and above which it is up again: swaying is one fall."""


def has_fallen(description: RobotDescription, upright: float, height: float) -> bool:
    """Whether a robot lies. upright: cosine of the torso's tilt; height: its centre's height, m."""
    tilted = upright < FALLEN_TILT and not rolls(description)
    return tilted or height < FALLEN_HEIGHT * description.spawn_height


def lowest_standing(robot: SoccerRobot, height: float) -> float:
    """Height of the torso, m, below which a robot does not stand, where the rule book has this height for humanoids.

    A robot that is lower than the rule book's height even when it stands has a share of its own.
    """
    standing = robot.description.spawn_height
    return height if standing > height else FALLEN_HEIGHT * standing


def rolls(description: RobotDescription) -> bool:
    """Whether a robot is a ball, which has no side to lie on."""
    model = description.model
    return all(
        shape.kind is ShapeKind.SPHERE and shape.position == model.base.centre
        for link in model.links
        for shape in link.collisions
    )


class Falls:
    """Follows who lies, and tells falls once: a robot has to get up before it falls again."""

    def __init__(self) -> None:
        self._lying: frozenset[int] = frozenset()
        self._handles: tuple[int, ...] = ()
        self._standing: Array = np.zeros(0)
        self._rolling: NDArray[np.bool_] = np.zeros(0, bool)

    def new(self, state: EngineState, robots: Mapping[int, SoccerRobot]) -> list[int]:
        """Handles of the robots that have fallen since the last call, in order."""
        if state.handles != self._handles:
            descriptions = [robots[handle].description for handle in state.handles]
            self._handles = state.handles
            self._standing = np.array([description.spawn_height for description in descriptions])
            self._rolling = np.array([rolls(description) for description in descriptions], bool)
        upright, height = state.rotation[:, 2, 2], state.position[:, 2]
        low = (height < RISEN_HEIGHT * self._standing) | ((upright < RISEN_TILT) & ~self._rolling)
        before, lying = self._lying, set[int]()
        for row in np.flatnonzero(low).tolist():
            handle = self._handles[row]
            if handle in before or has_fallen(robots[handle].description, float(upright[row]), float(height[row])):
                lying.add(handle)
        self._lying = frozenset(lying)
        return sorted(lying - before)
