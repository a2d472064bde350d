"""One robot in a Bullet world: loading it, and the calls that concern it alone."""

from __future__ import annotations

import os

import numpy as np
import pybullet

from simspark_ros.physics.bullet.document.urdf import urdf_document
from simspark_ros.physics.bullet.scene import (
    BALL_GROUP,
    GHOST_GROUP,
    GROUND_GROUP,
    LIMB_GROUND_GROUPS,
    LINK_RESTITUTION,
    MATERIAL_STATIC_GROUP,
    ROBOT_GROUPS,
    ROBOT_STATIC_GROUP,
    SHARED_GROUP,
    SMOOTH_GROUND_GROUP,
)
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.engine import Array, PhysicsError
from simspark_ros.physics.guarded import Quaternion
from simspark_ros.physics.model import ArticulatedModel, Link, ShapeKind, Vector
from simspark_ros.physics.surfaces import hardness_of, material_of

_SLIDING = (ShapeKind.CYLINDER, ShapeKind.HULL)
"""Solids without corners for a `ground_grip`: Bullet's own friction holds them."""

BASE = -1
"""Bullet's index of a body's base."""

MOST_JOINTS = 127
"""Most joints of a body, fixed ones included: PyBullet loads a body with more, but cannot read it."""

MAX_JOINT_SPEED = 1000.0
"""Bullet's limit of joint velocities, rad/s or m/s; it is far above any motor's speed, so it never acts."""


class BulletRobot:
    """A loaded robot.

    Attributes:
        group: collision group of its links while it is no ghost: one of `OWN_GROUPS` that no other robot has, or
            `SHARED_GROUP`.
        client, body: Bullet's numbers of the world and of the body in it; change with `reload`.
        links: link name -> Bullet's link index (its parent joint's index, too).
        joints: Bullet's index of each joint of the model, in the model's order.
        model_links: Bullet's index of each link of the model, in the model's order.
        touch_links: Bullet's index of each touch link, in the model's order.
        limbs: Bullet's indices of the links of the limbs that have a ground of their own, see `limb_grounds`.
        ghost: whether the robot passes through other ghosts.
        linear_drag: drag of the whole robot, N s/m.
        inertial_axes: link -> (3, 3) rotation from Bullet's axes of the link, its principal axes of inertia, to its
            own; for links that `grips` accepts.

    Raises:
        PhysicsError: PyBullet cannot load the model; the world is then as before.
    """

    def __init__(
        self,
        client: int,
        settings: BulletSettings,
        model: ArticulatedModel,
        position: Vector,
        orientation: Quaternion,
        group: int,
    ) -> None:
        self.model = model
        self.group = group
        self.client = client
        self._settings = settings
        self._model_links = {link.name: link for link in model.links}
        hardness = hardness_of(model.mass)
        self._materials = {link.name: material_of(link, hardness) for link in model.links}
        self._limbs = _heaviest_limbs(model) if settings.hinge_drift else []
        if (joints := len(model.joints) + len(model.fixed_joints)) > MOST_JOINTS:
            raise PhysicsError(
                f"model '{model.name}' has {joints} joints, fixed ones included, but PyBullet takes at most "
                f"{MOST_JOINTS}; merge links that are fixed to each other, or use another engine"
            )
        self.ghost = False
        self.body = self._load()
        try:
            self._prepare()
            self.place(position, orientation)
        except BaseException as error:
            # Otherwise the body would stay as an obstacle that belongs to no robot.
            self.remove()
            if isinstance(error, pybullet.error):
                raise PhysicsError(f"PyBullet cannot use the model '{model.name}': {error}") from None
            raise

    def _load(self) -> int:
        flags = pybullet.URDF_USE_INERTIA_FROM_FILE | pybullet.URDF_USE_IMPLICIT_CYLINDER
        try:
            document = urdf_document(self.model).encode()
            # PyBullet reads files only. This file is in memory: no disk can be full.
            with open(os.memfd_create("robot.urdf"), "wb") as file:
                file.write(document)
                file.flush()
                path = f"/proc/self/fd/{file.fileno()}"
                body: int = pybullet.loadURDF(
                    path, useFixedBase=self.model.fixed_base, flags=flags, physicsClientId=self.client
                )
        except (OSError, pybullet.error) as error:
            raise PhysicsError(f"PyBullet cannot load the model '{self.model.name}': {error}") from None
        return body

    def _prepare(self) -> None:
        """Find the parts of the loaded body, and give them their groups and dynamics."""
        body, client, model = self.body, self.client, self.model
        infos = [
            pybullet.getJointInfo(body, index, physicsClientId=client)
            for index in range(pybullet.getNumJoints(body, physicsClientId=client))
        ]
        self.links = {model.base.name: BASE} | {info[12].decode(): info[0] for info in infos}
        for name, link in self.links.items():
            self._prepare_link(body, name, link)
        self.joints = [self.links[joint.child] for joint in model.joints]
        self.limbs = [{self.links[name] for name in limb} for limb in self._limbs]
        self.model_links = [self.links[link.name] for link in model.links]
        self.touch_links = [self.links[name] for name in model.touch_links]
        # One force at the base stands for the drag of all links, as the joints are stiff motors.
        self.linear_drag = model.linear_drag * len(model.links)
        # Bullet's base axes are the principal axes of inertia, which differ from the link's if it has products of
        # inertia.
        self._principal, matrix = self._principal_axes(BASE)
        self.principal_to_link: Array | None = None if np.allclose(matrix, np.eye(3), atol=1e-12) else matrix.T
        self.inertial_axes = {
            link.name: self._principal_axes(self.links[link.name])[1]
            for link in model.links
            if link.collisions and self.grips(link)
        }

    def _principal_axes(self, link: int) -> tuple[Quaternion, Array]:
        turn: Quaternion = pybullet.getDynamicsInfo(self.body, link, physicsClientId=self.client)[4]
        return turn, np.array(pybullet.getMatrixFromQuaternion(turn)).reshape(3, 3)

    def grips(self, link: Link) -> bool:
        """Whether a `ground_grip` holds the link's shapes on the ground."""
        if self._materials[link.name] is not None:
            return False
        return bool(self._settings.grip_slip) and all(shape.kind not in _SLIDING for shape in link.collisions)

    def _prepare_link(self, body: int, name: str, link: int) -> None:
        client, settings = self.client, self._settings
        self._set_group(body, name, link, self.ghost)
        material = self._materials[name]
        pybullet.changeDynamics(
            body,
            link,
            lateralFriction=settings.link_friction if material is None else material.friction,
            rollingFriction=0.0,
            spinningFriction=0.0,
            restitution=LINK_RESTITUTION,
            # Bullet damps by default.
            linearDamping=0.0,
            angularDamping=0.0,
            jointDamping=0.0,
            physicsClientId=client,
        )
        # A call of its own: PyBullet drops every other argument given together with a joint's maximum speed.
        scale = settings.friction_scale if material is None else 1.0
        pybullet.changeDynamics(body, link, anisotropicFriction=[scale] * 3, physicsClientId=client)
        if link != BASE:
            pybullet.changeDynamics(body, link, maxJointVelocity=MAX_JOINT_SPEED, physicsClientId=client)

    def _set_group(self, body: int, name: str, link: int, ghost: bool) -> None:
        group = GHOST_GROUP if ghost else self.group
        link_of_model = self._model_links[name]
        if link_of_model.collisions:
            ground = self._ground_group(link_of_model)
            standing = ROBOT_STATIC_GROUP | ground if self._materials[name] is None else MATERIAL_STATIC_GROUP
            if link == BASE and self.model.fixed_base:
                # Links that never move have no use for contacts with the rest of the world that never moves.
                standing = 0
            mask = ROBOT_GROUPS | GHOST_GROUP | BALL_GROUP | standing
            # Robots of the shared group touch each other.
            if group != SHARED_GROUP:
                mask &= ~group
        else:
            # Bullet pairs links without shapes, too.
            group = mask = 0
        pybullet.setCollisionFilterGroupMask(body, link, group, mask, physicsClientId=self.client)

    def _ground_group(self, link: Link) -> int:
        if not self.grips(link):
            return GROUND_GROUP
        own = (group for group, limb in zip(LIMB_GROUND_GROUPS, self._limbs, strict=False) if link.name in limb)
        return next(own, SMOOTH_GROUND_GROUP)

    def be_ghost(self, ghost: bool) -> None:
        """Let the robot pass through other ghosts, or stop that."""
        self.ghost = ghost
        for name, link in self.links.items():
            self._set_group(self.body, name, link, ghost)

    def refresh(self) -> None:
        """Put boxes and shapes where the links are; a step leaves them where the links were before it."""
        if len(self.links) > 1:
            # Bullet does so for the whole body as soon as somebody asks for a present pose.
            pybullet.getLinkState(self.body, 0, computeForwardKinematics=1, physicsClientId=self.client)

    def reuse(self, position: Vector, orientation: Quaternion, group: int) -> None:
        """Use a spare robot as if it had just been loaded."""
        self.group = group
        self.be_ghost(False)
        self.place(position, orientation, [0.0] * len(self.joints))

    def set_aside(self) -> None:
        """Let nothing touch the robot until `reuse`, and its joints move freely until their next command."""
        body, client = self.body, self.client
        for link in self.links.values():
            pybullet.setCollisionFilterGroupMask(body, link, 0, 0, physicsClientId=client)
        for joint in self.joints:
            pybullet.setJointMotorControl2(body, joint, pybullet.VELOCITY_CONTROL, force=0.0, physicsClientId=client)

    def place(self, position: Vector, orientation: Quaternion, joints: list[float] | None = None) -> None:
        """Put the base somewhere, everything at rest; joints: their positions, kept if not given."""
        if joints is None:
            states = pybullet.getJointStates(self.body, self.joints, physicsClientId=self.client) if self.joints else ()
            joints = [state[0] for state in states]
        _, turned = pybullet.multiplyTransforms((0, 0, 0), orientation, (0, 0, 0), self._principal)
        pybullet.resetBasePositionAndOrientation(self.body, position, turned, physicsClientId=self.client)
        self.set_joints(joints)

    def set_joints(self, positions: list[float]) -> None:
        """Set all joint positions, everything at rest."""
        self._set_motion(positions, [0.0] * len(positions), [0.0] * 6)

    def restore(self, base: list[float], positions: list[float], velocities: list[float]) -> None:
        """Set all values that `table.RobotTable.read` reads; base: a row of the table of bases."""
        pybullet.resetBasePositionAndOrientation(self.body, base[:3], base[3:7], physicsClientId=self.client)
        self._set_motion(positions, velocities, base[7:])

    def _set_motion(self, positions: list[float], velocities: list[float], base: list[float]) -> None:
        self.set_joint_velocities(positions, velocities)
        # After the joints: resetting a joint disturbs the velocity of the base.
        pybullet.resetBaseVelocity(self.body, base[:3], base[3:], physicsClientId=self.client)

    def set_joint_velocities(self, positions: list[float], velocities: list[float]) -> None:
        """Set the velocities of all joints, given their positions; the base's velocity has to be set after this."""
        for joint, position, velocity in zip(self.joints, positions, velocities, strict=True):
            pybullet.resetJointState(self.body, joint, position, velocity, physicsClientId=self.client)

    def set_velocity(self, linear: Vector, angular: Vector) -> None:
        """Set the velocity of the base, world frame, m/s and rad/s."""
        pybullet.resetBaseVelocity(self.body, linear, angular, physicsClientId=self.client)

    def reload(self, client: int) -> None:
        """Load the robot into a new world; a ghost stays a ghost. The old world keeps its body.

        Raises:
            PhysicsError: the robot cannot be loaded; `client` and `body` have to be set back to the old world's.
        """
        self.client = client
        self.body = self._load()
        self._prepare()

    def remove(self) -> None:
        """Take the robot out of the world."""
        pybullet.removeBody(self.body, physicsClientId=self.client)


def _heaviest_limbs(model: ArticulatedModel) -> list[set[str]]:
    """Names of the links of the two heaviest limbs, trees of links that a joint of the base carries: the legs."""
    limbs: dict[str, set[str]] = {}
    limb_of: dict[str, str] = {}
    carried_by = {joint.child: joint.parent for joint in (*model.joints, *model.fixed_joints)}
    for link in model.links[1:]:
        limb_of[link.name] = limb_of.get(carried_by[link.name], link.name)
        limbs.setdefault(limb_of[link.name], set()).add(link.name)
    masses = {link.name: link.mass for link in model.links}
    heaviest = sorted(limbs.values(), key=lambda names: -sum(sorted(masses[name] for name in names)))
    return heaviest[: len(LIMB_GROUND_GROUPS)]
