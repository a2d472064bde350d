"""Lets bodies move separately as they do in ODE, so that hinges come apart and tilt, and bodies keep their momenta.

In one step of length h ODE carries each body along by its own velocities v and w, and takes back the part ERP of what
that does to a hinge. At 20 ms a kicking foot is up to 24 mm and 2 degrees off. Three things follow, of second order:

* The anchors of the two bodies of a hinge part (r = anchor relative to the centre, c child, p parent, world frame):

      d = (1 - ERP) d + h^2 / 2 [wc x (wc x rc) - wp x (wp x rp)]

* The axes of the two bodies tilt, as turning by wc is not turning by wp and then about the axis:

      t = (1 - ERP) t + h wc x t - h^2 / 2 wp x wc

* Bodies enter the next step with the velocities of this one, along the tangent, and are then forced to turn with their
  joints. MuJoCo computes such forces (centrifugal and the like) half a step later, from where the bodies are.

The child is shifted by d and tilted by t against its parent. ODE takes a gap back by a velocity, -ERP d / h of the
child against its parent, which has a momentum and which contacts resist: the foot that carries the robot pushes it
instead.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.mujoco.settings import MujocoSettings

# Rows of vectors that hold x and y once more behind z: rows 1 to 3 and 2 to 4 are then what cross products need.
_XYZXY = np.array([0, 1, 2, 0, 1])


class HingeDrift:
    """Gaps and tilts of all hinges of one compiled world, at first none; hinges are among the first `bodies` bodies.

    Arrays have one long row for each of x, y and z, which is quick to compute with.

    Attributes:
        gap: (bodies, 3) of the hinge that carries each body, world frame, m.
        tilt: (bodies, 3) of the same, world frame, rad.
        carriers: (number of geoms,) body of each; the world itself for bodies without hinges.
        closing_velocity: (bodies, 3) by which gaps are taken back in the next step, world frame, m/s.
    """

    def __init__(self, settings: MujocoSettings, model: Any, data: Any, bodies: int) -> None:
        self._model, self._data = model, data
        self._step = settings.cycle_time
        self._kept = 1.0 - settings.hinge_erp
        # The part of a gap that is taken back in a second.
        self._rate = (1.0 - self._kept) / self._step
        self._most = settings.max_hinge_drift
        self._bodies = bodies
        # Views: MuJoCo's arrays stay where they are.
        self._positions: Array = model.body_pos[:bodies]
        self._quaternions: Array = model.body_quat[:bodies]
        self._home, self._home_quaternions = self._positions.copy(), self._quaternions.copy()
        self._anchors, self._all_centres = data.xanchor, data.xpos
        self._centres: Array = data.xpos[:bodies]
        self._turns: Array = data.xmat
        self._spins: Array = data.cvel
        # Gaps and tilts.
        self._errors: Array = np.zeros((3, 2, bodies))
        self._gaps, self._tilts = self._errors[:, 0], self._errors[:, 1]
        self.gap: Array = self._gaps.T
        self.tilt: Array = self._tilts.T
        self.closing_velocity: Array = np.zeros((bodies, 3))
        carried = model.geom_bodyid.astype(np.int64)
        self.carriers: IntArray = np.where(carried < bodies, carried, 0)
        parents = model.body_parentid[:bodies]
        self._turn_index = 9 * parents + np.arange(9).reshape(3, 3, 1)
        self._index_anchors(model, parents)
        self._arms: Array = np.empty(self._anchor_index.shape)
        self.settle()

    def _index_anchors(self, model: Any, parents: IntArray) -> None:
        """Columns: all bodies, then the parent of each."""
        joints, bodies = model.body_jntadr[: self._bodies], np.arange(self._bodies)
        hinged = (joints >= 0) & (model.jnt_type[joints] == mujoco.mjtJoint.mjJNT_HINGE)
        # The anchor of a free joint is the centre of its body: the difference is nothing where there is no hinge.
        anchors = np.where(hinged, joints, 0)
        centres = [np.where(hinged, one, model.jnt_bodyid[0]) for one in (bodies, parents)]
        rows = _XYZXY[:, None]
        self._anchor_index = 3 * np.concatenate((anchors, anchors)) + rows
        self._centre_index = 3 * np.concatenate(centres) + rows
        # A body without a hinge does not turn against its parent.
        self._spin_index = 6 * np.concatenate((bodies, np.where(hinged, parents, bodies))) + rows
        # From the anchor to the body's origin, in the parent's axes; and how a quaternion at home changes with a tilt.
        levers = np.zeros((self._bodies, 3))
        for body in np.flatnonzero(hinged):
            mujoco.mju_rotVecQuat(levers[body], model.jnt_pos[joints[body]], self._home_quaternions[body])
        self._levers = levers.T[_XYZXY]
        w, x, y, z = self._home_quaternions.T
        self._by_tilt = 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])

    def settle(self) -> None:
        """Leave the kinematics with the gaps and tilts there are."""
        self._positions[:] = self._home
        self._quaternions[:] = self._home_quaternions
        mujoco.mj_kinematics(self._model, self._data)
        closed = self._centres.copy()
        # Into the axes of each body's parent.
        turned = self._turns.take(self._turn_index)[:, :, None] * self._errors[:, None]
        local = turned[0]
        local += turned[1]
        local += turned[2]
        tilts = local[:, 1].take(_XYZXY, 0)
        # The child tilts about its anchor.
        shifts = local[:, 0]
        shifts -= _cross(tilts, self._levers)
        np.add(self._home, shifts.T, out=self._positions)
        # MuJoCo normalises its quaternions.
        quaternions = np.add.reduce(self._by_tilt * tilts[:3], 1)
        np.add(self._home_quaternions, quaternions.T, out=self._quaternions)
        mujoco.mj_kinematics(self._model, self._data)
        np.subtract(closed, self._centres, out=self.closing_velocity)
        self.closing_velocity *= self._rate
        np.subtract(self._anchors.take(self._anchor_index), self._all_centres.take(self._centre_index), out=self._arms)
        # A parent's own anchor is where the gap begins.
        self._arms[:, self._bodies :] -= self._gaps.take(_XYZXY, 0)

    def advance(self) -> None:
        """After a step and `mj_comVel`, with the kinematics of before it; leaves those of its result, with the gaps."""
        count, gaps, tilts = self._bodies, self._gaps, self._tilts
        turns = self._spins.take(self._spin_index)
        turns *= self._step
        around = _cross(turns, self._arms)
        inward = _cross(turns, around.take(_XYZXY, 0))
        inward *= 0.5
        own, parents = turns[:, :count], turns[:, count:]
        # h wc x t - h^2 / 2 wp x wc is wc x (h t + h^2 / 2 wp).
        parents *= 0.5
        parents += tilts.take(_XYZXY, 0)
        tilts *= self._kept
        tilts += _cross(own, parents)
        gaps *= self._kept
        gaps += inward[:, :count]
        gaps -= inward[:, count:]
        np.minimum(self._errors, self._most, out=self._errors)
        np.maximum(self._errors, -self._most, out=self._errors)
        self.settle()

    def closing(self, first: IntArray, second: IntArray, frames: Array) -> Array:
        """Velocities of contacts from gaps being taken back: of the second against the first body, (K, 3), m/s.

        first, second: (K,) bodies that touch, see `carriers`; frames: (K, 3, 3) normal from the first to the second and
        two tangents, as rows, world frame, along which the velocities are.
        """
        parted = self.closing_velocity.take(second, 0)
        parted -= self.closing_velocity.take(first, 0)
        rows: Array = np.matmul(frames, parted[:, :, None])[:, :, 0]
        return rows

    def close(self, bodies: slice) -> None:
        """Close the hinges of bodies that were put somewhere."""
        self._errors[:, :, bodies] = 0.0
        self.settle()

    def copy(self, bodies: slice, other: HingeDrift, others_bodies: slice) -> None:
        """Take the gaps of the same bodies in another world; `settle` has to follow."""
        self._errors[:, :, bodies] = other._errors[:, :, others_bodies]


def _cross(first: Array, second: Array) -> Array:
    """Cross products (3, n) of vectors (5, n) with the rows x, y, z, x, y."""
    product: Array = first[1:4] * second[2:]
    product -= first[2:] * second[1:4]
    return product
