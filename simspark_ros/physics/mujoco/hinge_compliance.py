"""Lets bodies move separately as they do in ODE, so that hinges come apart and tilt, and bodies keep their momenta.

In one step of length h ODE finds velocities v and w of all bodies with which hinges hold, and then moves each body by
itself: by h v, and by a turn of 2 atan(w h / 2). This differs from the joints of a tree by terms of second order; in
the next step ODE takes back the part ERP of the gap of a hinge. At 20 ms a kicking foot is up to 24 mm and 2 degrees
off. So here:

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

from typing import Any

import mujoco
import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.vector_rows import XYZXY, cross_rows
from simspark_ros.physics.mujoco.document import BALL_BODY
from simspark_ros.physics.mujoco.settings import MujocoSettings

# Hamilton product from the 16 products of two quaternions' components, w x y z: four of them for each component.
_TERMS = np.array([0, 5, 10, 15, 1, 4, 11, 14, 2, 7, 8, 13, 3, 6, 9, 12])
_SIGNS = np.array([1, -1, -1, -1, 1, 1, 1, -1, 1, -1, 1, 1, 1, 1, -1, 1.0])[:, None]
_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])[:, None]
_TURN = 2.0 * np.pi


class HingeDrift:
    """Gaps and tilts of all hinges of one compiled world, at first none; hinges are among the first `bodies` bodies.

    Arrays for cross products have one long row for each of x, y and z, which is quick to compute with.

    Attributes:
        shift: (bodies, 3) shift of each body from its place with closed hinges to its real place, world frame, m.
        tilt: (bodies, 3) tilt of the hinge that carries each body, in the axes of its parent, rad.
        carriers: (number of geoms,) body of each geom; the world itself for bodies without hinges.
        closing_velocity, closing_spin: (bodies, 3) velocities of each body that take gaps and tilts back in the next
            step, world frame, m/s and rad/s.
        motion: (bodies, 6) linear and angular velocities of robots' bodies in the last step, see CarriedMomentum.
    """

    def __init__(self, settings: MujocoSettings, model: Any, data: Any, bodies: int) -> None:
        self._model, self._data = model, data
        self._step = settings.cycle_time
        # The part of a gap that is taken back in a second.
        self._rate = settings.hinge_erp / self._step
        self._most = settings.max_hinge_drift
        self._bodies = bodies
        # Views: MuJoCo's arrays stay where they are.
        self._centres: Array = data.xpos[:bodies]
        self._orientations: Array = data.xquat[:bodies]
        self.shift: Array = np.zeros((bodies, 3))
        self.tilt: Array = np.zeros((bodies, 3))
        self.closing_velocity: Array = np.zeros((bodies, 3))
        self.closing_spin: Array = np.zeros((bodies, 3))
        self.motion: Array = np.zeros((bodies, 6))
        carried = model.geom_bodyid.astype(np.int64)
        self.carriers: IntArray = np.where(carried < bodies, carried, 0)
        # Number of the ball's body; without a ball a number of no body.
        self._ball: int = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, BALL_BODY)
        self._index_joints(model)
        self._index_carriers(model)
        self.settle()
        self._moved: Array = self._centres.copy()

    def _index_joints(self, model: Any) -> None:
        joints = model.body_jntadr[: self._bodies]
        kinds = np.where(joints >= 0, model.jnt_type[joints], -1)
        self._hinged = np.flatnonzero(kinds == mujoco.mjtJoint.mjJNT_HINGE)
        self._parents = model.body_parentid[self._hinged].astype(np.int64)
        self._hinges = joints[self._hinged].astype(np.int64)
        self._angles = model.jnt_qposadr[self._hinges]
        self._free = np.flatnonzero(kinds == mujoco.mjtJoint.mjJNT_FREE)
        self._free_places = model.jnt_qposadr[joints[self._free]][:, None] + np.arange(7)
        home = model.body_quat[self._hinged]
        self._home = home.T.copy()
        self._home_back = self._home * _CONJUGATE
        # In the parent's axes: places of bodies with closed hinges, axes of hinges, levers from anchors to bodies.
        self._home_positions = model.body_pos[self._hinged]
        self._axes, self._levers = np.zeros((2, self._hinged.size, 3))
        for row, (hinge, quaternion) in enumerate(zip(self._hinges, home, strict=True)):
            mujoco.mju_rotVecQuat(self._axes[row], model.jnt_axis[hinge], quaternion)
            mujoco.mju_rotVecQuat(self._levers[row], -model.jnt_pos[hinge], quaternion)
        self._axis_rows, self._lever_rows = self._axes.T.copy(), self._levers.T[XYZXY]

    def _index_carriers(self, model: Any) -> None:
        """One flat array of the hinges that carry each body, and the start of each body's hinges in it."""
        place = {body: row for row, body in enumerate(self._hinged.tolist())}
        # The last place stands for no hinge.
        chains: list[list[int]] = [[len(place)]]
        # Bodies without a hinge move with the body that carries them.
        self._holders = np.arange(self._bodies)
        for body, parent in enumerate(model.body_parentid[: self._bodies].tolist()):
            if not body:
                continue
            chains.append(chains[parent] + ([place[body]] if body in place else []))
            if body not in place:
                self._holders[body] = self._holders[parent]
        self._carrying = np.concatenate(chains)
        self._first_carrying = np.cumsum([0, *map(len, chains[:-1])])
        self._own: Array = np.zeros((8, len(place) + 1))

    def settle(self) -> None:
        """Bring the kinematics up to date with the present gaps and tilts."""
        self._tilt_bodies()
        self._shift_bodies()

    def _tilt_bodies(self) -> None:
        """Compute the kinematics of closed, tilted hinges."""
        model, hinged = self._model, self._hinged
        half = 0.5 * self.tilt[hinged].T
        rows = half[XYZXY]
        # The child tilts about its anchor; the quaternion is (1, half the tilt) but for its length.
        around = cross_rows(rows, self._lever_rows)
        around += cross_rows(rows, around[XYZXY])
        around *= 2.0 / (1.0 + np.add.reduce(half * half))
        model.body_pos[hinged] = self._home_positions + around.T
        # MuJoCo normalises its quaternions.
        tilts = np.ones((4, hinged.size))
        tilts[1:] = half
        model.body_quat[hinged] = _product(tilts, self._home).T
        mujoco.mj_kinematics(model, self._data)

    def _shift_bodies(self) -> None:
        data, rate = self._data, self._rate
        # ODE's rows of a hinge: the turn from the parent's axis to the child's.
        axes = np.matmul(data.xmat.take(self._parents, 0).reshape(-1, 3, 3), self._axes[:, :, None])[:, :, 0].T
        # Rows: velocity of the point at the world's origin, spin as x, y, z, x, y; the column of no hinge stays 0.
        own = self._own
        np.multiply(cross_rows(data.xaxis.take(self._hinges, 0).T[XYZXY], axes[XYZXY]), rate, out=own[3:6, :-1])
        own[6:] = own[3:5]
        own[:3, :-1] = cross_rows(data.xanchor.take(self._hinges, 0).T[XYZXY], own[3:, :-1])
        motion = self._closing_motion = np.add.reduceat(own.take(self._carrying, 1), self._first_carrying, 1)
        motion[:3] -= rate * self.shift.T
        closing = cross_rows(motion[3:], self._centres.T[XYZXY])
        closing += motion[:3]
        self.closing_velocity[:], self.closing_spin[:] = closing.T, motion[3:6].T
        # Points on bodies are shifted with them.
        motion[:3] -= cross_rows(motion[3:], self.shift.T[XYZXY])
        self._centres += self.shift
        data.geom_xpos[:] += self.shift.take(self.carriers, 0)

    def begin_step(self) -> None:
        """Do as `mj_step1`, with contacts at the bodies' real places, and all else at the places with closed hinges."""
        model, data = self._model, self._data
        mujoco.mj_collision(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)
        self._make_constraints()
        mujoco.mj_island(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_sensorVel(model, data)

    def _make_constraints(self) -> None:
        """Make constraints that push each link at its touching point, which has another place with closed hinges."""
        model, data = self._model, self._data
        contact = data.contact
        bodies = self.carriers.take(contact.geom)
        struck = (bodies.min(1, initial=self._bodies) == self._ball).nonzero()[0].tolist()
        for index in struck:
            self._set_point(contact[index])
        where = contact.pos
        points = where.copy()
        # A contact of two robots has the right point for one of them only, which is enough: it is soft.
        where -= self.shift.take(bodies.max(1, initial=0), 0)
        mujoco.mj_makeConstraint(model, data)
        where[:] = points
        for index in struck:
            self._set_arm(contact[index])

    def _set_point(self, contact: Any) -> None:
        """Touch the ball where ODE does: a box on its surface, or in the ball's centre if that is inside the box.

        MuJoCo takes the middle of the penetration, as ODE does for round shapes.
        """
        ball, box = contact.geom
        if self._model.geom_type[box] == mujoco.mjtGeom.mjGEOM_BOX:
            depth = max(0.0, self._model.geom_size[ball, 0] + contact.dist)
            contact.pos[:] = self._centres[self._ball] + depth * contact.frame[:3]

    def _set_arm(self, contact: Any) -> None:
        """Have a robot push the ball at the touching point, not at the point of the robot's link."""
        data, first = self._data, contact.efc_address
        if first < 0:
            return
        arm = contact.pos - self._centres[self._ball]
        rotation = data.xmat[self._ball].reshape(3, 3)
        for start in data.efc_J_rowadr[first : first + 3].tolist():
            # The ball has the first degrees of freedom; its spin is in its own axes.
            row = data.efc_J[start : start + 6]
            row[3:] = np.cross(arm, row[:3]) @ rotation

    def advance(self, velocities: Array) -> None:
        """After a step: put bases and joints where the bodies go; `land` has to follow.

        velocities: (bodies - 1, 6) linear and angular in the step, world frame, without the ones that close gaps.
        """
        data, step = self._data, self._step
        moved = self._moved
        np.add(velocities[:, :3], self.closing_velocity[1:], out=moved[1:])
        moved *= step
        moved += self._centres
        # A turn by 2 atan(w h / 2); lengths of quaternions do not matter here.
        turns = np.ones((4, self._bodies))
        turns[1:] = self.closing_spin.T
        turns[1:, 1:] += velocities[:, 3:].T
        turns[1:] *= 0.5 * step
        now = _product(turns, self._orientations.T)
        # The turn of each hinge, in the axes of its parent.
        parents = now.take(self._parents, 1)
        parents *= _CONJUGATE
        turned = _product(_product(parents, now.take(self._hinged, 1)), self._home_back)
        # ODE's angle, which includes the tilt.
        vector = turned[1:]
        sine = np.sqrt(np.add.reduce(vector * vector))
        sine = np.copysign(sine, np.add.reduce(vector * self._axis_rows))
        half = np.arctan2(sine, turned[0])
        # Angles are known up to whole turns: take the one next to where the speed leads.
        near = data.qpos.take(self._angles)
        near -= 2.0 * half
        half += np.pi * np.rint(near / _TURN)
        data.qpos[self._angles] = 2.0 * half
        # The rest of the turn after that angle is taken out.
        back = np.empty_like(turned)
        np.cos(half, out=back[0])
        np.multiply(-np.sin(half), self._axis_rows, out=back[1:])
        tilts = _product(turned, back)
        left = tilts[1:] * (2.0 / tilts[0])
        np.minimum(left, self._most, out=left)
        np.maximum(left, -self._most, out=left)
        self.tilt[self._hinged] = left.T
        bases = np.empty((len(self._free), 7))
        bases[:, :3], bases[:, 3:] = moved.take(self._free, 0), now.take(self._free, 1).T
        bases[:, 3:] /= np.sqrt(np.add.reduce(bases[:, 3:] ** 2, 1))[:, None]
        data.qpos[self._free_places] = bases

    def land(self) -> None:
        """Compute the kinematics at the bodies' new places."""
        self._tilt_bodies()
        shift = (self._moved - self._centres).take(self._holders, 0)
        gaps = shift.take(self._hinged, 0)
        gaps -= shift.take(self._parents, 0)
        # Written so that it holds for NaN.
        if not np.abs(gaps).max(initial=0.0) <= self._most:
            self._limit(shift, gaps)
        # A ball that was put back is not where its motion led.
        shift[self._free] = 0.0
        self.shift[:] = shift
        self._shift_bodies()

    def _limit(self, shift: Array, gaps: Array) -> None:
        np.minimum(gaps, self._most, out=gaps)
        np.maximum(gaps, -self._most, out=gaps)
        for body, parent, gap in zip(self._hinged.tolist(), self._parents.tolist(), gaps, strict=True):
            shift[body] = shift[self._holders[parent]] + gap
        shift[:] = shift[self._holders]

    def closing(self, first: IntArray, second: IntArray, frames: Array, points: Array) -> Array:
        """(K, 3) velocities at contacts that take back gaps and tilts, second body against first, along `frames`, m/s.

        first, second: (K,) bodies that touch, see `carriers`; frames: (K, 3, 3) normal from the first to the second and
        two tangents, as rows, world frame; points: (K, 3) places of the contacts, world frame, m.
        """
        parted = self._closing_motion.take(second, 1)
        parted -= self._closing_motion.take(first, 1)
        velocities = cross_rows(parted[3:], points.T[XYZXY])
        velocities += parted[:3]
        rows: Array = np.matmul(frames, velocities.T[:, :, None])[:, :, 0]
        return rows

    def approach_of_ball(self, contact: Any) -> float:
        """Speed of approach of the ball and a robot in the last step, m/s: in ODE the ball bounces by this speed."""
        geoms = self.carriers[contact.geom]
        link = geoms.max()
        linear, spin = self.motion[link, :3], self.motion[link, 3:]
        arm = contact.pos - self._centres[link]
        apart = self._data.qvel[:3] - linear - np.cross(spin, arm)
        return float(contact.frame[:3] @ apart) * (1.0 if geoms[0] == self._ball else -1.0)

    def close(self, bodies: slice) -> None:
        """Close the hinges of bodies that were put somewhere."""
        self.shift[bodies] = 0.0
        self.tilt[bodies] = 0.0
        self.settle()

    def copy(self, bodies: slice, other: HingeDrift, others_bodies: slice) -> None:
        """Take the gaps of the same bodies in another world; `settle` has to follow."""
        self.shift[bodies] = other.shift[others_bodies]
        self.tilt[bodies] = other.tilt[others_bodies]


def _product(first: Array, second: Array) -> Array:
    """Hamilton products (4, n) of quaternions (4, n), w x y z."""
    products = (first[:, None] * second).reshape(16, -1).take(_TERMS, 0)
    products *= _SIGNS
    product: Array = np.add.reduce(products.reshape(4, 4, -1), 1)
    return product
