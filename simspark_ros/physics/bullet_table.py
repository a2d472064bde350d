"""What is read from and done to all robots alike in every step."""

from __future__ import annotations

import math

import numpy as np
import pybullet

from simspark_ros.physics.bullet_robot import BASE, BulletRobot
from simspark_ros.physics.bullet_settings import BulletSettings
from simspark_ros.physics.engine import Array, BoolArray

MAX_SPIN = 1000.0
"""A base that spins faster is absurd, rad/s."""

# Columns of the table of bases.
POSITION, ORIENTATION, LINEAR, ANGULAR = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)


class RobotTable:
    """A fixed list of robots, a row each; make a new one when the list changes."""

    def __init__(self, client: int, settings: BulletSettings, robots: list[BulletRobot]) -> None:
        """Prepare the calls for these robots."""
        self._client = client
        self._bodies = [(robot.body, robot.joints) for robot in robots]
        self._offset = np.cumsum([0, *(len(robot.joints) for robot in robots)])
        self._drag = np.array([[robot.linear_drag] * 3 + [robot.angular_drag] * 3 for robot in robots]).reshape(-1, 6)
        self._has_drag = bool(self._drag.any())
        principal = [(row, robot.principal_to_link) for row, robot in enumerate(robots)]
        self._turned = [(row, to_link) for row, to_link in principal if to_link is not None]
        limits = [settings.max_distance] * 3 + [2.0] * 4 + [settings.max_robot_speed] * 3 + [MAX_SPIN] * 3
        self._limits = np.array(limits)

    def read(self) -> tuple[Array, Array]:
        """Read bases and joints.

        Returns:
            (N, 13) position, orientation of the principal axes as a quaternion x, y, z, w, linear and angular
            velocity of the bases; (3, J) positions, velocities and motor efforts of the joints.
        """
        client = self._client
        bases: list[tuple[float, ...]] = []
        positions: list[float] = []
        velocities: list[float] = []
        efforts: list[float] = []
        for body, joints in self._bodies:
            position, orientation = pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
            linear, angular = pybullet.getBaseVelocity(body, physicsClientId=client)
            bases.append(position + orientation + linear + angular)
            if joints:
                states = pybullet.getJointStates(body, joints, physicsClientId=client)
                position, velocity, _, effort = zip(*states, strict=True)
                positions += position
                velocities += velocity
                efforts += effort
        return np.array(bases).reshape(-1, 13), np.array((positions, velocities, efforts))

    def rotations(self, bases: Array) -> Array:
        """(N, 3, 3) base link to world."""
        matrices = [pybullet.getMatrixFromQuaternion(one) for one in bases[:, ORIENTATION].tolist()]
        rotations = np.array(matrices).reshape(-1, 3, 3)
        for row, to_link in self._turned:
            rotations[row] = rotations[row] @ to_link
        return rotations

    def apply_drag(self, bases: Array) -> None:
        """Brake the robots for one Bullet step (Bullet forgets external forces after it)."""
        if not self._has_drag:
            return
        client, world = self._client, pybullet.WORLD_FRAME
        rows = np.hstack((bases[:, POSITION], -self._drag * bases[:, LINEAR.start :])).tolist()
        for (body, _), row in zip(self._bodies, rows, strict=True):
            pybullet.applyExternalForce(body, BASE, row[3:6], row[:3], world, physicsClientId=client)
            pybullet.applyExternalTorque(body, BASE, row[6:], world, physicsClientId=client)

    def bad_rows(self, bases: Array, joints: Array) -> list[int]:
        """Rows whose numbers are not finite or absurd."""
        # A comparison with NaN is false, so one test finds both.
        good = np.abs(bases) <= self._limits
        if np.count_nonzero(good) == good.size and math.isfinite(joints.sum()):
            return []
        good_base: BoolArray = np.logical_and.reduce(good, axis=1)
        finite: BoolArray = np.logical_and.reduce(np.isfinite(joints), axis=0)
        parts = zip(self._offset[:-1].tolist(), self._offset[1:].tolist(), strict=True)
        return [row for row, (first, end) in enumerate(parts) if not (good_base[row] and finite[first:end].all())]
