"""The immovable part of a Bullet world.

Robots and the ball collide with different grounds and different copies of the obstacles, by collision groups. So do
links with a material of their own: Bullet multiplies frictions, and links without a material have a large friction.
The ball and everything it hits except robots are bodies in maximal coordinates: contacts of Bullet's multibodies add
restitution and penetration recovery, which lets a ball gain energy.
"""

from __future__ import annotations

from collections.abc import Iterator

import pybullet

from simspark_ros.physics.bullet.document.hull_files import hull_file
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.model import HeightField, Obstacle, SceneModel, Shape, ShapeKind, SurfaceMaterial, Vector
from simspark_ros.physics.quiet_import import silenced

BALL_GROUP, ROBOT_STATIC_GROUP, BALL_STATIC_GROUP, GHOST_GROUP = 1, 2, 4, 8

GROUND_GROUP, SMOOTH_GROUND_GROUP = 16, 32
"""Groups of the robots' ground, and of the ground without friction for links that a `ground_grip` holds."""

SHARED_GROUP = 64
"""Group of robots for which no group of their own is left."""

MATERIAL_STATIC_GROUP = 1 << 30
"""Group of ground and obstacles for links with a material of their own."""

LIMB_GROUND_GROUPS = 1 << 29, -(1 << 31)
"""Groups of the grounds of a robot's two limbs that carry it, see `limb_grounds`; the second is the sign of an int."""

OWN_GROUPS = tuple(1 << bit for bit in range(7, 29))
"""Groups that a robot has to itself and leaves out of its mask: its links never meet each other, and Bullet need not
pair them, sort the pairs and find in every step that they do not collide (Bullet's groups are the bits of an int)."""

ROBOT_GROUPS = SHARED_GROUP | sum(OWN_GROUPS)
"""All groups of robots that are not ghosts."""

LINK_RESTITUTION = 0.1
"""Restitution of robots' links. Bullet multiplies the restitutions of two bodies; robots have this small factor and
the ball a large one, so that two robots hardly rebound from each other: on the classic server they do not."""

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
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
# Up to this depth Bullet adds the recovery of a penetration to the contact's velocity, m (its default).
SPLIT_IMPULSE_DEPTH = 0.04


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
            contactSlop=settings.contact_layer,
            contactBreakingThreshold=settings.contact_margin,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=-SPLIT_IMPULSE_DEPTH,
            restitutionVelocityThreshold=settings.ground_bounce_speed,
            enableConeFriction=1,
            deterministicOverlappingPairs=1,
            # Bodies meet if the group of each is in the mask of the other.
            collisionFilterMode=0,
            # One robot, one problem: the direct solver is cubic in the number of constraints.
            minimumSolverIslandSize=1,
            # The cache would keep the text of every robot by the name of its file.
            enableFileCaching=0,
            physicsClientId=client,
        )
    return client


def build_for_materials(client: int, settings: BulletSettings, scene: SceneModel) -> dict[int, float]:
    """Build ground and obstacles once more, for links with a material of their own; called if there are such links.

    Returns:
        The restitutions of the elastic bodies, by Bullet's number.
    """
    elastic = {}
    for obstacle in (_ground(settings, scene), *all_obstacles(scene)):
        body = _build_for_links(client, obstacle, MATERIAL_STATIC_GROUP)
        own = obstacle.material or SurfaceMaterial()
        pybullet.changeDynamics(body, -1, lateralFriction=own.friction, physicsClientId=client)
        if own.restitution > 0.0:
            elastic[body] = own.restitution
    return elastic


def build_for_robots(client: int, settings: BulletSettings, scene: SceneModel) -> None:
    """Gravity, and ground and obstacles that only links without a material of their own touch."""
    pybullet.setGravity(*scene.gravity, physicsClientId=client)
    ground = _ground(settings, scene)
    for obstacle in (*all_obstacles(scene), ground):
        body = _build_for_links(client, obstacle, GROUND_GROUP if obstacle is ground else ROBOT_STATIC_GROUP)
        if obstacle.material is not None:
            # The product of both scales of a robot's friction is then the surface's friction alone.
            friction = obstacle.material.friction / (settings.link_friction * settings.friction_scale)
            pybullet.changeDynamics(body, -1, lateralFriction=friction, physicsClientId=client)
    if settings.grip_slip:
        body = _build_for_links(client, ground, SMOOTH_GROUND_GROUP)
        pybullet.changeDynamics(body, -1, lateralFriction=0.0, physicsClientId=client)


def _ground(settings: BulletSettings, scene: SceneModel) -> Obstacle:
    # A box, not a plane: against a plane Bullet finds one contact a step where a foot needs four.
    extent = 2.0 * settings.max_distance
    box = Shape(ShapeKind.BOX, (2.0 * extent, 2.0 * extent, 2.0), (0.0, 0.0, -1.0))
    return Obstacle("ground", box, scene.ground)


def all_obstacles(scene: SceneModel) -> Iterator[Obstacle]:
    """All obstacles of the scene, the boxes first."""
    for box in scene.boxes:
        yield Obstacle(box.name, Shape(ShapeKind.BOX, box.size, box.centre))
    yield from scene.obstacles


def _build_for_links(client: int, obstacle: Obstacle, group: int) -> int:
    return static_body(client, obstacle.shape, group, ROBOT_GROUPS | GHOST_GROUP, maximal=False)


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


def static_body(client: int, shape: Shape | HeightField, group: int, touching: int, maximal: bool) -> int:
    """Make a body that stands, in maximal coordinates or as a multibody; `touching`: the groups that meet it."""
    x, y, z = shape.position
    if isinstance(shape, HeightField):
        # Bullet's origin is half way between the lowest and the highest point.
        place, turn = (x, y, z + (shape.lowest + shape.highest) / 2.0), UPRIGHT
    else:
        place, turn = shape.position, pybullet.getQuaternionFromEuler(shape.rpy)
    made = _collision_shape(client, shape)
    return create_static(client, made, place, turn, group, touching, maximal)


def create_static(
    client: int, shape: int, place: Vector, turn: tuple[float, ...], group: int, touching: int, maximal: bool
) -> int:
    """As `static_body`, for a shape that Bullet has already."""
    body: int = pybullet.createMultiBody(
        0, shape, basePosition=place, baseOrientation=turn, useMaximalCoordinates=maximal, physicsClientId=client
    )
    pybullet.setCollisionFilterGroupMask(body, -1, group, touching, physicsClientId=client)
    pybullet.changeDynamics(body, -1, lateralFriction=1.0, restitution=0.0, physicsClientId=client)
    return body
