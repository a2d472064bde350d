"""Grounds of the limbs that carry a robot, where a limb's real place sees the ground.

Bullet keeps hinges closed, so that a leg is not quite where it really is. A contact depends only on the height of the
leg above the ground: so the ground of each leg is a plate of its own, as much too high as the leg is. A gap that closes
moves the real leg, too, and the ground resists: the plate moves the other way. Plates of legs with corners within the
contact layer are higher, and move as fast as makes up for the difference between what Bullet and ODE then push.
"""

from __future__ import annotations

import pybullet

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.scene import GHOST_GROUP, LIMB_GROUND_GROUPS, UPRIGHT, create_static
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import Vector

# Half edges of a plate, m: a leg that lies on it reaches no edge.
_PLATE = (1.0, 1.0, 0.5)
# A plate follows its leg when that is so far from its middle, m.
_STRAY = 0.2
# Height from which on a plate is moved, m.
_LEAST = 1e-5
# A plate stays so far below corners above the ground, m.
_CLEAR = 1e-4
# A leg higher than this touches no ground in a step, m.
_HIGH = 0.05
# Place where a plate waits, m.
_AWAY: Vector = (0.0, 0.0, -5.0)


class _Plate:
    """A plate: its number, its place, its speed up, and the indices of the shapes of its limb that the ground grips."""

    def __init__(self, client: int) -> None:
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=_PLATE, physicsClientId=client)
        self.body = create_static(client, shape, _AWAY, UPRIGHT, 0, 0, maximal=False)
        # Bullet stops shapes that it keeps as a contact before they touch again; ODE stops only corners in the ground.
        alone = {"lateralFriction": 0.0, "contactProcessingThreshold": 0.0}
        pybullet.changeDynamics(self.body, -1, **alone, physicsClientId=client)
        self.place, self.speed = _AWAY, 0.0
        self.shapes: list[int] = []


class LimbGrounds:
    """The plates of a fixed list of robots (rows); make a new one when the list changes, which takes over `old`'s.

    Args:
        owners: row of the robot and Bullet's number of the link of each shape that the ground grips.
    """

    def __init__(
        self,
        client: int,
        settings: BulletSettings,
        robots: list[BulletRobot],
        owners: list[tuple[int, int]],
        old: LimbGrounds | None,
    ) -> None:
        self._client = client
        self._layer, self._rate = settings.contact_layer, 1.0 / settings.step_time
        self._push, self._shallow = settings.contact_erp * self._rate, _CLEAR - settings.contact_layer
        # Plates that wait, and plates of robots, by the robot and the number of the limb.
        self._idle: list[_Plate] = []
        self._plates: dict[tuple[int, int], _Plate] = {}
        known: dict[tuple[int, int], _Plate] = {}
        if old is not None and old._client == client:
            known, self._idle = dict(old._plates), old._idle
        limbs = [(row, robot, limb) for row, robot in enumerate(robots) for limb in range(len(robot.limbs))]
        for row, robot, limb in limbs:
            shapes = [shape for shape, owner in enumerate(owners) if owner[0] == row and owner[1] in robot.limbs[limb]]
            if shapes:
                plate = known.pop((id(robot), limb), None) or (self._idle.pop() if self._idle else _Plate(client))
                plate.shapes = shapes
                groups = LIMB_GROUND_GROUPS[limb], robot.group | GHOST_GROUP
                pybullet.setCollisionFilterGroupMask(plate.body, -1, *groups, physicsClientId=client)
                self._plates[id(robot), limb] = plate
        for plate in known.values():
            self._put(plate, _AWAY)
        self._idle += known.values()

    def put(self, points: Array, heights: Array, extents: list[list[float]]) -> None:
        """Put the plates where the limbs see the ground.

        Args:
            points: (8 S, 3) corners of shapes in Bullet, NaN where a shape has fewer, m.
            heights: (S, 8) their real heights, m.
            extents: (S, 4) lowest and shallowest corners, shifts and closing velocities, see `GroundCorners`.
        """
        for plate in self._plates.values():
            shape = min(plate.shapes, key=extents.__getitem__)
            lowest, shallowest, shift, closing = extents[shape]
            depth, height, speed = -lowest, -shift, -closing
            if abs(height) < _LEAST or depth < -_HIGH:
                height = speed = 0.0
            if shallowest > self._shallow:
                lift, lag = self._lift(depth, heights[shape].tolist())
                height, speed = height + lift, speed + lag
            x, y, _ = points[8 * shape].tolist()
            was_x, was_y, was = plate.place
            strayed = max(abs(x - was_x), abs(y - was_y)) > _STRAY
            if speed or plate.speed or height != was or strayed:
                self._put(plate, (x, y, height), speed)

    def _lift(self, depth: float, heights: list[float]) -> tuple[float, float]:
        """How much higher a plate is, m, and its speed up, m/s: ODE stops corners within the layer, Bullet below it.

        depth: depth of the lowest corner, m; heights: heights of its shape's corners, m.
        """
        # Higher, and the plate would touch corners above the ground.
        lift = min(self._layer, max(0.0, min([one for one in heights if one >= 0.0], default=_HIGH) - _CLEAR))
        below = depth + lift - self._layer
        return lift, self._push * max(0.0, depth - self._layer) - below * (self._push if below > 0.0 else self._rate)

    def _put(self, plate: _Plate, place: Vector, speed: float = 0.0) -> None:
        """Put a plate somewhere, at rest or with a speed up, m/s, with which it goes on until it is put again."""
        (x, y, z), plate.place, plate.speed = place, place, speed
        pybullet.resetBasePositionAndOrientation(
            plate.body, (x, y, z - _PLATE[2]), UPRIGHT, physicsClientId=self._client
        )
        if speed:
            pybullet.resetBaseVelocity(plate.body, (0.0, 0.0, speed), (0.0, 0.0, 0.0), physicsClientId=self._client)
