"""Grounds of the limbs that carry a robot, where a limb's real place sees the ground.

Bullet keeps hinges closed, so that a leg is not quite where it really is. A contact depends only on the height of the
leg above the ground: so the ground of each leg is a plate of its own, as much too high as the leg is. A gap that closes
moves the real leg, too, and the ground resists: the plate moves the other way. Plates of legs with corners within the
contact layer are higher, and move as fast as makes up for the difference between what Bullet and ODE then push.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.scene import GHOST_GROUP, LIMB_GROUND_GROUPS, UPRIGHT, create_static
from simspark_ros.physics.engine import Array, IntArray

# Half edges of a plate, m: a leg that lies on it reaches no edge.
_PLATE = (1.0, 1.0, 0.5)
# Place where a plate waits, m, and its speed up.
_AWAY = (0.0, 0.0, -5.0, 0.0)


class _Plate:
    """A plate: Bullet's number, and its place, m, with its speed up, m/s: four numbers."""

    def __init__(self, client: int) -> None:
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=_PLATE, physicsClientId=client)
        self.body = create_static(client, shape, _AWAY[:3], UPRIGHT, 0, 0, maximal=False)
        # Bullet stops shapes that it keeps as a contact before they touch again; ODE stops only corners in the ground.
        alone = {"lateralFriction": 0.0, "contactProcessingThreshold": 0.0}
        pybullet.changeDynamics(self.body, -1, **alone, physicsClientId=client)
        self.place: Array = np.array(_AWAY)


class LimbGrounds:
    """The plates of a fixed list of robots (rows); make a new one when the list changes, which takes over `old`'s.

    Args:
        owners: row of the robot and Bullet's number of the link of each shape that the ground grips.

    Attributes:
        limbs: (S,) number of the limb of each of these shapes, -1 for none.
        places: (L, 4) places of the limbs' plates, m, and their speeds up, m/s.
    """

    def __init__(
        self, client: int, robots: list[BulletRobot], owners: list[tuple[int, int]], old: LimbGrounds | None
    ) -> None:
        self._client = client
        # Plates that wait, and plates of robots, by the robot and the number of the limb.
        self._idle: list[_Plate] = []
        self._plates: dict[tuple[int, int], _Plate] = {}
        known: dict[tuple[int, int], _Plate] = {}
        if old is not None and old._client == client:
            known, self._idle = dict(old._plates), old._idle
        self.limbs: IntArray = np.full(len(owners), -1)
        shapes_of = defaultdict[tuple[int, int], list[int]](list)
        for shape, owner in enumerate(owners):
            shapes_of[owner].append(shape)
        limbs = [(row, robot, limb) for row, robot in enumerate(robots) for limb in range(len(robot.limbs))]
        for row, robot, limb in limbs:
            shapes = [shape for link in robot.limbs[limb] for shape in shapes_of[row, link]]
            if shapes:
                plate = known.pop((id(robot), limb), None) or (self._idle.pop() if self._idle else _Plate(client))
                self.limbs[shapes] = len(self._plates)
                groups = LIMB_GROUND_GROUPS[limb], robot.group | GHOST_GROUP
                pybullet.setCollisionFilterGroupMask(plate.body, -1, *groups, physicsClientId=client)
                self._plates[id(robot), limb] = plate
        for plate in known.values():
            plate.place = np.array(_AWAY)
            self._put(plate)
        self._idle += known.values()
        self._list = list(self._plates.values())
        self.places: Array = np.array([plate.place for plate in self._list]).reshape(-1, 4)
        for plate, place in zip(self._list, self.places, strict=True):
            plate.place = place

    def put(self, limbs: list[int]) -> None:
        """Put the plates of these limbs where `places` has them."""
        for limb in limbs:
            self._put(self._list[limb])

    def _put(self, plate: _Plate) -> None:
        """Put a plate where it belongs, at rest or with a speed up with which it goes on until it is put again."""
        x, y, z, speed = plate.place.tolist()
        pybullet.resetBasePositionAndOrientation(
            plate.body, (x, y, z - _PLATE[2]), UPRIGHT, physicsClientId=self._client
        )
        if speed:
            pybullet.resetBaseVelocity(plate.body, (0.0, 0.0, speed), (0.0, 0.0, 0.0), physicsClientId=self._client)
