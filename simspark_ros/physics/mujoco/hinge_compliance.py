"""Lets bodies move separately as they do in ODE, so that hinges come apart and tilt: `physics.ode_likeness`.

* Each body moves as in ODE. The poses of two bodies give the angle of their hinge and the tilt of their axes; the rest
is the shift of each body from its place in a tree with these angles and tilts.
* Velocities, inertias and contact forces are computed in that tree: in ODE's equations hinges hold whatever gap there
is, so that a gap does not turn with the body above it. Contacts are found at the bodies' real places.
* ODE takes gaps and tilts back by velocities, -ERP / h of them, which have a momentum and which contacts resist: the
foot that carries the robot pushes the robot instead.
* Bodies enter the next step with the velocities of this step, along the tangent, and are then forced to turn with their
joints. MuJoCo computes such forces (centrifugal and the like) half a step later, from the bodies' places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from simspark_ros.kernels.contact_points import ContactPointsKernel
from simspark_ros.kernels.hinge_drift import HingeDriftKernel
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.mujoco.document import BALL_BODY
from simspark_ros.physics.mujoco.settings import MujocoSettings
from simspark_ros.physics.mujoco.step_memory import StepMemory
from simspark_ros.physics.ode_likeness.gaps import hinge_gaps


class HingeDrift:
    """Gaps and tilts of all hinges of one compiled world, at first none.

    Hinges are among the first bodies, of which `velocities` are MuJoCo's readings, (bodies - 1, 6), world frame.

    Robots whose bodies are `fast` turn exactly, see `ArticulatedModel.is_fast`; for `classic` see `is_classic` there.

    Attributes:
        shift: (bodies, 3) shift of each body from its place with closed hinges to its real place, world frame, m.
        tilt: (bodies, 3) tilt of the hinge that carries each body, in the axes of its parent, rad.
        carriers: (number of geoms,) body of each geom; the world itself for bodies without hinges.
        closing_velocity, closing_spin: (bodies, 3) velocities of each body that take gaps and tilts back in the next
            step, world frame, m/s and rad/s.
        closing_motion: (bodies, 6) the same as velocity of the body's point at the world's origin, and spin.
        motion: (bodies, 6) linear and angular velocities of robots' bodies in the last step, see CarriedMomentum.
    """

    def __init__(
        self,
        settings: MujocoSettings,
        model: Any,
        data: Any,
        arena: StepMemory,
        velocities: Array,
        fast: Sequence[slice],
        classic: Sequence[slice],
    ) -> None:
        self._model, self._data = model, data
        self._bodies = bodies = 1 + len(velocities)
        self._velocities = velocities
        self.shift: Array = np.zeros((bodies, 3))
        self.tilt: Array = np.zeros((bodies, 3))
        self.closing_velocity: Array = np.zeros((bodies, 3))
        self.closing_spin: Array = np.zeros((bodies, 3))
        self.closing_motion: Array = np.zeros((bodies, 6))
        self.motion: Array = np.zeros((bodies, 6))
        carried = model.geom_bodyid.astype(np.int64)
        self.carriers: IntArray = np.where(carried < bodies, carried, 0)
        self._kernel = self._bind(settings, _flags(bodies, fast), _flags(bodies, classic))
        self._centres: Array = data.xpos[1:bodies]
        ball = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, BALL_BODY)
        contacts = arena.contacts
        self._contacts = ContactPointsKernel(
            shift=self.shift,
            centres=data.xpos[:bodies],
            rotations=data.xmat[:bodies],
            geom_bodies=self.carriers,
            boxes=(model.geom_type == mujoco.mjtGeom.mjGEOM_BOX).astype(np.uint8),
            ball=ball,
            radius=float(model.geom_size[self.carriers == ball, 0].max(initial=0.0)),
            room=np.zeros((0, 3)),
            geoms=contacts["geom"],
            points=contacts["pos"],
            depths=contacts["dist"],
            frames=contacts["frame"],
            rows=contacts["efc_address"],
        )
        self.settle()

    def _bind(self, settings: MujocoSettings, fast: NDArray[np.uint8], classic: NDArray[np.uint8]) -> HingeDriftKernel:
        model, data, bodies = self._model, self._data, self._bodies
        first = model.body_jntadr[:bodies].astype(np.int64)
        kinds = np.where(first >= 0, model.jnt_type[first], -1)
        hinged = np.flatnonzero(kinds == mujoco.mjtJoint.mjJNT_HINGE)
        free = np.flatnonzero(kinds == mujoco.mjtJoint.mjJNT_FREE)
        parents = model.body_parentid[:bodies].astype(np.int64)
        hinge = np.full(bodies, -1)
        hinge[hinged] = np.arange(hinged.size)
        axes, levers = np.zeros((2, hinged.size, 3))
        for row, (joint, quaternion) in enumerate(zip(first[hinged], model.body_quat[hinged], strict=True)):
            mujoco.mju_rotVecQuat(axes[row], model.jnt_axis[joint], quaternion)
            mujoco.mju_rotVecQuat(levers[row], -model.jnt_pos[joint], quaternion)
        moved = data.xpos[:bodies].copy()
        # Without the world itself, which is body 0.
        motion = self.shift[1:], self.closing_velocity[1:], moved[1:]
        bases = np.flatnonzero(parents[1:] == 0)
        self._gaps = hinge_gaps(settings, settings.cycle_time, motion, parents[1:] - 1, hinged - 1, bases)
        # Views: MuJoCo's arrays stay where they are.
        return HingeDriftKernel(
            step=settings.cycle_time,
            rate=settings.hinge_erp / settings.cycle_time,
            most=settings.max_hinge_drift,
            shift=self.shift,
            tilt=self.tilt,
            closing_velocity=self.closing_velocity,
            closing_spin=self.closing_spin,
            closing_motion=self.closing_motion,
            moved=moved,
            turned=np.zeros((bodies, 4)),
            centres=data.xpos[:bodies],
            orientations=data.xquat[:bodies],
            rotations=data.xmat[:bodies],
            axes=data.xaxis,
            anchors=data.xanchor,
            geoms=data.geom_xpos,
            geom_bodies=self.carriers,
            body_places=model.body_pos,
            body_turns=model.body_quat,
            positions=data.qpos,
            classic=classic,
            fast=fast,
            parents=parents,
            hinge=hinge,
            hinged=hinged,
            joints=first[hinged],
            angles=model.jnt_qposadr[first[hinged]].astype(np.int64),
            free=free,
            free_places=model.jnt_qposadr[first[free]].astype(np.int64),
            home_places=model.body_pos[hinged],
            home_turns=model.body_quat[hinged],
            home_axes=axes,
            levers=levers,
        )

    def settle(self) -> None:
        """Bring the kinematics up to date with the present gaps and tilts."""
        self._kernel.tilt_hinges()
        mujoco.mj_kinematics(self._model, self._data)
        self._kernel.shift_bodies()

    def begin_step(self) -> None:
        """Do as `mj_step1`, with contacts at the bodies' real places, and all else at the places with closed hinges."""
        model, data = self._model, self._data
        mujoco.mj_collision(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)
        contacts = data.ncon
        self._contacts.close(contacts)
        mujoco.mj_makeConstraint(model, data)
        self._contacts.open(contacts, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_sensorVel(model, data)

    def advance(self) -> None:
        """After a step: put bases and joints where the bodies go; `land` has to follow."""
        self._gaps.move(self._centres, self._velocities)
        self._kernel.advance(self._velocities)

    def land(self) -> None:
        """Compute the kinematics at the bodies' new places."""
        self._kernel.tilt_hinges()
        mujoco.mj_kinematics(self._model, self._data)
        self._gaps.land(self._centres)
        self._kernel.shift_bodies()

    def close(self, bodies: slice) -> None:
        """Close the hinges of bodies that were put somewhere."""
        self.shift[bodies] = 0.0
        self.tilt[bodies] = 0.0
        self.settle()

    def copy(self, bodies: slice, other: HingeDrift, others_bodies: slice) -> None:
        """Take the gaps of the same bodies in another world; `settle` has to follow."""
        self.shift[bodies] = other.shift[others_bodies]
        self.tilt[bodies] = other.tilt[others_bodies]


def _flags(bodies: int, robots: Sequence[slice]) -> NDArray[np.uint8]:
    """(bodies,) 1 for the bodies of those robots."""
    flags = np.zeros(bodies, np.uint8)
    for robot in robots:
        flags[robot] = 1
    return flags
