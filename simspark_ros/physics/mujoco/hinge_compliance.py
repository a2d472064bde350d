"""Lets hinges come apart as they do in ODE, whose bodies move separately.

In one step of length h a body turning with w carries its anchor (at r from its centre) along the tangent h w x r
instead of the arc, so that the anchors of the two bodies of a hinge part by a term of second order; ODE takes back the
part ERP of that per step. At 20 ms a kicking foot is up to 22 mm off. The gap d of each hinge follows

    d = (1 - ERP) d + [rc1 - rc0 - h wc x rc0] - [rp1 - rp0 - h wp x rp0]

(r = anchor relative to the centre, c child, p parent, 0 and 1 before and after the step, world frame), and the child is
shifted by it against its parent.

ODE takes a gap back by a velocity, -ERP d / h of the child against its parent, and contacts resist it: the foot that
carries the robot pushes it instead. Without that a long-legged robot leans differently when it kicks, and kicks weakly.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.mujoco.settings import MujocoSettings


class HingeDrift:
    """The gaps of all hinges of one compiled world, closed at first; hinges are among the first `bodies` bodies.

    Arrays have one long row for each of x, y and z, which is quick to compute with. Those of anchors hold x and y once
    more behind z: rows 1 to 3 and 2 to 4 are then what cross products need.

    Attributes:
        gap: (bodies, 3) of the hinge that carries each body, world frame, m.
        carriers: (number of geoms,) body of each; the world itself for bodies without hinges.
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
        self._home = self._positions.copy()
        self._anchors, self._all_centres = data.xanchor, data.xpos
        self._centres: Array = data.xpos[:bodies]
        self._turns: Array = data.xmat
        self._spins: Array = data.cvel
        self._gaps: Array = np.zeros((3, bodies))
        self.gap: Array = self._gaps.T
        # How far each body is from where it would be without gaps.
        self._off: Array = np.zeros((bodies, 3))
        carried = model.geom_bodyid.astype(np.int64)
        self.carriers: IntArray = np.where(carried < bodies, carried, 0)
        parents = model.body_parentid[:bodies]
        self._turn_index = 9 * parents + np.arange(9).reshape(3, 3, 1)
        self._index_anchors(model, parents)
        self._before: Array = np.empty(self._anchor_index.shape)
        self._now = self._before.copy()
        self._close_all(self._before)

    def _index_anchors(self, model: Any, parents: IntArray) -> None:
        """Columns: all bodies, then the parent of each."""
        joints, bodies = model.body_jntadr[: self._bodies], np.arange(self._bodies)
        hinged = (joints >= 0) & (model.jnt_type[joints] == mujoco.mjtJoint.mjJNT_HINGE)
        # The anchor of a free joint is the centre of its body: the difference is nothing where there is no hinge.
        anchors = np.where(hinged, joints, 0)
        centres = [np.where(hinged, one, model.jnt_bodyid[0]) for one in (bodies, parents)]
        xyzxy = np.array([[0], [1], [2], [0], [1]])
        self._anchor_index = 3 * np.concatenate((anchors, anchors)) + xyzxy
        self._centre_index = 3 * np.concatenate(centres) + xyzxy
        self._spin_index = 6 * np.concatenate((bodies, parents)) + xyzxy

    def _close_all(self, anchors: Array) -> None:
        """Leave the kinematics as they would be without gaps; write anchors relative to centres, world frame."""
        self._positions[:] = self._home
        mujoco.mj_kinematics(self._model, self._data)
        self._read_anchors(anchors)

    def _read_anchors(self, anchors: Array) -> None:
        """Write anchors relative to centres as the kinematics have them."""
        np.subtract(self._anchors.take(self._anchor_index), self._all_centres.take(self._centre_index), out=anchors)

    def _open_all(self) -> None:
        """Leave the kinematics with the gaps."""
        # Into the axes of each body's parent.
        turned = self._turns.take(self._turn_index)
        turned *= self._gaps[:, None]
        shifts = turned[0]
        shifts += turned[1]
        shifts += turned[2]
        np.add(self._home, shifts.T, out=self._positions)
        closed = self._centres.copy()
        mujoco.mj_kinematics(self._model, self._data)
        np.subtract(self._centres, closed, out=self._off)

    def advance(self) -> None:
        """After a step; leaves the kinematics of its result, with the gaps."""
        before, now, gaps = self._before, self._now, self._gaps
        self._close_all(now)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)
        spins = self._spins.take(self._spin_index)
        tangent = spins[1:4] * before[2:]
        tangent -= spins[2:] * before[1:4]
        tangent *= self._step
        parting = now[:3] - before[:3]
        parting -= tangent
        gaps *= self._kept
        gaps += parting[:, : self._bodies]
        gaps -= parting[:, self._bodies :]
        np.minimum(gaps, self._most, out=gaps)
        np.maximum(gaps, -self._most, out=gaps)
        self._before, self._now = now, before
        self._open_all()

    def closing(self, first: IntArray, second: IntArray, frames: Array) -> Array:
        """Velocities of contacts from gaps being taken back: of the second against the first body, (K, 3), m/s.

        first, second: (K,) bodies that touch, see `carriers`; frames: (K, 3, 3) normal from the first to the second and
        two tangents, as rows, world frame, along which the velocities are.
        """
        parted = self._off.take(first, 0)
        parted -= self._off.take(second, 0)
        parted *= self._rate
        rows: Array = np.matmul(frames, parted[:, :, None])[:, :, 0]
        return rows

    def close(self, bodies: slice) -> None:
        """Close the hinges of bodies that were put somewhere; leaves the kinematics without their gaps."""
        self.gap[bodies] = 0.0
        self._off[bodies] = 0.0
        self._positions[bodies] = self._home[bodies]
        mujoco.mj_kinematics(self._model, self._data)
        now = np.empty_like(self._before)
        self._read_anchors(now)
        both = (len(now), 2, self._bodies)
        self._before.reshape(both)[:, :, bodies] = now.reshape(both)[:, :, bodies]

    def copy(self, bodies: slice, other: HingeDrift, others_bodies: slice) -> None:
        """Take the gaps of the same bodies in another world; `settle` has to follow."""
        self.gap[bodies] = other.gap[others_bodies]

    def settle(self) -> None:
        """Start from where everything is now, with the gaps there are."""
        self._close_all(self._before)
        self._open_all()
