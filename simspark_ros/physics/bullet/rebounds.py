"""Restitution between links and obstacles with a material of their own.

Bullet counts the gap that is left before an impact, up to a step's way, as lost speed: a sphere with restitution 0.8
may rebound as with 0.3. Here Bullet's impacts are plastic, and in the step after an impact the same impulse acts once
more, scaled so that the bodies part with the wanted speed (Poisson's hypothesis), by the kernel `impacts`. Links move
as if their robot was rigid.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pybullet

from simspark_ros.kernels.bullet.impacts import Impacts
from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.model import Vector
from simspark_ros.physics.ode_likeness.correction import Correction, Motion, Pushes
from simspark_ros.physics.surfaces import BOUNCE_SPEED


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
        self._client = client
        elastic = {
            (robot.body, number): link.material.restitution
            for robot in robots
            for number, link in zip(robot.model_links, robot.model.links, strict=True)
            if link.material is not None and link.material.restitution > 0.0
        }
        self._elastic_bodies = sorted({body for body, _ in elastic})
        self.is_needed = bool(elastic)
        self._impacts = Impacts(
            step=step,
            slow=BOUNCE_SPEED,
            rows={robot.body: row for row, robot in enumerate(robots)},
            restitution={(body, -1): value for body, value in standing.items()} | elastic,
            gravity=np.array(gravity),
            lively=np.zeros(len(robots), np.uint8),
            point=np.zeros(3),
            normal=np.zeros(3),
            relative=np.zeros(3),
        )
        # Pushes in the coming step: body, link, force, N, and its point, m, world frame.
        self._pushes: list[tuple[int, int, Vector, Vector]] = []

    def before_step(self, motion: Motion, pushes: Pushes) -> None:
        """Let bodies that met in the last step part."""
        for push in self._pushes:
            pybullet.applyExternalForce(*push, pybullet.WORLD_FRAME, physicsClientId=self._client)
        self._pushes.clear()

    def after_step(self, before: Motion, after: Motion) -> None:
        """Look for impacts."""
        if self._impacts.find_lively(before.bases):
            listed = {
                body: pybullet.getContactPoints(bodyA=body, physicsClientId=self._client)
                for body in self._elastic_bodies
            }
            self._pushes += self._impacts.find_pushes(listed, before.bases, after.bases)
