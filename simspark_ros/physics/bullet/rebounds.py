"""Restitution between links and obstacles with a material of their own.

Bullet counts the gap that is left before an impact, up to a step's way, as lost speed: a sphere with restitution 0.8
may rebound as with 0.3. Here Bullet's impacts are plastic, and in the step after an impact the same impulse acts once
more, scaled so that the bodies part with the wanted speed (Poisson's hypothesis). Links move as if their robot was
rigid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pybullet

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.table import ANGULAR, LINEAR, POSITION
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import Vector
from simspark_ros.physics.ode_likeness.correction import Correction, Motion, Pushes
from simspark_ros.physics.surfaces import BOUNCE_SPEED

# Body and link; a force, N, and its point, m, world frame.
_Part = tuple[int, int]
_Push = tuple[_Part, Array, Array]


class Rebounds(Correction):
    """The rebounds of a fixed list of robots (rows); make a new one when the list changes.

    Args:
        client: Bullet's number of the world.
        step: length of Bullet's step, s.
        gravity: acceleration of gravity, m/s2.
        robots: the robots in the order of rows.
        standing: restitution of ground and obstacles, by Bullet's number of the body.

    Attributes:
        is_needed: whether anything may rebound.
    """

    def __init__(
        self, client: int, step: float, gravity: Vector, robots: list[BulletRobot], standing: Mapping[int, float]
    ) -> None:
        self._client, self._step, self._gravity = client, step, np.array(gravity)
        self._rows = {robot.body: row for row, robot in enumerate(robots)}
        elastic = {
            (robot.body, number): link.material.restitution
            for robot in robots
            for number, link in zip(robot.model_links, robot.model.links, strict=True)
            if link.material is not None and link.material.restitution > 0.0
        }
        self._elastic_bodies = sorted({body for body, _ in elastic})
        self.is_needed = bool(elastic)
        self._restitution = {(body, -1): value for body, value in standing.items()} | elastic
        self._pushes: list[_Push] = []

    def before_step(self, motion: Motion, pushes: Pushes) -> None:
        """Let bodies that met in the last step part."""
        for (body, link), force, point in self._pushes:
            pybullet.applyExternalForce(
                body, link, force.tolist(), point.tolist(), pybullet.WORLD_FRAME, physicsClientId=self._client
            )
        self._pushes.clear()

    def after_step(self, before: Motion, after: Motion) -> None:
        """Look for impacts."""
        bases = before.bases
        # Points up to a metre from the middle of a body are no faster than this.
        speeds = np.sqrt((bases[:, LINEAR] ** 2).sum(axis=1)) + np.sqrt((bases[:, ANGULAR] ** 2).sum(axis=1))
        lively = {body for body, row in self._rows.items() if speeds[row] > BOUNCE_SPEED / 2.0}
        if not lively:
            return
        met: dict[tuple[_Part, _Part], list[tuple[Array, Array, float]]] = {}
        for body in self._elastic_bodies:
            for contact in pybullet.getContactPoints(bodyA=body, physicsClientId=self._client):
                one, other, force = (contact[1], contact[3]), (contact[2], contact[4]), contact[9]
                # A contact of two elastic bodies is listed for both.
                doubled = other[0] in self._elastic_bodies and other[0] < body
                if force <= 0.0 or doubled or not (one[0] in lively or other[0] in lively):
                    continue
                if one in self._restitution and other in self._restitution:
                    entry = np.array(contact[5]), np.array(contact[7]), float(force)
                    met.setdefault((one, other), []).append(entry)
        for pair, contacts in met.items():
            self._pushes += self._parting(pair, contacts, bases, after.bases)

    def _parting(
        self, pair: tuple[_Part, _Part], contacts: list[tuple[Array, Array, float]], before: Array, after: Array
    ) -> Iterable[_Push]:
        """The forces of the next step on two parts that met; contacts: points, normals toward the first, forces."""
        loads = np.array([force for _, _, force in contacts])
        point = product(loads, [place for place, _, _ in contacts]) / loads.sum()
        normal = product(loads, [axis for _, axis, _ in contacts]) / loads.sum()
        (one, _), (other, _) = pair
        approach = -product(normal, self._velocity(one, point, before) - self._velocity(other, point, before))
        if approach <= BOUNCE_SPEED:
            return
        left = product(normal, self._velocity(one, point, after) - self._velocity(other, point, after))
        # Gravity has its part in the change of this step and of the next; the impact's impulse made the rest.
        falling = product(normal, self._gravity) * self._step * ((one in self._rows) - (other in self._rows))
        wanted = self._restitution[pair[0]] * self._restitution[pair[1]] * approach
        share = (wanted - left - falling) / max(left + approach - falling, BOUNCE_SPEED * 1e-3)
        for place, axis, force in contacts:
            push = max(share, 0.0) * force * axis
            yield pair[0], push, place
            if other in self._rows:
                yield pair[1], -push, place

    def _velocity(self, body: int, point: Array, base: Array) -> Array:
        """Velocity of a body at a point, m/s; obstacles stand still."""
        row = self._rows.get(body)
        if row is None:
            return np.zeros(3)
        own = base[row]
        moved: Array = own[LINEAR] + np.cross(own[ANGULAR], point - own[POSITION])
        return moved
