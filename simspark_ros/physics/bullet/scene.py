"""The immovable part of a Bullet world, and its ball.

Robots and the ball collide with different grounds and different copies of the obstacles, by collision groups; so do
links with a material of their own, as Bullet multiplies friction, and links without one have a large one.
The ball and everything it hits except robots are bodies in maximal coordinates: contacts of Bullet's multibodies add
restitution and penetration recovery, which lets a ball gain energy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pybullet

from simspark_ros.physics.bullet.hull_files import hull_file
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.bullet.soft_ground import SoftGround
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import (
    BallModel,
    HeightField,
    Obstacle,
    SceneModel,
    Shape,
    ShapeKind,
    SurfaceMaterial,
    Vector,
)
from simspark_ros.physics.quiet_import import silenced

BALL_GROUP, ROBOT_STATIC_GROUP, BALL_STATIC_GROUP, GHOST_GROUP = 1, 2, 4, 8

GROUND_GROUP, SMOOTH_GROUND_GROUP = 16, 32
"""Of the robots' ground, and of the one without friction for links that a `ground_grip` holds."""

SHARED_GROUP = 64
"""Of robots for which no group of their own is left."""

MATERIAL_STATIC_GROUP = 1 << 30
"""Of ground and obstacles for links with a material of their own."""

OWN_GROUPS = tuple(1 << bit for bit in range(7, 30))
"""A robot that has one to itself leaves it out of its mask: its links never meet each other, and Bullet need not pair
them, sort the pairs and find in every step that they do not collide (Bullet's groups are the bits of an int)."""

ROBOT_GROUPS = SHARED_GROUP | sum(OWN_GROUPS)
"""All groups of robots that are not ghosts."""

LINK_RESTITUTION = 0.1
"""Bullet multiplies the restitutions of two bodies. The small factor is given to robots (and a large one to the
ball), so that two robots hardly rebound from each other: on the classic server they do not."""

_SOLVERS = {
    "dantzig": pybullet.CONSTRAINT_SOLVER_LCP_DANTZIG,
    "si": pybullet.CONSTRAINT_SOLVER_LCP_SI,
    "pgs": pybullet.CONSTRAINT_SOLVER_LCP_PGS,
}
_ROUND = {
    ShapeKind.SPHERE: pybullet.GEOM_SPHERE,
    ShapeKind.CYLINDER: pybullet.GEOM_CYLINDER,
    ShapeKind.CAPSULE: pybullet.GEOM_CAPSULE,
}
_UPRIGHT = (0.0, 0.0, 0.0, 1.0)
# Up to this depth Bullet adds the recovery of a penetration to the contact's velocity, m (its default).
_SPLIT_IMPULSE_DEPTH = 0.04
# Distances to the boxes are computed again when the ball may have come this near to one, m.
_BOX_ALERT = 0.3
# A ball this many radii deep in a box has its contact near its centre: fast shots at thin posts.
_DEEP = 0.75


def connect(settings: BulletSettings) -> int:
    """Open a world of its own in this process; returns Bullet's client number."""
    with silenced(1):
        client: int = pybullet.connect(pybullet.DIRECT)
        pybullet.setTimeStep(settings.step_time, physicsClientId=client)
        pybullet.setPhysicsEngineParameter(
            constraintSolverType=_SOLVERS[settings.solver],
            numSolverIterations=settings.iterations,
            solverResidualThreshold=0.0,
            globalCFM=settings.cfm,
            contactERP=settings.contact_erp,
            erp=settings.erp,
            frictionERP=settings.friction_erp,
            contactSlop=0.0,
            contactBreakingThreshold=settings.contact_margin,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=-_SPLIT_IMPULSE_DEPTH,
            restitutionVelocityThreshold=settings.ground_bounce_speed,
            enableConeFriction=1,
            deterministicOverlappingPairs=1,
            # Bodies meet if the group of each is in the mask of the other.
            collisionFilterMode=0,
            # One robot, one problem: the direct solver is cubic in the number of constraints.
            minimumSolverIslandSize=1,
            # It would keep the text of every robot by the name of its file.
            enableFileCaching=0,
            physicsClientId=client,
        )
    return client


def build_scene(client: int, settings: BulletSettings, scene: SceneModel) -> BulletBall | None:
    """Build everything but robots; returns the ball if there is one."""
    pybullet.setGravity(*scene.gravity, physicsClientId=client)
    _build_for_robots(client, settings, scene)
    return None if scene.ball is None else BulletBall(client, settings, scene, scene.ball)


def build_for_materials(client: int, settings: BulletSettings, scene: SceneModel) -> dict[int, float]:
    """Build ground and obstacles once more, for links with a material of their own; only where there are such links.

    Returns:
        The restitution of each body that has one.
    """
    elastic = {}
    for obstacle in (_ground(settings, scene), *_obstacles(scene)):
        body = _build_for_links(client, obstacle, MATERIAL_STATIC_GROUP)
        own = obstacle.material or SurfaceMaterial()
        pybullet.changeDynamics(body, -1, lateralFriction=own.friction, physicsClientId=client)
        if own.restitution > 0.0:
            elastic[body] = own.restitution
    return elastic


def _build_for_robots(client: int, settings: BulletSettings, scene: SceneModel) -> None:
    """Ground and obstacles that only links without a material of their own touch."""
    ground = _ground(settings, scene)
    for obstacle in (*_obstacles(scene), ground):
        body = _build_for_links(client, obstacle, GROUND_GROUP if obstacle is ground else ROBOT_STATIC_GROUP)
        if obstacle.material is not None:
            # The product of both scales of a robot's friction is then that of the surface alone.
            friction = obstacle.material.friction / (settings.link_friction * settings.friction_scale)
            pybullet.changeDynamics(body, -1, lateralFriction=friction, physicsClientId=client)
    if settings.grip_slip:
        body = _build_for_links(client, ground, SMOOTH_GROUND_GROUP)
        pybullet.changeDynamics(body, -1, lateralFriction=0.0, physicsClientId=client)


def _ground(settings: BulletSettings, scene: SceneModel) -> Obstacle:
    # A box, not a plane: against a plane Bullet finds one contact a step where a foot needs four.
    extent = 2.0 * settings.max_distance
    box = Shape(ShapeKind.BOX, (2.0 * extent, 2.0 * extent, 2.0), (0.0, 0.0, -1.0 - settings.ground_sink))
    return Obstacle("ground", box, scene.ground)


def _obstacles(scene: SceneModel) -> Iterator[Obstacle]:
    """All that stands on the ground, the boxes first."""
    for box in scene.boxes:
        yield Obstacle(box.name, Shape(ShapeKind.BOX, box.size, box.centre))
    yield from scene.obstacles


def _build_for_links(client: int, obstacle: Obstacle, group: int) -> int:
    return _static_body(client, obstacle.shape, group, ROBOT_GROUPS | GHOST_GROUP, maximal=False)


def _collision_shape(client: int, shape: Shape | HeightField) -> int:
    made: int
    if isinstance(shape, HeightField):
        rows, columns = len(shape.heights), len(shape.heights[0])
        x, y = shape.size
        made = pybullet.createCollisionShape(
            pybullet.GEOM_HEIGHTFIELD,
            meshScale=(x / (columns - 1), y / (rows - 1), 1.0),
            heightfieldData=[height for row in shape.heights for height in row],
            # Bullet's rows are along x.
            numHeightfieldRows=columns,
            numHeightfieldColumns=rows,
            physicsClientId=client,
        )
    elif shape.kind is ShapeKind.BOX:
        half = [edge / 2.0 for edge in shape.size]
        made = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
    elif shape.kind is ShapeKind.HULL:
        file = hull_file(shape.vertices)
        made = pybullet.createCollisionShape(pybullet.GEOM_MESH, fileName=file, physicsClientId=client)
    else:
        radius, height = (*shape.size, 0.0)[:2]
        made = pybullet.createCollisionShape(_ROUND[shape.kind], radius=radius, height=height, physicsClientId=client)
    return made


def _static_body(client: int, shape: Shape | HeightField, group: int, touching: int, maximal: bool) -> int:
    x, y, z = shape.position
    if isinstance(shape, HeightField):
        # Bullet's origin is half way between the lowest and the highest point.
        place, turn = (x, y, z + (shape.lowest + shape.highest) / 2.0), _UPRIGHT
    else:
        place, turn = shape.position, pybullet.getQuaternionFromEuler(shape.rpy)
    made = _collision_shape(client, shape)
    return _create_static(client, made, place, turn, group, touching, maximal)


def _create_static(
    client: int, shape: int, place: Vector, turn: tuple[float, ...], group: int, touching: int, maximal: bool
) -> int:
    body: int = pybullet.createMultiBody(
        0, shape, basePosition=place, baseOrientation=turn, useMaximalCoordinates=maximal, physicsClientId=client
    )
    pybullet.setCollisionFilterGroupMask(body, -1, group, touching, physicsClientId=client)
    pybullet.changeDynamics(body, -1, lateralFriction=1.0, restitution=0.0, physicsClientId=client)
    return body


class BulletBall:
    """The ball with its own ground and boxes."""

    def __init__(self, client: int, settings: BulletSettings, scene: SceneModel, model: BallModel) -> None:
        self._client = client
        self._settings = settings
        self._radius = model.radius
        self._gravity = -scene.gravity[2]
        self.body = self._create_ball(model)
        ground = pybullet.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=(0, 0, 1), physicsClientId=client)
        pose = (0.0, 0.0, -settings.ball_sink), _UPRIGHT
        self._rigid_ground = _create_static(client, ground, *pose, BALL_STATIC_GROUP, BALL_GROUP, maximal=True)
        self._soft_ground = SoftGround(client, settings, model, scene.gravity) if settings.ball_softness else None
        # The one of the two that the ball meets.
        self._ground = self._rigid_ground
        self._mass = model.mass
        standing = [
            _static_body(client, obstacle.shape, BALL_STATIC_GROUP, BALL_GROUP, maximal=True)
            for obstacle in _obstacles(scene)
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
        inertia = 0.4 * model.mass * model.radius**2
        pybullet.changeDynamics(
            body,
            -1,
            lateralFriction=10.0,
            rollingFriction=0.0,
            spinningFriction=0.0,
            restitution=settings.ball_link_restitution / LINK_RESTITUTION,
            linearDamping=self._damping(model.linear_drag / model.mass),
            angularDamping=self._damping(model.angular_drag / inertia),
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
        self._clearance = 0.0

    def set_velocity(self, linear: Vector, angular: Vector) -> None:
        """Set the ball's velocities, m/s and rad/s."""
        pybullet.resetBaseVelocity(self.body, linear, angular, physicsClientId=self._client)

    def read(self) -> tuple[float, ...]:
        """Position, velocity and angular velocity: nine numbers."""
        position, _ = pybullet.getBasePositionAndOrientation(self.body, physicsClientId=self._client)
        linear, angular = pybullet.getBaseVelocity(self.body, physicsClientId=self._client)
        return (*position, *linear, *angular)

    def restore(self, values: tuple[float, ...]) -> None:
        """Set what `read` reads."""
        pybullet.resetBasePositionAndOrientation(
            self.body, values[:3], (0.0, 0.0, 0.0, 1.0), physicsClientId=self._client
        )
        pybullet.resetBaseVelocity(self.body, values[3:6], values[6:], physicsClientId=self._client)
        self._clearance = 0.0

    def prepare_ground(self, ball: tuple[float, ...], robots: Array) -> None:
        """Give a ball near robots the soft ground, any other the rigid one; robots: (N, 3) positions of the bases."""
        soft = self._soft_ground
        if soft is None:
            return
        wanted = soft.wanted(ball, robots)
        ground = soft.body if wanted else self._rigid_ground
        if ground != self._ground:
            pybullet.setCollisionFilterGroupMask(self._ground, -1, 0, 0, physicsClientId=self._client)
            pybullet.setCollisionFilterGroupMask(
                ground, -1, BALL_STATIC_GROUP, BALL_GROUP, physicsClientId=self._client
            )
            self._ground = ground
        soft.put(ball if wanted else None)

    def prepare_bounce(self, ball: tuple[float, ...]) -> None:
        """Set the restitutions so that an impact in the coming step rebounds with the wanted speed.

        Bullet takes gap / step off the speed of a rebound that starts above a surface, and adds what pushes a
        penetration out to one that starts below it. Left alone that makes rebounds depend on where the step happens to
        catch the ball (a lob rebounded to 0.44 m instead of 0.32 m). ball: see `read`, after the last step.
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
            speed = -float(away[index] @ velocity) / (gap + self._radius)
            restitution = settings.ball_box_restitution if speed > settings.box_bounce_speed else 0.0
            self._bounce(self._boxes[index], restitution, gap, speed)

    def _leave_box(self, index: int, position: Array, velocity: Array, away: Array) -> Array:
        """Velocity of a ball that is deep in a box, as on the classic server: out of the nearest face.

        Its contact is then near the ball's centre, where friction takes speed and gives no spin.
        """
        settings = self._settings
        distance = math.sqrt(float(away @ away))
        if distance > 0.0:
            normal, depth = away / distance, self._radius - distance
        else:
            # Upper faces first: in the middle between two faces Bullet takes the upper one.
            to_faces = np.concatenate((self._upper[index] - position, position - self._lower[index]))
            face = int(to_faces.argmin())
            normal = np.zeros(3)
            normal[face % 3] = 1.0 if face < 3 else -1.0
            depth = self._radius + float(to_faces[face])
        along = float(normal @ velocity)
        sideways = (velocity - along * normal) * (1.0 - settings.box_friction_loss)
        out = settings.box_erp * depth / settings.step_time
        if along < -settings.box_bounce_speed:
            out = max(out, -along * settings.ball_box_restitution)
        self._bounce(self._boxes[index], 0.0, 0.0, 1.0)
        result: Array = sideways + max(along, out) * normal
        return result

    def _bounce(self, body: int, restitution: float, gap: float, speed: float) -> None:
        wanted, push = restitution * speed, 0.0
        if wanted > 0.0:
            recovery = self._settings.contact_erp * min(gap, 0.0)
            if gap > -_SPLIT_IMPULSE_DEPTH:
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
