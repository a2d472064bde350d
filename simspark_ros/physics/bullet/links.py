"""Poses of links and frames of many robots, one Bullet call a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from struct import pack

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BASE, BulletRobot
from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.links import SelectedLinks, resolve_links

_MANY = 64
"""So many rotations are computed sooner together than by a call of Bullet for each."""


@dataclass
class BulletLinks:
    """A prepared selection of K links and frames.

    Attributes:
        revision: of the state it was made for.
        robots: row and robot of each group, with Bullet's indices of the group's links other than the base.
        base_rows: rows of the robots whose base is selected, (B,).
        order: (K,) index of each selected link among all links of the groups followed by the bases.
        selected: the frames on the links.
    """

    revision: int
    robots: list[tuple[BulletRobot, list[int]]]
    base_rows: IntArray
    order: IntArray
    selected: SelectedLinks


def select_links(state: EngineState, robots: list[BulletRobot], links: list[tuple[int, str]]) -> BulletLinks:
    """Prepare a selection, see PhysicsEngine.select_links.

    Raises:
        KeyError: an unknown handle or name.
    """
    selected = resolve_links(state, links)
    groups: dict[int, list[int]] = {}
    base_rows: list[int] = []
    places: list[tuple[int, int]] = []
    for row, link in zip(selected.rows, selected.links, strict=True):
        bullet_link = robots[row].links[robots[row].model.links[link].name]
        if bullet_link == BASE:
            places.append((BASE, len(base_rows)))
            base_rows.append(row)
        else:
            group = groups.setdefault(row, [])
            places.append((row, len(group)))
            group.append(bullet_link)
    starts: dict[int, int] = {}
    total = 0
    for row, group in groups.items():
        starts[row] = total
        total += len(group)
    starts[BASE] = total
    return BulletLinks(
        revision=state.revision,
        robots=[(robots[row], group) for row, group in groups.items()],
        base_rows=np.array(base_rows, np.int64),
        order=np.array([starts[row] + position for row, position in places], np.int64),
        selected=selected,
    )


def read_links(selection: BulletLinks, state: EngineState, client: int) -> tuple[Array, Array]:
    """Centres (K, 3) and rotations (K, 3, 3)."""
    positions: list[float] = []
    quaternions: list[tuple[float, ...]] = []
    # Bullet leaves the links where they were before the step unless it is asked for the forward kinematics.
    for robot, links in selection.robots:
        for link in pybullet.getLinkStates(robot.body, links, computeForwardKinematics=1, physicsClientId=client):
            positions += link[0]
            quaternions.append(link[5])
    centres, rotations = _packed(positions, 3), rotations_of(quaternions)
    if len(selection.base_rows):
        centres = np.concatenate((centres, state.position[selection.base_rows]))
        rotations = np.concatenate((rotations, state.rotation[selection.base_rows]))
    return selection.selected.frames(centres.take(selection.order, 0), rotations.take(selection.order, 0))


def rotations_of(quaternions: Sequence[Sequence[float]]) -> Array:
    """Rotations (K, 3, 3) of quaternions x, y, z, w, which Bullet keeps as unit ones to single precision only."""
    if len(quaternions) < _MANY:
        entries: list[float] = []
        for quaternion in quaternions:
            entries += pybullet.getMatrixFromQuaternion(quaternion)
        return _packed(entries, 3, 3)
    # The same numbers to the bit, whatever the quaternions' lengths.
    x, y, z, w = _packed(list(chain.from_iterable(quaternions)), 4).T.copy()
    scale = 2.0 / (x * x + y * y + z * z + w * w)
    xs, ys, zs = x * scale, y * scale, z * scale
    wx, wy, wz = w * xs, w * ys, w * zs
    xx, xy, xz = x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    rows = [1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)]
    return np.array(rows).T.reshape(-1, 3, 3)


def _packed(values: list[float], *shape: int) -> Array:
    """The numbers as an array (K, *shape) that cannot be written to, made faster than by `np.array`."""
    return np.frombuffer(pack(f"{len(values)}d", *values)).reshape(-1, *shape)
