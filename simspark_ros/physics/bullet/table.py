"""Reads and brakes all robots of a Bullet world in every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet

from simspark_ros.kernels.bullet.readout import turn, unpack
from simspark_ros.physics.bullet.robot import BASE, BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import MAX_SPIN, Array, BoolArray
from simspark_ros.physics.geometry.transforms import product

# Columns of the table of bases.
POSITION, LINEAR, ANGULAR = slice(0, 3), slice(7, 10), slice(10, 13)
_COLUMNS = 13


class RobotTable:
    """A fixed list of robots, a row each; make a new one when the list changes."""

    def __init__(self, client: int, settings: BulletSettings, robots: list[BulletRobot]) -> None:
        self._client = client
        self._bodies = [(robot.body, robot.joints) for robot in robots]
        self._offset = np.cumsum([0, *(len(robot.joints) for robot in robots)])
        drag = np.array([[robot.linear_drag] * 3 + [robot.model.angular_drag] * 3 for robot in robots]).reshape(-1, 6)
        self._braking = -drag
        self._has_drag = bool(drag.any())
        self._zeros = np.zeros(3 * int(self._offset[-1]))
        principal = [(row, robot.principal_to_link) for row, robot in enumerate(robots)]
        self._turned = [(row, to_link) for row, to_link in principal if to_link is not None]
        # Bullet keeps quaternions at unit length, so they need no limit of their own.
        self._least_limit = min(settings.max_distance, settings.max_robot_speed, MAX_SPIN)
        rest = [self._least_limit] * 4 + [settings.max_robot_speed] * 3 + [MAX_SPIN] * 3
        self._limits = np.array([settings.max_distance] * 3 + rest)

    def read(self) -> tuple[Array, Array]:
        """Bases (N, 13): position, quaternion of the principal axes x, y, z, w, linear and angular velocity; joints.

        The second array, (3, J), has the joints' positions, velocities and motor efforts.
        """
        client = self._client
        parts: list[tuple[float, ...]] = []
        states: list[tuple[Any, ...]] = []
        for body, indices in self._bodies:
            parts += pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
            parts += pybullet.getBaseVelocity(body, physicsClientId=client)
            if indices:
                states += pybullet.getJointStates(body, indices, physicsClientId=client)
        bases, joints = np.empty((len(self._bodies), _COLUMNS)), np.empty((3, len(states)))
        unpack(parts, states, bases.reshape(-1), joints)
        return bases, joints

    def read_again(self, row: int, bases: Array, joints: Array) -> None:
        """Read one robot into arrays of `read`, after it alone was moved."""
        body, indices = self._bodies[row]
        position, orientation = pybullet.getBasePositionAndOrientation(body, physicsClientId=self._client)
        linear, angular = pybullet.getBaseVelocity(body, physicsClientId=self._client)
        bases[row] = (*position, *orientation, *linear, *angular)
        if indices:
            states = pybullet.getJointStates(body, indices, physicsClientId=self._client)
            positions, velocities, _, efforts = zip(*states, strict=True)
            joints[:, self._offset[row] : self._offset[row + 1]] = positions, velocities, efforts

    def rotations(self, bases: Array) -> Array:
        """(N, 3, 3) base link to world."""
        rotations = np.empty((len(bases), 3, 3))
        turn(bases, rotations.reshape(-1, 9))
        for row, to_link in self._turned:
            rotations[row] = product(rotations[row], to_link)
        return rotations

    def push(self, bases: Array, spins: Array, wrenches: Array | None) -> None:
        """Brake and push the robots for one Bullet step (Bullet forgets external forces after it).

        One torque at the base stands for all links' drag, as limbs that turn against the torso nearly cancel its drag.

        Args:
            bases: (N, 13) table of bases from `read`.
            spins: (N, 3) sum of the angular velocities of each robot's links, world frame, rad/s.
            wrenches: (N, 6) forces and torques on the bases besides drag, world frame, N and N m.
        """
        if not self._has_drag and wrenches is None:
            return
        client, world = self._client, pybullet.WORLD_FRAME
        points = bases[:, POSITION].tolist()
        pushes = self._braking * np.concatenate((bases[:, LINEAR], spins), axis=1)
        if wrenches is not None:
            pushes += wrenches
        for (body, _), point, push in zip(self._bodies, points, pushes.tolist(), strict=True):
            pybullet.applyExternalForce(body, BASE, push[:3], point, world, physicsClientId=client)
            pybullet.applyExternalTorque(body, BASE, push[3:], world, physicsClientId=client)

    def bad_rows(self, bases: Array, joints: Array) -> list[int]:
        """Rows whose numbers are not finite or absurd."""
        # Comparisons with NaN are false, and zero times infinity is NaN: so two products nearly always prove that all
        # numbers are sound.
        every = bases.ravel()
        if every.dot(every) <= self._least_limit**2 and joints.ravel().dot(self._zeros) == 0.0:
            return []
        good_base: BoolArray = np.logical_and.reduce(np.abs(bases) <= self._limits, axis=1)
        finite: BoolArray = np.logical_and.reduce(np.isfinite(joints), axis=0)
        parts = zip(self._offset[:-1].tolist(), self._offset[1:].tolist(), strict=True)
        return [row for row, (first, end) in enumerate(parts) if not (good_base[row] and finite[first:end].all())]
