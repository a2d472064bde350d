"""A ground that gives way under the ball, as ODE's soft contacts do.

A ball that a foot squeezes onto a rigid ground shoots away at 10 to 30 m/s. Near robots the ball's ground is therefore
a plate under it: a mass, at rest before each step, that gives way by step * force / mass.
"""

from __future__ import annotations

import pybullet

from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.model import BallModel, Vector

# Half edges of the plate, m: larger than the ball's way in a step, and too thick for the ball to pass through.
_PLATE = (1.0, 1.0, 0.5)
# Place where the plate waits, m.
_AWAY = (0.0, 0.0, -2.0)


class SoftGround:
    """The plate; it collides with nothing until the ball's ground is exchanged for it.

    Attributes:
        body: Bullet's number of the plate.
        mass: mass of the plate, kg.
    """

    def __init__(self, client: int, settings: BulletSettings, ball: BallModel, gravity: Vector) -> None:
        self._client = client
        # A resting ball sinks by this much under its weight; the plate is raised so that it rests as on rigid ground.
        yielding = settings.ball_softness * ball.mass * -gravity[2] * settings.step_time / settings.contact_erp
        self._depth = _PLATE[2] + settings.ball_sink - settings.contact_layer - min(yielding, ball.radius / 2.0)
        # Velocity that gravity brings to zero in a step, m/s.
        self._leap = tuple(0.0 - part * settings.step_time for part in gravity)
        self.mass = settings.step_time / settings.ball_softness
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=_PLATE, physicsClientId=client)
        self.body: int = pybullet.createMultiBody(
            self.mass, shape, basePosition=_AWAY, useMaximalCoordinates=True, physicsClientId=client
        )
        pybullet.setCollisionFilterGroupMask(self.body, -1, 0, 0, physicsClientId=client)
        pybullet.changeDynamics(
            self.body,
            -1,
            lateralFriction=0.0,
            restitution=0.0,
            linearDamping=0.0,
            angularDamping=0.0,
            physicsClientId=client,
        )

    def put(self, ball: tuple[float, float] | None, height: float = 0.0) -> None:
        """Put the plate to rest under the ball, or out of the way; it falls if it is not put there in each step.

        ball: place of the ball, m; height: height of the ground, m.
        """
        place: Vector = _AWAY if ball is None else (*ball, height - self._depth)
        pybullet.resetBasePositionAndOrientation(self.body, place, (0.0, 0.0, 0.0, 1.0), physicsClientId=self._client)
        pybullet.resetBaseVelocity(self.body, self._leap, (0.0, 0.0, 0.0), physicsClientId=self._client)
