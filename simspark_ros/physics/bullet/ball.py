"""The ball of a Bullet world, with its own ground and obstacles."""

from __future__ import annotations

import math

import numpy as np
import pybullet

from simspark_ros.kernels.bullet.readout import shift_at_ball
from simspark_ros.physics.bullet.link_states import LinkStates
from simspark_ros.physics.bullet.ode_likeness.ball_contacts import BallContacts, MotionsOf
from simspark_ros.physics.bullet.ode_likeness.soft_ground import SoftGround
from simspark_ros.physics.bullet.scene import (
    BALL_GROUP,
    BALL_STATIC_GROUP,
    GHOST_GROUP,
    LINK_RESTITUTION,
    ROBOT_GROUPS,
    SPLIT_IMPULSE_DEPTH,
    UPRIGHT,
    all_obstacles,
    build_for_robots,
    create_static,
    static_body,
)
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.geometry.transforms import Array, product
from simspark_ros.physics.model import BallModel, SceneModel, Vector

_FRICTION = 10.0
_NO_OFFSET = (0.0, 0.0, 0.0)
# Distances to the boxes are computed again when the ball may have come this near to one, m.
_BOX_ALERT = 0.3
# A ball this many radii deep in a box has its contact near its centre: fast shots at thin posts.
_DEEP = 0.75


def build_scene(client: int, settings: BulletSettings, scene: SceneModel) -> BulletBall | None:
    """Build everything but robots; returns the ball if there is one."""
    build_for_robots(client, settings, scene)
    return None if scene.ball is None else BulletBall(client, settings, scene, scene.ball)


class BulletBall:
    """The ball with its own ground and boxes."""

    def __init__(self, client: int, settings: BulletSettings, scene: SceneModel, model: BallModel) -> None:
        self._client = client
        self._settings = settings
        self._radius = model.radius
        self._gravity = -scene.gravity[2]
        self.body = self._create_ball(model)
        ground = pybullet.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=(0, 0, 1), physicsClientId=client)
        # The ball sinks into the contact layer by itself.
        pose = (0.0, 0.0, settings.contact_layer - settings.ball_sink), UPRIGHT
        self._rigid_ground = create_static(client, ground, *pose, BALL_STATIC_GROUP, BALL_GROUP, maximal=True)
        self._soft_ground: SoftGround | None = None
        if settings.ball_softness:
            self._soft_ground = SoftGround(client, settings, model, scene.gravity)
            self._contacts = BallContacts(client, settings, model, scene.gravity, self._soft_ground.body)
        # The ground, rigid or soft, that the ball meets now.
        self._ground = self._rigid_ground
        self._mass = model.mass
        standing = [
            static_body(client, obstacle.shape, BALL_STATIC_GROUP, BALL_GROUP, maximal=True)
            for obstacle in all_obstacles(scene)
        ]
        self._boxes, others = standing[: len(scene.boxes)], standing[len(scene.boxes) :]
        for body in others:
            restitution = settings.ball_box_restitution * LINK_RESTITUTION / settings.ball_link_restitution
            pybullet.changeDynamics(body, -1, restitution=restitution, physicsClientId=client)
        centres = np.array([box.centre for box in scene.boxes]).reshape(-1, 3)
        halves = np.array([box.size for box in scene.boxes]).reshape(-1, 3) / 2.0
        self._lower, self._upper = centres - halves, centres + halves
        # Restitution last given to a static body; none yet.
        self._restitution: dict[int, float] = {}
        # The ball has at least this far to go to any box, m.
        self._clearance = 0.0
        # Where the ball really is less where Bullet has it: the shift of the link that is near it, m.
        self._offset: Vector = _NO_OFFSET

    def _create_ball(self, model: BallModel) -> int:
        settings, client = self._settings, self._client
        shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=model.radius, physicsClientId=client)
        start = (0.0, 0.0, model.radius - settings.ball_sink)
        body: int = pybullet.createMultiBody(
            model.mass, shape, basePosition=start, useMaximalCoordinates=True, physicsClientId=client
        )
        pybullet.setCollisionFilterGroupMask(
            body, -1, BALL_GROUP, ROBOT_GROUPS | GHOST_GROUP | BALL_STATIC_GROUP, physicsClientId=client
        )
        pybullet.changeDynamics(
            body,
            -1,
            lateralFriction=_FRICTION,
            rollingFriction=0.0,
            spinningFriction=0.0,
            restitution=settings.ball_link_restitution / LINK_RESTITUTION,
            linearDamping=self._damping(model.linear_drag / model.mass),
            angularDamping=self._damping(model.angular_drag / model.inertia),
            physicsClientId=client,
        )
        return body

    def _damping(self, rate: float) -> float:
        """Bullet's damping for a drag of that rate in 1/s, taken as one Euler step like the classic server does."""
        step = self._settings.step_time
        # A damping d leaves (1 - d)^t of a velocity after t seconds.
        return 1.0 - math.pow(max(0.0, 1.0 - rate * step), 1.0 / step)

    def place(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        """Put the ball somewhere; one that touches the ground is put where it rests."""
        x, y, z = position
        if velocity[2] <= 0.0 and 0.0 <= self._radius - z <= self._settings.ball_sink:
            position = (x, y, self._radius - self._settings.ball_sink)
        pybullet.resetBasePositionAndOrientation(
            self.body, position, (0.0, 0.0, 0.0, 1.0), physicsClientId=self._client
        )
        self.set_velocity(velocity, spin)
        self._offset = _NO_OFFSET
        self._clearance = 0.0

    def set_velocity(self, linear: Vector, angular: Vector) -> None:
        """Set the ball's velocities, m/s and rad/s."""
        pybullet.resetBaseVelocity(self.body, linear, angular, physicsClientId=self._client)

    def read(self) -> tuple[float, ...]:
        """Position, velocity and angular velocity: nine numbers."""
        (x, y, z), _ = pybullet.getBasePositionAndOrientation(self.body, physicsClientId=self._client)
        linear, angular = pybullet.getBaseVelocity(self.body, physicsClientId=self._client)
        ahead, aside, above = self._offset
        return (x + ahead, y + aside, z + above, *linear, *angular)

    def restore(self, values: tuple[float, ...]) -> None:
        """Set what `read` reads."""
        pybullet.resetBasePositionAndOrientation(
            self.body,
            [value - shift for value, shift in zip(values, self._offset, strict=False)],
            (0.0, 0.0, 0.0, 1.0),
            physicsClientId=self._client,
        )
        pybullet.resetBaseVelocity(self.body, values[3:6], values[6:], physicsClientId=self._client)
        self._clearance = 0.0

    def prepare_ground(self, ball: tuple[float, ...], robots: Array, links: LinkStates) -> None:
        """Give the ball the soft ground near robots, else the rigid ground; robots: (N, 3) positions of their bases.

        Near a link, ball and soft ground are put where they are seen from the link's place in Bullet.
        """
        soft = self._soft_ground
        if soft is None:
            return
        self._contacts.push_links()
        shift = shift_at_ball(ball, robots, links.centres, links.shifts)
        wanted = shift is not None
        ground = soft.body if wanted else self._rigid_ground
        if ground != self._ground:
            pybullet.setCollisionFilterGroupMask(self._ground, -1, 0, 0, physicsClientId=self._client)
            pybullet.setCollisionFilterGroupMask(
                ground, -1, BALL_STATIC_GROUP, BALL_GROUP, physicsClientId=self._client
            )
            self._ground = ground
            pybullet.changeDynamics(
                self.body, -1, lateralFriction=0.0 if wanted else _FRICTION, physicsClientId=self._client
            )
        offset = shift or _NO_OFFSET
        if offset != self._offset:
            self._offset = offset
            self.restore(ball)
        soft.put((ball[0], ball[1]) if wanted else None, -offset[2])

    def touch(self, before: tuple[float, ...], after: tuple[float, ...], motions_of: MotionsOf) -> tuple[float, ...]:
        """Let robots and ground act on a ball near robots; before, after: `read` around a step. Returns the result."""
        if self._soft_ground is None or self._ground != self._soft_ground.body:
            return after
        change = self._contacts.change(self.body, self._offset, before, after, motions_of)
        if not any(change) or not math.isfinite(sum(change)):
            return after
        changes = *[self._settings.step_time * part for part in change[:3]], *change
        result = tuple(value + part for value, part in zip(after, changes, strict=True))
        self.restore(result)
        return result

    def forget(self, body: int) -> None:
        """Forget the pushes on a robot that was put somewhere or leaves; body: Bullet's number of the robot."""
        if self._soft_ground is not None:
            self._contacts.forget(body)

    def prepare_bounce(self, ball: tuple[float, ...]) -> None:
        """Set the restitutions so that an impact in the coming step rebounds with the wanted speed.

        If a rebound starts above a surface, Bullet takes gap / step off its speed; if below, Bullet adds the speed
        that pushes the penetration out. So rebounds would depend on where the step happens to catch the ball (a lob
        rebounded to 0.44 m instead of 0.32 m). ball: the values of `read` after the last step.
        """
        settings = self._settings
        gap = ball[2] - self._radius + settings.ball_sink
        if -ball[5] > settings.ground_bounce_speed and gap < settings.contact_margin:
            self._bounce(self._ground, settings.ball_ground_restitution, gap, -ball[5])
        elif self._soft_ground is not None and self._ground == self._soft_ground.body:
            # Bullet sees the plate rise before gravity acts, and so a faster impact.
            self._bounce(self._ground, 0.0, gap, 1.0)
        if not self._boxes:
            return
        self._clearance -= settings.cycle_time * (abs(ball[3]) + abs(ball[4]) + abs(ball[5]))
        if self._clearance < _BOX_ALERT:
            self._prepare_boxes(ball)

    def _prepare_boxes(self, ball: tuple[float, ...]) -> None:
        settings = self._settings
        position, velocity = np.array(ball[:3]), np.array(ball[3:6])
        away = position - np.clip(position, self._lower, self._upper)
        distances = np.sqrt((away * away).sum(axis=1))
        self._clearance = float(distances.min()) - self._radius
        for index in np.flatnonzero(distances < self._radius + settings.contact_margin).tolist():
            gap = float(distances[index]) - self._radius
            if gap < -_DEEP * self._radius:
                velocity = self._leave_box(index, position, velocity, away[index])
                self.set_velocity(velocity.tolist(), ball[6:])  # type: ignore[arg-type]
                continue
            speed = -float(product(away[index], velocity)) / (gap + self._radius)
            restitution = settings.ball_box_restitution if speed > settings.box_bounce_speed else 0.0
            self._bounce(self._boxes[index], restitution, gap + settings.contact_layer, speed)

    def _leave_box(self, index: int, position: Array, velocity: Array, away: Array) -> Array:
        """Velocity of a ball that is deep in a box, as on the classic server: out of the nearest face.

        Its contact is then near the ball's centre, where friction takes speed and gives no spin.
        """
        settings = self._settings
        distance = math.hypot(*away)
        if distance > 0.0:
            normal, depth = away / distance, self._radius - distance
        else:
            # Upper faces first: in the middle between two faces Bullet takes the upper one.
            to_faces = np.concatenate((self._upper[index] - position, position - self._lower[index]))
            face = int(to_faces.argmin())
            normal = np.zeros(3)
            normal[face % 3] = 1.0 if face < 3 else -1.0
            depth = self._radius + float(to_faces[face])
        along = float(product(normal, velocity))
        sideways = (velocity - along * normal) * (1.0 - settings.box_friction_loss)
        out = settings.box_erp * depth / settings.step_time
        if along < -settings.box_bounce_speed:
            out = max(out, -along * settings.ball_box_restitution)
        self._bounce(self._boxes[index], 0.0, 0.0, 1.0)
        return sideways + max(along, out) * normal

    def _bounce(self, body: int, restitution: float, gap: float, speed: float) -> None:
        wanted, push = restitution * speed, 0.0
        if wanted > 0.0:
            recovery = self._settings.contact_erp * min(gap, 0.0)
            if gap > -SPLIT_IMPULSE_DEPTH:
                push = (max(gap, 0.0) + recovery) / self._settings.step_time
            elif body == self._ground:
                # Bullet lifts a deep ball without giving it speed: as high as so much less speed would have.
                wanted = math.sqrt(max(0.0, wanted * wanted - 2.0 * self._gravity * -recovery))
            if self._soft_ground is not None and body == self._soft_ground.body:
                # The plate takes a part of the impulse with it, and Bullet sees it rise before gravity acts.
                ratio = self._mass / self._soft_ground.mass
                speed += self._gravity * self._settings.step_time
                wanted += ratio * (wanted + speed)
            wanted = max(0.0, wanted + push) / speed
        value = wanted * LINK_RESTITUTION / self._settings.ball_link_restitution
        if self._restitution.get(body) != value:
            self._restitution[body] = value
            pybullet.changeDynamics(body, -1, restitution=value, physicsClientId=self._client)
