"""Odometry of robots on their feet, from their sensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simspark_ros.motion.interface import Triple
from simspark_ros.physics.geometry.kinematics import LinkChains
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import ArticulatedModel

BoolArray = NDArray[np.bool_]

_UPRIGHT = 0.1
"""Horizontal part of the torso's forward axis below which its heading is not known."""


class LegOdometers:
    """Adds up the motion of robots' base links over the feet that bear them, on flat ground; N robots with F feet.

    A foot is taken to stand still where the ground presses on it; a foot that bears more counts more. The gyroscope
    gives the heading. The estimate drifts where feet slip or the robot is carried, which no sensor feels (G. Roston,
    E. Krotkov, "Dead Reckoning Navigation for Walking Robots", IROS 1992).

    Args:
        robots: model of each robot, and its links on which the ground presses, at least one.

    Attributes:
        rotation: (N, 3, 3) rotation from each base link's frame to the frame in which it started, at the origin.
        position: (N, 3) place of each base link's frame in the frame in which it started, m.
        linear, angular: (N, 3) velocities in the base links' axes, m/s and rad/s.
        knows: (N,) whether the last cycle's readings are known, from which the next movement is measured.
    """

    def __init__(self, robots: Sequence[tuple[ArticulatedModel, Sequence[str]]]) -> None:
        counts = [len(feet) for _, feet in robots]
        self._chains = LinkChains(robots)
        self._owner = np.repeat(np.arange(len(robots)), counts)
        self._starts = np.cumsum([0, *counts[:-1]])
        self._contacts = np.array([[*model.link(name).centre, 1.0] for model, feet in robots for name in feet])
        self._centres = self._contacts[:, :3].copy()
        self._yaws = [0.0] * len(robots)
        self.knows = np.zeros(len(robots), np.bool_)
        self._before: Array = np.zeros((len(self._owner), 3, 4))
        self.rotation: Array = np.broadcast_to(np.eye(3), (len(robots), 3, 3)).copy()
        self.position, self.linear, self.angular = (np.zeros((len(robots), 3)) for _ in range(3))

    def go_on(self, row: int, other: LegOdometers, old: int) -> None:
        """Begin a robot where another object has left it, as its row `old`."""
        self._yaws[row], self.knows[row] = other._yaws[old], other.knows[old]
        self._before[self._owner == row] = other._before[other._owner == old]
        for own, theirs in zip(self._states, other._states, strict=True):
            own[row] = theirs[old]

    def pause(self, chosen: BoolArray) -> None:
        """Let chosen robots (N,) go on from here although they may have moved: there is a gap in their readings."""
        self.knows &= ~chosen

    def carry(self, row: int, forward: float, left: float, turn: float) -> None:
        """Add a movement that was not felt, m in the axes in its middle, and rad."""
        c, s = math.cos(self._yaws[row] + turn / 2.0), math.sin(self._yaws[row] + turn / 2.0)
        self.position[row, :2] += c * forward - s * left, s * forward + c * left
        self._yaws[row] += turn

    def update(
        self, chosen: BoolArray, angles: Array, gyro: Array, up: Array, points: Array, forces: Array, seconds: float
    ) -> None:
        """Take in the readings at the end of a cycle.

        Args:
            chosen: (N,) robots to update; others stay as they are.
            angles: (J,) positions of all joints of all robots, rad or m.
            gyro: (N, 3) angular velocity in the base links' axes, rad/s.
            up: (N, 3) unit vectors against gravity in the base links' axes.
            points: (F, 3) points on the feet where the ground presses, from their centres of mass in their axes, m.
            forces: (F, 3) forces of the ground in the feet's axes, N; 0 without contact.
            seconds: length of the cycle.
        """
        self._turn(np.flatnonzero(chosen).tolist(), gyro.tolist(), up.tolist(), seconds)
        # (F, 3, 4) poses of feet in the axes of the start, around the base links' origins.
        feet = product(self.rotation[self._owner], self._chains.at(angles)[:, :3])
        self._contacts[:, :3] = points + self._centres
        loads = np.maximum(np.einsum("fi,fi->f", feet[:, 2, :3], forces), 0.0)
        load = np.add.reduceat(loads, self._starts)
        weights = loads / np.where(load > 0.0, load, 1.0)[self._owner]
        here, before = self._borne(feet, weights), self._borne(self._before, weights)
        # Feet with load stand still on the ground: where they seem to go back, the base goes forward.
        moved = np.where(self.knows[:, None], before - here, 0.0)
        # The ground is flat, so the height need not be added up: it is the base's height above the feet.
        moved[:, 2] = -here[:, 2] - self.position[:, 2]
        moved *= (chosen & (load > 0.0))[:, None]
        self.position += moved
        # The first height is a place, no movement: it must not look like a velocity.
        moved *= self.knows[:, None]
        self.linear[chosen] = np.einsum("ni,nij->nj", moved, self.rotation)[chosen] / seconds
        self.angular[chosen] = gyro[chosen]
        self._before[chosen[self._owner]] = feet[chosen[self._owner]]
        self.knows |= chosen

    @property
    def _states(self) -> tuple[Array, Array, Array, Array]:
        return self.rotation, self.position, self.linear, self.angular

    def _borne(self, feet: Array, weights: Array) -> Array:
        """Mean (N, 3) of each robot's points on which the ground presses, weighted by their loads."""
        points = np.einsum("fij,fj->fi", feet, self._contacts)
        return np.add.reduceat(weights[:, None] * points, self._starts)

    def _turn(self, rows: list[int], gyro: list[Triple], up: list[Triple], seconds: float) -> None:
        """Follow the robots' rotations; plain numbers are faster here than arrays of three."""
        for row in rows:
            if self.knows[row]:
                self._yaws[row] += seconds * sum(rate * part for rate, part in zip(gyro[row], up[row], strict=True))
            self.rotation[row] = _axes(up[row], self._yaws[row]) or _levelled(self.rotation[row].tolist(), up[row])


def _axes(up: Triple, yaw: float) -> tuple[Triple, Triple, Triple] | None:
    """Rows of a rotation from the base link to the world, by tilt and heading; None if the heading is not known."""
    ux, uy, uz = up
    # The torso's forward axis without its part along `up`, and the direction to the left of both.
    length = math.sqrt(max(0.0, 1.0 - ux * ux))
    if length < _UPRIGHT:
        return None
    forward = (length, -ux * uy / length, -ux * uz / length)
    left = (0.0, uz / length, -uy / length)
    c, s = math.cos(yaw), math.sin(yaw)
    x, y = (
        (a * forward[0] + b * left[0], a * forward[1] + b * left[1], a * forward[2] + b * left[2])
        for a, b in ((c, -s), (s, c))
    )
    return x, y, up


def _levelled(rows: list[Triple], up: Triple) -> tuple[Triple, Triple, Triple]:
    """Rows of the rotation next to another one that has the vertical right; the heading is not known."""
    _, (x, y, z), _ = rows
    ux, uy, uz = up
    # The y axis of before keeps its direction as far as it is level: Gram and Schmidt's step.
    along = x * ux + y * uy + z * uz
    x, y, z = x - along * ux, y - along * uy, z - along * uz
    length = math.sqrt(x * x + y * y + z * z) or 1.0
    x, y, z = left = (x / length, y / length, z / length)
    return (y * uz - z * uy, z * ux - x * uz, x * uy - y * ux), left, up
