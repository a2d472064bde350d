"""Grounds of the limbs that carry a robot, where a limb's real place sees the ground.

Bullet keeps hinges closed, so that a leg is not quite where it really is. A contact depends only on the height of the
leg above the ground: so the ground of each leg is a plate of its own, as much too high as the leg is. A gap that closes
moves the real leg, too, and the ground resists: the plate moves the other way.
"""

from __future__ import annotations

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.scene import GHOST_GROUP, LIMB_GROUND_GROUPS, UPRIGHT, create_static
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.model import Vector

# Half edges of a plate, m: a leg that lies on it reaches no edge.
_PLATE = (1.0, 1.0, 0.5)
# A plate follows its leg when that is so far from its middle, m.
_STRAY = 0.2
# Height from which on a plate is moved, m.
_LEAST = 1e-5
# A leg higher than this touches no ground in a step, m.
_HIGH = 0.05
# Place where a plate waits, m.
_AWAY: Vector = (0.0, 0.0, -5.0)


class _Plate:
    """A plate: its number, its place, and the indices of the shapes of its limb that the ground grips."""

    def __init__(self, client: int) -> None:
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=_PLATE, physicsClientId=client)
        self.body = create_static(client, shape, _AWAY, UPRIGHT, 0, 0, maximal=False)
        pybullet.changeDynamics(self.body, -1, lateralFriction=0.0, physicsClientId=client)
        self.place: Vector = _AWAY
        self.shapes: IntArray = np.zeros(0, np.int64)


class LimbGrounds:
    """The plates of a fixed list of robots (rows); make a new one when the list changes, which takes over `old`'s.

    Args:
        owners: row of the robot and Bullet's number of the link of each shape that the ground grips.
    """

    def __init__(
        self,
        client: int,
        robots: list[BulletRobot],
        owners: list[tuple[int, int]],
        old: LimbGrounds | None,
    ) -> None:
        self._client = client
        # Plates that wait, and plates of robots, by the robot and the number of the limb.
        self._idle: list[_Plate] = []
        self._plates: dict[tuple[int, int], _Plate] = {}
        limbs = [(row, robot, limb) for row, robot in enumerate(robots) for limb in range(len(robot.limbs))]
        staying = {(id(robot), limb) for _, robot, limb in limbs}
        known: dict[tuple[int, int], _Plate] = {}
        if old is not None and old._client == client:
            known, self._idle = old._plates, old._idle
            leaving = [plate for key, plate in known.items() if key not in staying]
            for plate in leaving:
                self._put(plate, _AWAY)
            self._idle += leaving
        for row, robot, limb in limbs:
            shapes = [shape for shape, (owner, link) in enumerate(owners) if owner == row and link in robot.limbs[limb]]
            if not shapes:
                continue
            plate = known.get((id(robot), limb)) or (self._idle.pop() if self._idle else _Plate(client))
            plate.shapes = np.array(shapes, np.int64)
            groups = LIMB_GROUND_GROUPS[limb], robot.group | GHOST_GROUP
            pybullet.setCollisionFilterGroupMask(plate.body, -1, *groups, physicsClientId=client)
            self._plates[id(robot), limb] = plate

    def put(self, points: Array, heights: Array, shifts: Array, closing: Array) -> None:
        """Put the plates where the limbs see the ground.

        Args:
            points: (S, 8, 3) corners of shapes in Bullet, NaN where a shape has fewer, m.
            heights: (S, 8) real heights of the corners, m.
            shifts: (S, 3) shifts of the shapes' links, m.
            closing: (S, 3) velocities of the links that close gaps, m/s.
        """
        lowest = np.fmin.reduce(heights, axis=1)
        for plate in self._plates.values():
            shape = int(plate.shapes[lowest[plate.shapes].argmin()])
            height = -float(shifts[shape, 2])
            if abs(height) < _LEAST or lowest[shape] > _HIGH:
                height = 0.0
            x, y, _ = points[shape, 0].tolist()
            was_x, was_y, was = plate.place
            if height or was or max(abs(x - was_x), abs(y - was_y)) > _STRAY:
                self._put(plate, (x, y, height))
            if height:
                self._move(plate, -float(closing[shape, 2]))

    def _put(self, plate: _Plate, place: Vector) -> None:
        """Put a plate to rest."""
        plate.place = x, y, z = place
        pybullet.resetBasePositionAndOrientation(
            plate.body, (x, y, z - _PLATE[2]), UPRIGHT, physicsClientId=self._client
        )

    def _move(self, plate: _Plate, speed: float) -> None:
        """Give a plate a speed up, m/s, with which it goes on until it is put somewhere."""
        pybullet.resetBaseVelocity(plate.body, (0.0, 0.0, speed), (0.0, 0.0, 0.0), physicsClientId=self._client)
