"""Boxes around robots, for rules about the places of bodies."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from simspark_ros.physics.engine import Array, LinkSelection
from simspark_ros.physics.model import Link, Shape, ShapeKind, Vector
from simspark_ros.soccer.world import SoccerWorld


class RobotBoxes:
    """Axis-aligned boxes of all robots, computed at most once a cycle and only on demand.

    torso_reach: function that gives the least reach of a box from its robot's torso, along the torso's x and y, m.
    """

    def __init__(self, world: SoccerWorld, torso_reach: Callable[[], float]) -> None:
        self._world, self._torso_reach = world, torso_reach
        self._reach = 0.0
        self._revision = -1
        self._cycle = -1
        self._links: LinkSelection | None = None
        self._half_sizes: Array = np.zeros((0, 3))
        self._first: list[int] = []
        self._boxes: Array = np.zeros((0, 2, 3))
        self._skeletons: Array = np.zeros((0, 2, 3))

    def boxes(self) -> Array:
        """(N, 2, 3) least and greatest corner of each robot's box, m, world frame."""
        self._update()
        return self._boxes

    def skeletons(self) -> Array:
        """As `boxes`, around the centres of each robot's solid links only, which the reference uses, too."""
        self._update()
        return self._skeletons

    def forget(self) -> None:
        """Measure again on the next call, as robots were moved within the cycle."""
        self._cycle = -1

    def shift(self, row: int, by: Vector) -> None:
        """Follow a robot that was moved without turning."""
        if self._cycle == self._world.cycle and row < len(self._boxes):
            self._boxes[row] += by
            self._skeletons[row] += by

    def _update(self) -> None:
        if self._revision != self._world.revision or self._reach != self._torso_reach():
            self._bind()
        if self._cycle != self._world.cycle:
            self._measure()
            self._cycle = self._world.cycle

    def _bind(self) -> None:
        links, sizes = list[tuple[int, str]](), list[Vector]()
        self._first, self._reach = [], self._torso_reach()
        for robot in self._world.robots.values():
            self._first.append(len(links))
            model = robot.description.model
            solid = [link for link in model.links if link.collisions] or [model.base]
            links += [(robot.handle, link.name) for link in solid]
            sizes += [_half_size(link, self._reach if link is model.base else 0.0) for link in solid]
        self._links = self._world.engine.select_links(links)
        self._half_sizes = np.array(sizes, float).reshape(-1, 3)
        self._revision, self._cycle = self._world.revision, -1

    def _measure(self) -> None:
        if not self._first or self._links is None:
            self._boxes = self._skeletons = np.zeros((0, 2, 3))
            return
        centres, rotations = self._world.engine.link_poses(self._links)
        reach = np.einsum("kij,kj->ki", np.abs(rotations), self._half_sizes)
        self._boxes = self._around(centres - reach, centres + reach)
        self._skeletons = self._around(centres, centres)

    def _around(self, least: Array, greatest: Array) -> Array:
        corners = np.minimum.reduceat(least, self._first), np.maximum.reduceat(greatest, self._first)
        return np.stack(corners, axis=1)


def _half_size(link: Link, least: float) -> Vector:
    """Half edges of a box around a link's solids, centred on its centre of mass, in its axes; x, y at least `least`."""
    reach = [least, least, 0.0]
    for shape in link.collisions:
        half = _half_shape(shape)
        for axis in range(3):
            reach[axis] = max(reach[axis], abs(shape.position[axis] - link.centre[axis]) + half[axis])
    return reach[0], reach[1], reach[2]


def _half_shape(shape: Shape) -> Vector:
    """Half edges of a box around one solid; a turned solid is taken as large as its diagonal."""
    if shape.is_boxed:
        half = (shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2)
    else:
        radius = shape.size[0]
        caps = radius if shape.kind is ShapeKind.CAPSULE else 0.0
        length = shape.size[1] / 2 + caps if len(shape.size) > 1 else radius
        half = (radius, radius, length)
    if any(shape.rpy):
        return (math.hypot(*half),) * 3
    return half
