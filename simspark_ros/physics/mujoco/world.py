"""A compiled MuJoCo world: a fixed list of robots, and their places in MuJoCo's arrays."""

from __future__ import annotations

import logging

import mujoco
import numpy as np

from simspark_ros.kernels.readout import ReadoutKernel
from simspark_ros.physics.contact_summary import NO_CONTACTS, ContactSummary
from simspark_ros.physics.engine import Array, BoolArray, EngineState, IntArray, JointControl
from simspark_ros.physics.geometry.rotations import cross
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.physics.model import ArticulatedModel, SceneModel, Vector
from simspark_ros.physics.mujoco.carried_momentum import CarriedMomentum
from simspark_ros.physics.mujoco.constraint_rows import AT_STOP, OFF, ConstraintRows
from simspark_ros.physics.mujoco.document import BALL_BODY, compile_world
from simspark_ros.physics.mujoco.hinge_compliance import HingeDrift
from simspark_ros.physics.mujoco.parts import Part, copy_bolt, copy_motion, owners_of, parts_of, put_frame, summary_of
from simspark_ros.physics.mujoco.settings import MujocoSettings, ball_sink
from simspark_ros.physics.mujoco.step_memory import StepMemory
from simspark_ros.physics.surfaces import Material, SurfaceKinds, hardness_of, material_of

# Effort of an unlimited motor, N m or N: MuJoCo needs a finite number.
_UNLIMITED = 1e6
# Distance from which on a stop acts on joints without a strong motor, rad or m.
_EARLY = 2.0

# Older versions lack contact sensors or order constraints differently.
_OLDEST = (3, 17)
if tuple(map(int, mujoco.__version__.split(".")[:2])) < _OLDEST:
    raise ImportError(f"MuJoCo {mujoco.__version__} is too old; install {_OLDEST[0]}.{_OLDEST[1]} or newer")

_log = logging.getLogger(__name__)
# Otherwise MuJoCo prints its warnings and writes them to a file in the working directory.
mujoco.set_mju_user_warning(_log.debug)


class MujocoWorld:
    """The compiled world, at first with every robot at the origin, at rest.

    Attributes:
        parts: places of each robot in MuJoCo's arrays, by row.
        owner: (number of geoms,) row of the robot that each geom belongs to, -1 for the ball, -2 for the others.
        drift: drift of the hinges; None if hinges hold.
        fastest: (degrees of freedom without the ball,) speed to which faster joints are slowed down, rad/s or m/s.
        positions: `qpos`.
        centres, rotations: (bodies, 3) centres of mass, m, and (bodies, 3, 3) orientations of bodies, world frame.
        harmless: (positions + velocities,) the largest numbers in `qpos` and `qvel` that need no closer look.
        ball: start of the ball's seven positions in `qpos` and of its six velocities in `qvel`; None without a ball.

    Raises:
        PhysicsError: MuJoCo refuses a model.
    """

    def __init__(self, settings: MujocoSettings, scene: SceneModel, models: tuple[ArticulatedModel, ...]) -> None:
        self.model = compile_world(settings, scene, models)
        self.data = mujoco.MjData(self.model)
        self.models = models
        self.positions: Array = self.data.qpos
        self.centres: Array = self.data.xpos
        self.rotations: Array = self.data.xmat.reshape(-1, 3, 3)
        self.ball = 0 if scene.ball is not None else None
        self._max_joint_speed = settings.max_joint_speed
        self.parts = parts_of(self.model, models)
        # Number of bodies before the boxes and obstacles in MuJoCo's arrays: the world itself, the ball and links.
        self._bodies = self.model.nbody - len(scene.boxes) - len(scene.obstacles)
        self.owner = owners_of(self.model, self.parts)
        self._index_joints()
        self._velocities: Array = self.data.sensordata[: 6 * (self._bodies - 1)].reshape(-1, 6)
        self._prepare_drag(scene)
        self._ball_radius = radius = 0.0 if scene.ball is None else scene.ball.radius
        self._ball_rest = radius - ball_sink(settings, scene)
        mujoco.mj_kinematics(self.model, self.data)
        arena = StepMemory(self.data)
        self.drift: HingeDrift | None = None
        self._momentum: CarriedMomentum | None = None
        if settings.hinge_drift and self._order.size:
            robots = list(zip(self.parts, models, strict=True))
            fast = [part.bodies for part, model in robots if model.is_fast]
            classic = [part.bodies for part, model in robots if model.is_classic]
            self.drift = HingeDrift(settings, self.model, self.data, arena, self._velocities, fast, classic)
            first = 1 if self.ball is None else 2
            motion = self._velocities[first - 1 :], self._forces[first - 1 :]
            self._momentum = CarriedMomentum(self.model, self.data, first, self.drift, *motion)
        kinds = SurfaceKinds()
        self._rows = ConstraintRows(
            settings,
            self.data,
            self._joints.take(self._order),
            self._motor_of_joint(),
            self._order,
            self._top_speeds,
            self._surfaces(scene, kinds),
            kinds,
            radius,
            arena,
            self.drift,
        )
        self.harmless: Array = np.zeros(self.model.nq + self.model.nv)
        self._readout = self._bind_readout()

    def _surfaces(self, scene: SceneModel, kinds: SurfaceKinds) -> IntArray:
        numbers: IntArray = np.where(self.owner >= 0, Material.ROBOT, Material.BOX)
        # The document begins with the ground and the ball, and ends with the obstacles.
        numbers[0] = kinds.number(Material.GROUND, scene.ground)
        if scene.ball is not None:
            numbers[1] = Material.BALL
        for part, model in zip(self.parts, self.models, strict=True):
            hardness = hardness_of(model.mass)
            for link in model.links:
                if (material := material_of(link, hardness)) is not None:
                    own = self.model.geom_bodyid == part.links[link.name]
                    numbers[own] = kinds.number(Material.ROBOT, material, hardness)
        for geom, obstacle in enumerate(scene.obstacles, len(numbers) - len(scene.obstacles)):
            numbers[geom] = kinds.number(Material.BOX, obstacle.material)
        return numbers

    def _index_joints(self) -> None:
        parts = self.parts
        empty = np.zeros(0, np.int64)
        self._joints = np.concatenate([empty, *(part.joints for part in parts)])
        self._joint_positions = np.concatenate([empty, *(part.joint_positions for part in parts)])
        # Motors' rows are in the order of degrees of freedom, which may differ from the model's order of joints.
        self._order = np.argsort(self._joints)
        self._motor_row = np.argsort(self._order)
        self._pushed = False
        self._limp: BoolArray | None = None
        joints = [joint for model in self.models for joint in model.joints]
        self._strongest = np.array([joint.stopping_effort for joint in joints])
        self._inelastic = np.array([joint.never_bounces(self.model.opt.timestep) for joint in joints], np.bool_)
        fastest = np.full(self.model.nv, np.inf)
        nominal = np.array([joint.max_velocity for model in self.models for joint in model.joints])
        self._top_speeds = nominal.take(self._order)
        unlimited = 10.0 * self._max_joint_speed
        fastest[self._joints] = np.maximum(self._max_joint_speed, np.minimum(2.0 * nominal, unlimited))
        self.fastest = fastest[6 if self.ball is not None else 0 :]

    def _motor_of_joint(self) -> IntArray:
        """(number of MuJoCo's joints,) row of each joint's motor; 0 for bases and the ball."""
        rows = np.zeros(self.model.njnt, np.int64)
        rows[self.model.dof_jntid[self._joints]] = self._motor_row
        return rows

    def _bind_readout(self) -> ReadoutKernel:
        """Bind the readout. Views: MuJoCo's arrays stay where they are."""
        data, bodies = self.data, self._bodies - 1
        links = [
            part.links[name] for part, model in zip(self.parts, self.models, strict=True) for name in model.touch_links
        ]
        robots, joints, touches = len(self.parts), self._joints.size, len(links)
        self._bases, self._turns = np.zeros((3, robots, 3)), np.zeros((robots, 3, 3))
        self._joint_motion, self._efforts = np.zeros((2, joints)), np.zeros(joints)
        self._ball_motion, self._touches = np.zeros((3, 3)), np.zeros((2, touches, 3))
        self._touching = np.zeros(touches, np.bool_)
        return ReadoutKernel(
            positions=data.qpos,
            velocities=data.qvel,
            centres=data.xpos,
            rotations=data.xmat,
            bases=np.array([part.bodies.start for part in self.parts], np.int64),
            base_velocities=np.array([-1 if one.is_bolted else one.velocities.start for one in self.parts], np.int64),
            joint_positions=self._joint_positions,
            joint_velocities=self._joints,
            motors=self._motor_row,
            efforts=self._rows.efforts,
            touch_bodies=np.array(links, np.int64),
            readings=data.sensordata[6 * bodies :].reshape(-1, 7),
            ball=self.ball is not None,
            harmless=self.harmless,
            base_motion=self._bases,
            base_turns=self._turns,
            joints=self._joint_motion,
            joint_efforts=self._efforts,
            ball_motion=self._ball_motion,
            touching=self._touching.view(np.uint8),
            touches=self._touches,
        )

    def _prepare_drag(self, scene: SceneModel) -> None:
        drag = np.zeros((self._bodies, 6))
        for part, model in zip(self.parts, self.models, strict=True):
            drag[part.bodies] = [-model.linear_drag] * 3 + [-model.angular_drag] * 3
        if scene.ball is not None:
            body = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, BALL_BODY)
            drag[body] = [-scene.ball.linear_drag] * 3 + [-scene.ball.angular_drag] * 3
        self._drag = drag[1:]
        self._forces = self.data.xfrc_applied[1 : self._bodies]

    def step(self, control: JointControl) -> None:
        """Make one step; the kinematics stay as before the step until `settle` is called.

        Raises:
            mujoco.FatalError: MuJoCo has no more memory.
        """
        model, data = self.model, self.data
        if not self.fastest.size and self.ball is None:
            data.time += model.opt.timestep
            return
        news = self._rows.kernel.aim(control.velocity, control.effort_limit, control.effort)
        if news & 1 or (control.limp is not self._limp and control.limp_changed(self._limp)):
            self._limit_efforts(control.effort_limit, control.limp)
        if self.drift is None:
            mujoco.mj_step1(model, data)
        else:
            self.drift.begin_step()
        np.multiply(self._drag, self._velocities, out=self._forces)
        if self._momentum is not None:
            self._momentum.apply()
        if news > 1 or self._pushed:
            self._push(control.effort)
        self._pushed = news > 1
        self._rows.kernel.rewrite(data)
        mujoco.mj_island(model, data)
        mujoco.mj_step2(model, data)
        if data.nefc < self._joints.size:
            # Each joint's motor has a row, unless there was no memory for any.
            raise mujoco.FatalError("MuJoCo has too little memory for the contacts of so many robots")
        self._rows.kernel.remember()
        if self._momentum is not None and self.drift is not None:
            # Velocities of the bodies in this step.
            mujoco.mj_comVel(model, data)
            mujoco.mj_sensorVel(model, data)
            self._momentum.keep()
            self.drift.advance()

    def _push(self, efforts: Array) -> None:
        """Apply efforts besides the motors', (J,)."""
        if self._momentum is None:
            self.data.qfrc_applied[self._joints] = efforts
        else:
            self.data.qfrc_applied[self._joints] += efforts

    def _limit_efforts(self, limits: Array, limp: BoolArray | None) -> None:
        self._limp = limp
        self._rows.full[:] = 0.999 * np.minimum(limits.take(self._order), _UNLIMITED)
        self.model.dof_frictionloss[self._joints] = np.minimum(np.maximum(limits, OFF), _UNLIMITED)
        # A strong motor keeps its joint's speed down to the stop. Other joints may be faster, so their stops act
        # earlier, as do those of joints that never bounce.
        carried = self.model.dof_jntid[self._joints]
        weak = (limits < self._strongest) | self._inelastic | (limp is not None and limp)
        self.model.jnt_margin[carried] = np.where(weak, _EARLY, AT_STOP)
        self._rows.elastic[:] = ~weak.take(self._order)

    def settle(self) -> None:
        """Bring the poses of all bodies up to date after a step, hinge drift included."""
        if self.drift is None:
            mujoco.mj_kinematics(self.model, self.data)
        else:
            self.drift.land()

    def slow_joints(self) -> None:
        """Slow down absurdly fast joints, such as joints of the lightest links of robots squeezed into each other."""
        if self._joints.size:
            motion = self.data.qvel[6 if self.ball is not None else 0 :]
            np.minimum(motion, self.fastest, out=motion)
            np.maximum(motion, -self.fastest, out=motion)
            for part in self.parts:
                self._forget(part)

    def body_velocities(self, bodies: IntArray) -> tuple[Array, Array]:
        """Linear and angular velocities (K, 3) of the centres of bodies, world frame."""
        model, data = self.model, self.data
        # MuJoCo's own velocities are from before the step; the next step computes them again.
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        motion = data.cvel.take(bodies, 0)
        # MuJoCo gives velocities at the centre of mass of the whole robot.
        arms = data.xpos.take(bodies, 0) - data.subtree_com.take(model.body_rootid.take(bodies), 0)
        return motion[:, 3:] + cross(motion[:, :3], arms), motion[:, :3]

    def publish_motion(self, state: EngineState) -> None:
        """Write bases and joints into the state."""
        self._readout.read_motion()
        # By index: to unpack an array takes twice as long.
        bases, joints = self._bases.copy(), self._joint_motion.copy()
        state.position, state.linear_velocity, state.angular_velocity = bases[0], bases[1], bases[2]
        state.rotation = self._turns.copy()
        state.joint_position, state.joint_velocity = joints[0], joints[1]

    def publish_ball(self, state: EngineState) -> None:
        """Write the ball into the state: zeros without one."""
        self._readout.read_ball()
        ball = self._ball_motion.copy()
        state.ball_position, state.ball_velocity, state.ball_angular_velocity = ball[0], ball[1], ball[2]

    def publish_forces(self, state: EngineState, efforts: Array) -> None:
        """Write what was felt in the last step into the state, with efforts (J,) besides those of the motors."""
        self._readout.read_forces(efforts)
        state.joint_effort, state.touching, touches = self._efforts.copy(), self._touching.copy(), self._touches.copy()
        state.touch_point, state.touch_force = touches[0], touches[1]
        self.contact_summary().publish(state)

    def is_harmless(self) -> bool:
        """Whether no number is so large that it needs a closer look, see `harmless`."""
        return bool(self._readout.is_harmless())

    def contact_summary(self) -> ContactSummary:
        """Contacts of robots with the ball and with each other in the last step."""
        met = self._rows.met
        if not met:
            return NO_CONTACTS
        contact = self.data.contact
        return summary_of(self.owner[contact.geom[met]], contact.pos[met])

    def put_base(self, row: int, position: Vector, quaternion: tuple[float, float, float, float]) -> None:
        """Put a robot somewhere at rest. quaternion: x, y, z, w."""
        put_frame(self.model, self.data, self.parts[row], position, quaternion)
        self.rest(row)

    def put_joints(self, row: int, positions: Array) -> None:
        """Set all joints of a robot, everything at rest."""
        self.data.qpos[self.parts[row].joint_positions] = positions
        self.rest(row)

    def rest(self, row: int) -> None:
        """Take all motion from a robot and close its hinges; poses of bodies are current then."""
        part, data = self.parts[row], self.data
        data.qvel[part.velocities] = 0.0
        data.qacc_warmstart[part.velocities] = 0.0
        self._rows.loads[part.in_order] = 0.0
        if self.drift is not None:
            self.drift.close(part.bodies)
        else:
            mujoco.mj_kinematics(self.model, data)
        self._forget(part)

    def _forget(self, part: Part) -> None:
        if self._momentum is not None:
            self._momentum.forget(part.bodies)

    def put_velocity(self, row: int, linear: Vector, angular: Vector, joints: Array | None) -> None:
        """Set the velocity of a robot's base, world frame, and of its joints, (J_robot,), if given."""
        part = self.parts[row]
        if not part.is_bolted:
            start, rotation = part.velocities.start, self.data.xmat[part.bodies.start].reshape(3, 3)
            self.data.qvel[start : start + 3] = linear
            self.data.qvel[start + 3 : start + 6] = product(angular, rotation)
        if joints is not None:
            self.data.qvel[part.joints] = joints
        self._forget(part)

    def put_ball(self, position: Vector, velocity: Vector, spin: Vector) -> None:
        """Put the ball somewhere; one that touches the ground is put where it rests."""
        data = self.data
        x, y, z = position
        if velocity[2] <= 0.0 and self._ball_rest <= z <= self._ball_radius:
            position = (x, y, self._ball_rest)
        data.qpos[:7] = (*position, 1.0, 0.0, 0.0, 0.0)
        # The ball is upright, so its axes are the world's.
        data.qvel[:6] = (*velocity, *spin)
        data.qacc_warmstart[:6] = 0.0
        self._find_places()

    def take_over(self, old: MujocoWorld, rows: dict[int, int]) -> None:
        """Copy the motion of the ball and of robots from another world. rows: row here -> row there."""
        if self.ball is not None and old.ball is not None:
            copy_motion(self.data, old.data, slice(0, 7), slice(0, 7), slice(0, 6), slice(0, 6))
        for row, before in rows.items():
            new_part, old_part = self.parts[row], old.parts[before]
            self._rows.loads[new_part.in_order] = old._rows.loads[old_part.in_order]
            motion = new_part.positions, old_part.positions, new_part.velocities, old_part.velocities
            copy_motion(self.data, old.data, *motion)
            copy_bolt(self.model, new_part, old.model, old_part)
            if self.drift is not None and old.drift is not None:
                self.drift.copy(new_part.bodies, old.drift, old_part.bodies)
            if self._momentum is not None and old._momentum is not None:
                self._momentum.copy(new_part.bodies, old._momentum, old_part.bodies)
        self._find_places()

    def _find_places(self) -> None:
        """Bring the poses of all bodies up to date with positions that were set."""
        if self.drift is None:
            mujoco.mj_kinematics(self.model, self.data)
        else:
            self.drift.settle()
