"""A world with MuJoCo's own contacts, friction and motors, for robots that were made for MuJoCo.

A step has several inner steps. The state holds the readings of MuJoCo's sensors after the step, which show the moment
when the last inner step began. So agents that learned on such sensors find the delay that they know.

Every joint has one actuator whose force is `effort + stiffness (position - q) + damping (velocity - dq)`, the sum of
MuJoCo's motor, position and velocity actuators. It is computed in each inner step, and cut to the joint's range.
"""

from __future__ import annotations

import mujoco
import numpy as np

from simspark_ros.physics.contact_summary import NO_CONTACTS, ContactSummary
from simspark_ros.physics.engine import Array, EngineState, IntArray, JointControl
from simspark_ros.physics.geometry.rotations import cross
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.mujoco.document import BALL_BODY, compile_world
from simspark_ros.physics.mujoco.parts import (
    NO_OWNER,
    copy_bolt,
    copy_motion,
    owners_of,
    parts_of,
    put_frame,
    summary_of,
)
from simspark_ros.physics.mujoco.settings import MujocoSettings

_MOST = 1e9
"""Greatest input of an actuator, N m or N."""

_MARGIN = 3.0
"""Stiffness plus twice the damping of a robot's stiffest motion, in units of I / h^2 and I / h, for joints that are
commanded by velocity: an inner step takes the force at its beginning, and would let the motion grow from 4 on."""

_STIFFNESS = 0.4
"""Stiffness of these joints as a share of their damping, in the same units; by trial, the Nao's walk falls least."""


class NativeWorld:
    """The compiled world, at first with every robot at the origin, at rest; attributes as in `MujocoWorld`."""

    def __init__(self, settings: MujocoSettings, scene: SceneModel, models: tuple[ArticulatedModel, ...]) -> None:
        self.model = model = compile_world(settings, scene, models)
        self.data = mujoco.MjData(model)
        self.models = models
        self.ball = 0 if scene.ball is not None else None
        self.drift = None
        self.parts = parts_of(model, models)
        self._steps = settings.native_steps
        self._ball_rest = 0.0 if scene.ball is None else scene.ball.radius
        self._ball_body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, BALL_BODY)
        self.owner = owners_of(model, self.parts)
        self._bases = np.array([part.bodies.start for part in self.parts], np.int64)
        empty = np.zeros(0, np.int64)
        self._joints = np.concatenate([empty, *(part.joints for part in self.parts)])
        self._joint_positions = np.concatenate([empty, *(part.joint_positions for part in self.parts)])
        mujoco.mj_forward(model, self.data)
        self._index_motors(settings)
        self._look()
        self.harmless: Array = np.zeros(model.nq + model.nv)
        self.positions, self.centres = self.data.qpos, self.data.xipos
        self.rotations = self.data.xmat.reshape(-1, 3, 3)

    def _index_motors(self, settings: MujocoSettings) -> None:
        model = self.model
        carried = model.dof_jntid[self._joints]
        by_joint = np.zeros(model.njnt, np.int64)
        by_joint[model.actuator_trnid[:, 0]] = np.arange(model.nu)
        self._carried, self._motors = carried, by_joint[carried]
        self._ranges, self._ratio = model.jnt_actfrcrange[carried].copy(), np.ones(len(carried))
        self._strongest = np.array([joint.max_effort for one in self.models for joint in one.joints])
        step = model.opt.timestep
        inertia, coupling = self._inertia()
        damping = _MARGIN / (2.0 + _STIFFNESS) * inertia / coupling
        self._stiffness, self._damping = _STIFFNESS * damping / step**2, damping / step
        limited = model.jnt_limited[carried].astype(np.bool_)
        self._stops = np.where(limited[:, None], model.jnt_range[carried], (-np.inf, np.inf))
        # Positions at which joints that are commanded by velocity are held.
        self._held = np.zeros(len(carried))
        self._every = np.arange(len(carried))
        fastest = np.full(model.nv, np.inf)
        nominal = np.array([joint.max_velocity for one in self.models for joint in one.joints])
        fastest[self._joints] = np.maximum(settings.max_joint_speed, 2.0 * nominal)
        self.fastest: Array = fastest[6 if self.ball is not None else 0 :]

    def _inertia(self) -> tuple[Array, Array]:
        """Inertia that each joint moves, kg m^2 or kg, and the coupling of its robot, both (J,).

        The coupling is the factor by which joints speed up each other most, if each is driven by a force for its own
        inertia alone: 1 for wheels, 1.4 for a Nao, 2.1 for a T1.
        """
        inertia, coupling = np.ones((2, len(self._joints)))
        for part in self.parts:
            joints = len(part.joints)
            forces = np.zeros((joints, self.model.nv))
            forces[np.arange(joints), part.joints] = 1.0
            accelerations = np.zeros_like(forces)
            # Rows of the inverse mass matrix: the accelerations by a force of 1 at each joint.
            mujoco.mj_solveM(self.model, self.data, accelerations, forces)
            mobility = accelerations[:, part.joints]
            inertia[part.in_order] = own = 1.0 / np.maximum(np.diagonal(mobility), 1e-6)
            coupling[part.in_order] = _largest_eigenvalue(mobility * own)
        return inertia, coupling

    def step(self, control: JointControl) -> None:
        """Make one step of several inner steps.

        Raises:
            mujoco.FatalError: MuJoCo has no more memory.
        """
        model, data = self.model, self.data
        if not model.nv:
            data.time += self._steps * model.opt.timestep
            return
        if self._joints.size:
            self._drive(control)
        if self._steps > 1:
            mujoco.mj_step(model, data, self._steps - 1)
        self._look()
        mujoco.mj_step(model, data)

    def _drive(self, control: JointControl) -> None:
        """Set gains and inputs of all actuators."""
        position = self.data.qpos[self._joint_positions]
        servos = control.servos
        if servos is not None and np.array_equal(servos.joints, self._every):
            wanted, velocity, stiffness, damping, effort = servos.commands.T
            self._held = position
        else:
            wanted, velocity, stiffness, damping, effort = self._mixed(control, position)
        gains = self.model.actuator_biasprm
        gains[self._motors, 1], gains[self._motors, 2] = -stiffness, -damping
        # One larger number, and MuJoCo lets go of all motors of the world.
        driven = effort + stiffness * wanted + damping * velocity
        self.data.ctrl[self._motors] = np.minimum(np.maximum(driven, -_MOST), _MOST)
        ratio = np.ones(len(self._strongest))
        np.divide(control.effort_limit, self._strongest, out=ratio, where=np.isfinite(self._strongest))
        if not np.array_equal(ratio, self._ratio):
            self._ratio = ratio
            self.model.jnt_actfrcrange[self._carried] = self._ranges * np.maximum(ratio, 1e-9)[:, None]

    def _mixed(self, control: JointControl, position: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Positions, velocities, their gains and efforts (J,) where not all joints are commanded with gains."""
        stiffness, damping, velocity = self._stiffness.copy(), self._damping.copy(), control.velocity
        room = np.minimum(control.effort_limit, 1e6) / stiffness
        held = self._held + self._steps * self.model.opt.timestep * velocity
        held = np.clip(held, position - room, position + room)
        self._held = wanted = np.clip(held, self._stops[:, 0], self._stops[:, 1])
        effort = control.effort
        if (servos := control.servos) is not None:
            own = servos.joints
            wanted, velocity, effort = wanted.copy(), velocity.copy(), effort.copy()
            wanted[own], velocity[own], stiffness[own], damping[own], effort[own] = servos.commands.T
            self._held[own] = position[own]
        return wanted, velocity, stiffness, damping, effort

    def _look(self) -> None:
        """Take the positions and velocities of joints and ball that the state shows after the step."""
        data = self.data
        self._velocity = data.qvel.copy()
        self._seen = np.array([data.qpos[self._joint_positions], self._velocity[self._joints]])
        if self.ball is not None:
            self._seen_ball = data.qpos[:3].copy(), self._velocity[:6]

    def settle(self) -> None:
        """Nothing to do: the state shows the moment before the last inner step."""

    def slow_joints(self) -> None:
        """Slow down absurdly fast joints."""
        motion = self.data.qvel[6 if self.ball is not None else 0 :]
        np.clip(motion, -self.fastest, self.fastest, out=motion)

    def is_harmless(self) -> bool:
        """Whether no number is so large that it needs a closer look, see `harmless`."""
        return bool((np.abs(np.concatenate((self.data.qpos, self.data.qvel))) <= self.harmless).all())

    def body_velocities(self, bodies: IntArray) -> tuple[Array, Array]:
        """Linear and angular velocities (K, 3) of the centres of bodies, world frame."""
        data = self.data
        motion = data.cvel.take(bodies, 0)
        # MuJoCo gives velocities at the centre of mass of the whole robot.
        arms = data.xipos.take(bodies, 0) - data.subtree_com.take(self.model.body_rootid.take(bodies), 0)
        return motion[:, 3:] + cross(motion[:, :3], arms), motion[:, :3]

    def body_accelerations(self, bodies: IntArray, points: Array) -> Array:
        """Accelerations (K, 3) less gravity's of points (K, 3) of bodies, world frame, when the last step began."""
        data = self.data
        now = data.qvel.copy()
        data.qvel[:] = self._velocity
        mujoco.mj_rnePostConstraint(self.model, data)
        data.qvel[:] = now
        turning, moving = data.cacc.take(bodies, 0), data.cvel.take(bodies, 0)
        arms = points - data.subtree_com.take(self.model.body_rootid.take(bodies), 0)
        spin = moving[:, :3]
        velocity = moving[:, 3:] + cross(spin, arms)
        felt: Array = turning[:, 3:] + cross(turning[:, :3], arms) + cross(spin, velocity)
        return felt

    def publish_motion(self, state: EngineState) -> None:
        """Write bases and joints into the state."""
        state.position = self.data.xipos.take(self._bases, 0)
        state.rotation = self.data.xmat.take(self._bases, 0).reshape(-1, 3, 3)
        state.linear_velocity, state.angular_velocity = self.body_velocities(self._bases)
        state.joint_position, state.joint_velocity = self._seen

    def publish_ball(self, state: EngineState) -> None:
        """Write the ball into the state: zeros without one."""
        if self.ball is None:
            state.ball_position, state.ball_velocity, state.ball_angular_velocity = np.zeros((3, 3))
            return
        position, motion = self._seen_ball
        state.ball_position, state.ball_velocity = position.copy(), motion[:3].copy()
        # MuJoCo gives the spin in the ball's own axes.
        state.ball_angular_velocity = product(self.data.xmat[self._ball_body].reshape(3, 3), motion[3:])

    def publish_forces(self, state: EngineState, efforts: Array) -> None:
        """Write contacts and efforts of the last inner step into the state; the actuators' include `efforts`."""
        state.joint_effort = self.data.qfrc_actuator[self._joints]
        touches = len(state.touching)
        readings = self.data.sensordata.reshape(touches, 7)
        state.touching = readings[:, 0] > 0.0
        state.touch_force, state.touch_point = np.zeros((2, touches, 3))
        for index, (row, link) in enumerate(self._touch_links()):
            body = self.parts[row].links[link]
            axes = self.data.xmat[body].reshape(3, 3)
            if state.touching[index]:
                state.touch_force[index] = product(readings[index, 1:4], axes)
                state.touch_point[index] = product(readings[index, 4:7] - self.data.xipos[body], axes)
        self.contact_summary().publish(state)

    def _touch_links(self) -> list[tuple[int, str]]:
        return [(row, name) for row, model in enumerate(self.models) for name in model.touch_links]

    def contact_summary(self) -> ContactSummary:
        """Contacts of robots with the ball and with each other in the last inner step."""
        contact = self.data.contact
        owners = self.owner[contact.geom]
        met = (owners[:, 0] != owners[:, 1]) & (owners > NO_OWNER).all(axis=1)
        if not met.any():
            return NO_CONTACTS
        return summary_of(owners[met], contact.pos[met])

    def put_base(self, row: int, position: Vector, quaternion: tuple[float, float, float, float]) -> None:
        """Put a robot somewhere at rest. position: place of the base's centre of mass, m; quaternion: x, y, z, w."""
        part = self.parts[row]
        x, y, z, w = quaternion
        arm = np.zeros(3)
        mujoco.mju_rotVecQuat(arm, self.model.body_ipos[part.bodies.start], np.array([w, x, y, z]))
        put_frame(self.model, self.data, part, np.array(position) - arm, quaternion)
        self.rest(row)

    def put_joints(self, row: int, positions: Array) -> None:
        """Set all joints of a robot, everything at rest."""
        self.data.qpos[self.parts[row].joint_positions] = positions
        self.rest(row)

    def rest(self, row: int) -> None:
        """Take all motion from a robot; poses of bodies are current then."""
        part, data = self.parts[row], self.data
        data.qvel[part.velocities] = data.qacc_warmstart[part.velocities] = 0.0
        self._held[part.in_order] = data.qpos[part.joint_positions]
        self._find()

    def put_velocity(self, row: int, linear: Vector, angular: Vector, joints: Array | None) -> None:
        """Set the velocity of a robot's base, world frame, and of its joints, (J_robot,), if given."""
        part = self.parts[row]
        start, base = part.velocities.start, part.bodies.start
        rotation = self.data.xmat[base].reshape(3, 3)
        arm = product(rotation, self.model.body_ipos[base])
        if not part.is_bolted:
            self.data.qvel[start : start + 3] = np.array(linear) - np.cross(angular, arm)
            self.data.qvel[start + 3 : start + 6] = product(angular, rotation)
        if joints is not None:
            self.data.qvel[part.joints] = joints
        self._find()

    def put_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        """Put the ball somewhere, not into the ground."""
        x, y, z = position
        self.data.qpos[:7] = (x, y, max(z, self._ball_rest), 1.0, 0.0, 0.0, 0.0)
        # The ball is upright, so its axes are the world's.
        self.data.qvel[:6] = (*velocity, *spin)
        self.data.qacc_warmstart[:6] = 0.0
        self._find()

    def take_over(self, old: NativeWorld, rows: dict[int, int]) -> None:
        """Copy the motion of the ball and of robots from another world. rows: row here -> row there."""
        if self.ball is not None and old.ball is not None:
            copy_motion(self.data, old.data, slice(0, 7), slice(0, 7), slice(0, 6), slice(0, 6))
        for row, before in rows.items():
            new_part, old_part = self.parts[row], old.parts[before]
            self._held[new_part.in_order] = old._held[old_part.in_order]
            if new_part.is_bolted:
                copy_bolt(self.model, new_part, old.model, old_part)
            motion = new_part.positions, old_part.positions, new_part.velocities, old_part.velocities
            copy_motion(self.data, old.data, *motion)
        self._find()

    def _find(self) -> None:
        """Bring poses and velocities of all bodies up to date with what was set."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)
        self._look()


def _largest_eigenvalue(matrix: Array) -> float:
    """The largest eigenvalue of a matrix (n, n) that has only positive ones; 1 without any."""
    if not len(matrix):
        return 1.0
    power = matrix
    for _ in range(12):
        power = product(power, power)
        power /= np.abs(power).max()
    # Of a high power only the eigenvectors of the largest are left.
    return float((product(matrix, power) * power).sum() / (power * power).sum())
