"""Contacts of a ball near robots, as on the classic server.

Bullet gives all contacts one softness, and bounds friction by load. In ODE's world the ball is soft, and its friction
has no bound and needs no load, but gives way: the ground turns a ball while a foot kicks it, and a kicked ball that
slides loses a sixth of its speed. So Bullet's friction is off for a ball near robots. After a step in which links
touch the ball, its velocity is computed anew from ODE's rows, by the kernel `ball_rows`. Drag is left out: it takes
only a thousandth of a kicked ball's speed in a step. The links keep the speed that Bullet gave them. In the next step
they get the difference to Bullet's impulses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pybullet

from simspark_ros.kernels.bullet.ball_rows import BallRows
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.model import BallModel, Vector

MotionsOf = Callable[[int, int], tuple[Array, Array, Array] | None]
"""Motions of a robot's link in a step, world frame; None for a link of no robot.

Arguments: Bullet's numbers of body and link. Results: (3,) centre of mass before the step, m; (6,) velocities, linear
and angular, before and after the step, m/s and rad/s.
"""

# Contacts of a ball that there is room for at first.
_MANY = 8


class BallContacts:
    """Finds the velocity of the ball near robots.

    Args:
        ground: Bullet's number of the ground near robots, whose contacts are found without Bullet.
    """

    def __init__(self, client: int, settings: BulletSettings, ball: BallModel, gravity: Vector, ground: int) -> None:
        self._client = client
        self._settings = settings
        self._ground = ground
        self._ball = ball
        self._fall = np.array((*gravity, 0.0, 0.0, 0.0)) * settings.step_time
        self._rows = self._rows_of(_MANY)
        # Pushes on links in the coming step: body, link, force and point, world frame.
        self._pushes: list[tuple[int, int, list[float], tuple[float, ...]]] = []

    def _rows_of(self, contacts: int) -> BallRows:
        """Rows with room for so many contacts."""
        settings, ball, count = self._settings, self._ball, 3 * contacts
        self._most = contacts
        return BallRows(
            step=settings.step_time,
            radius=ball.radius,
            layer=settings.contact_layer,
            erp=settings.ball_erp,
            softness=settings.ball_softness,
            link_erp=settings.ball_link_erp,
            link_softness=settings.ball_link_softness,
            slip=settings.ball_slip,
            bounce=settings.ball_bounce,
            bounce_speed=settings.ground_bounce_speed,
            inverse=np.array([1.0 / ball.mass] * 3 + [1.0 / ball.inertia] * 3),
            fall=self._fall,
            centre=np.zeros(3),
            motion=np.zeros(6),
            jacobian=np.zeros((count, 6)),
            wanted=np.zeros(count),
            soft=np.zeros(count),
            impulses=np.zeros(count),
            acting=np.zeros(count, np.uint8),
            chosen=np.zeros(count, np.int64),
            system=np.zeros((count, count + 1)),
        )

    def push_links(self) -> None:
        """Give links in the coming step the push that they lacked in the last step."""
        for push in self._pushes:
            pybullet.applyExternalForce(*push, pybullet.WORLD_FRAME, physicsClientId=self._client)
        self._pushes.clear()

    def forget(self, body: int) -> None:
        """Forget the pushes on a robot that was put somewhere or leaves."""
        self._pushes = [push for push in self._pushes if push[0] != body]

    def change(
        self, ball: int, offset: Vector, before: tuple[float, ...], after: tuple[float, ...], motions_of: MotionsOf
    ) -> Sequence[float]:
        """(6,) correction of the ball's velocity and angular velocity after a step, m/s and rad/s.

        ball: Bullet's number; offset: (3,) real place of the ball less its place in Bullet, m; before, after: position,
        velocity and angular velocity. Empty if there is none.
        """
        listed = pybullet.getContactPoints(ball, physicsClientId=self._client)
        if len(listed) >= self._most:
            # The ground is not among them.
            self._rows = self._rows_of(2 * len(listed))
        found: Sequence[float] = self._rows.change(
            listed, ball, self._ground, offset, before, after, motions_of, self._pushes
        )
        return found
