"""Poses of links and frames of many robots, one Bullet call a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from struct import pack

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BASE, BulletRobot
from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.links import SelectedLinks, resolve_links

# Number of rotations from which on computing all at once is faster than a call of Bullet for each.
_MANY = 64


@dataclass
class BulletLinks:
    """A prepared selection of K links and frames.

    Attributes:
        revision: revision of the state that the selection was made for.
        calls: robots and Bullet's indices of their links, other than the base, to read in one call each.
        base_rows: rows of the robots whose base is selected, (B,).
        order: (K,) index of each selected link among the links of all calls followed by the bases.
        places: (K,) index of each selected link in `LinkStates`.
        selected: the frames on the links.
    """

    revision: int
    calls: list[tuple[BulletRobot, list[int]]]
    base_rows: IntArray
    order: IntArray
    places: IntArray
    selected: SelectedLinks


def select_links(state: EngineState, robots: list[BulletRobot], links: list[tuple[int, str]]) -> BulletLinks:
    """Prepare a selection, see EngineCore.select_links."""
    selected = resolve_links(state, links)
    rows = selected.rows
    numbers = [
        robots[row].links[robots[row].model.links[link].name] for row, link in zip(rows, selected.links, strict=True)
    ]
    first = np.cumsum([0, *(len(robot.model_links) for robot in robots)])
    # One call of Bullet reads several links of one robot, and bases are in the state already. So links are read robot
    # by robot, then bases, and `order` brings them back into the order of the selection.
    sequence = sorted(range(len(rows)), key=lambda place: (numbers[place] == BASE, rows[place]))
    moving = [place for place in sequence if numbers[place] != BASE]
    return BulletLinks(
        revision=state.revision,
        calls=[
            (robots[row], [numbers[place] for place in places])
            for row, places in groupby(moving, key=lambda place: rows[place])
        ],
        base_rows=np.array([rows[place] for place in sequence[len(moving) :]], np.int64),
        order=np.argsort(np.array(sequence, np.int64)),
        places=np.array([first[row] + link for row, link in zip(rows, selected.links, strict=True)], np.int64),
        selected=selected,
    )


def read_links(selection: BulletLinks, state: EngineState, client: int, shifts: Array | None) -> tuple[Array, Array]:
    """Centres (K, 3) and rotations (K, 3, 3); shifts: (P, 3) from Bullet's places to the real ones, m, if any."""
    positions: list[float] = []
    quaternions: list[tuple[float, ...]] = []
    # Bullet leaves the links where they were before the step unless it is asked for the forward kinematics.
    for robot, links in selection.calls:
        for link in pybullet.getLinkStates(robot.body, links, computeForwardKinematics=1, physicsClientId=client):
            positions += link[0]
            quaternions.append(link[5])
    centres, rotations = packed(positions, 3), rotations_of(quaternions)
    if len(selection.base_rows):
        centres = np.concatenate((centres, state.position[selection.base_rows]))
        rotations = np.concatenate((rotations, state.rotation[selection.base_rows]))
    centres = centres.take(selection.order, 0)
    if shifts is not None:
        centres += shifts.take(selection.places, 0)
    return selection.selected.frames(centres, rotations.take(selection.order, 0))


def read_velocities(
    selection: BulletLinks, state: EngineState, client: int, closing: Array | None
) -> tuple[Array, Array]:
    """Linear and angular velocities, (K, 3) each; closing: (P, 3) velocities that close gaps, m/s, if any."""
    numbers: list[float] = []
    quaternions: list[tuple[float, ...]] = []
    for robot, links in selection.calls:
        for link in pybullet.getLinkStates(robot.body, links, 1, 1, physicsClientId=client):
            numbers += (*link[6], *link[7])
            quaternions.append(link[5])
    velocities, rotations = packed(numbers, 6), rotations_of(quaternions)
    rows, order = selection.base_rows, selection.order
    linear = np.concatenate((velocities[:, :3], state.linear_velocity[rows])).take(order, 0)
    if closing is not None:
        linear += closing.take(selection.places, 0)
    angular = np.concatenate((velocities[:, 3:], state.angular_velocity[rows])).take(order, 0)
    return selection.selected.velocities(
        linear, angular, np.concatenate((rotations, state.rotation[rows])).take(order, 0)
    )


def point_velocity(client: int, body: int, link: int, arm: Array) -> Array:
    """Velocity (3,) of a point of a link, m/s; arm: (3,) to it from the link's centre of mass, m, world frame."""
    if link == BASE:
        linear, angular = pybullet.getBaseVelocity(body, physicsClientId=client)
    else:
        linear, angular = pybullet.getLinkState(body, link, computeLinkVelocity=1, physicsClientId=client)[6:8]
    velocity: Array = np.cross(angular, arm) + linear
    return velocity


def rotations_of(quaternions: Sequence[Sequence[float]]) -> Array:
    """Rotations (K, 3, 3) of quaternions x, y, z, w, which Bullet keeps as unit ones to single precision only."""
    if len(quaternions) < _MANY:
        entries: list[float] = []
        for quaternion in quaternions:
            entries += pybullet.getMatrixFromQuaternion(quaternion)
        return packed(entries, 3, 3)
    # The same numbers to the bit, whatever the quaternions' lengths.
    x, y, z, w = packed(list(chain.from_iterable(quaternions)), 4).T.copy()
    scale = 2.0 / (x * x + y * y + z * z + w * w)
    xs, ys, zs = x * scale, y * scale, z * scale
    wx, wy, wz = w * xs, w * ys, w * zs
    xx, xy, xz = x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    rows = [1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)]
    return np.array(rows).T.reshape(-1, 3, 3)


def packed(values: list[float], *shape: int) -> Array:
    """The numbers as an array (K, *shape) that cannot be written to, made faster than by `np.array`."""
    return np.frombuffer(pack(f"{len(values)}d", *values)).reshape(-1, *shape)
