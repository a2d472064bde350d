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
from simspark_ros.physics.mujoco_settings import MujocoSettings


class HingeDrift:
    """The gaps of all hinges of one compiled world.

    Arrays have one long row for each of x, y and z, which is quick to compute with. Those of anchors hold x and y once
    more behind z: rows 1 to 3 and 2 to 4 are then what cross products need.

    Attributes:
        gap: (bodies, 3) of the hinge that carries each body, world frame, m.
    """

    def __init__(self, settings: MujocoSettings, model: Any, data: Any, anchors: Array) -> None:
        """Start without gaps.

        Args:
            settings: of the engine.
            model: the world's MjModel.
            data: its MjData.
            anchors: (2, bodies, 3) of the hinge that carries each body, relative to the centre of the body, in its
                axes, and relative to that of its parent, in the parent's axes, and negated; zeros without a hinge. The
                boxes, MuJoCo's last bodies, can be left out.
        """
        self._model, self._data = model, data
        self._step = settings.cycle_time
        self._kept = 1.0 - settings.hinge_erp
        self._most = settings.max_hinge_drift
        self._bodies = bodies = anchors.shape[1]
        self._positions: Array = model.body_pos[:bodies].T
        self._home = self._positions.copy()
        self._gaps: Array = np.zeros((3, bodies))
        self.gap: Array = self._gaps.T
        # Columns: all bodies, then the parent of each.
        carriers = np.concatenate((np.arange(bodies), model.body_parentid[:bodies]))
        self._anchors: Array = anchors.reshape(-1, 3).T.copy()
        self._rotations: Array = data.xmat.reshape(-1)
        self._rotation_index = 9 * carriers + np.arange(9).reshape(3, 3, 1)
        self._turns: Array = np.empty(self._rotation_index.shape)
        self._spins: Array = data.cvel.reshape(-1)
        self._spin_index = 6 * carriers + np.array([[0], [1], [2], [0], [1]])
        self._before: Array = np.empty(self._spin_index.shape)
        self._now = self._before.copy()
        self._turn_anchors(self._before)
        self._chains = _chains(model, bodies)

    def _turn_anchors(self, turned: Array) -> None:
        """Write the anchors in the world's axes, (5, columns)."""
        self._rotations.take(self._rotation_index, out=self._turns, mode="clip")
        np.einsum("ijm,jm->im", self._turns, self._anchors, out=turned[:3])
        turned[3:] = turned[:2]

    def advance(self) -> None:
        """After a step and the kinematics of its result; leaves the kinematics with the gaps."""
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)
        before, now, gaps = self._before, self._now, self._gaps
        self._turn_anchors(now)
        spins = self._spins.take(self._spin_index)
        tangent = spins[1:4] * before[2:]
        tangent -= spins[2:] * before[1:4]
        tangent *= self._step
        parting = now[:3] - before[:3]
        parting -= tangent
        gaps *= self._kept
        gaps += parting[:, : self._bodies]
        gaps += parting[:, self._bodies :]
        np.minimum(gaps, self._most, out=gaps)
        np.maximum(gaps, -self._most, out=gaps)
        self._before, self._now = now, before
        self._shift()

    def _shift(self) -> None:
        shifts = np.einsum("jm,jkm->km", self._gaps, self._turns[:, :, self._bodies :])
        np.add(self._home, shifts, out=self._positions)
        mujoco.mj_kinematics(self._model, self._data)

    def closing(self, geoms: IntArray, frames: Array) -> Array:
        """Velocities of contacts that stem from gaps being taken back.

        Args:
            geoms: (K, 2) that touch.
            frames: (K, 3, 3) normal from the first to the second, and two tangents, as rows, world frame.

        Returns:
            (K, 3) velocity of the second against the first along the rows, m/s.
        """
        sums = np.add.reduce(self._gaps.take(self._chains.take(geoms, 1), 1), 1)
        parted = sums[:, :, 0] - sums[:, :, 1]
        parted *= (1.0 - self._kept) / self._step
        rows: Array = np.einsum("kij,jk->ki", frames, parted)
        return rows

    def close(self, bodies: slice) -> None:
        """Close the hinges of bodies that were put somewhere; leaves the kinematics without their gaps."""
        self.gap[bodies] = 0.0
        self._positions[:, bodies] = self._home[:, bodies]
        mujoco.mj_kinematics(self._model, self._data)
        self._turn_anchors(self._now)
        both = (5, 2, self._bodies)
        self._before.reshape(both)[:, :, bodies] = self._now.reshape(both)[:, :, bodies]

    def copy(self, bodies: slice, other: HingeDrift, others_bodies: slice) -> None:
        """Take the gaps of the same bodies in another world; `settle` has to follow."""
        self.gap[bodies] = other.gap[others_bodies]
        self._positions[:, bodies] = other._positions[:, others_bodies]

    def settle(self) -> None:
        """Start from where everything is now, with the gaps there are."""
        mujoco.mj_kinematics(self._model, self._data)
        self._turn_anchors(self._before)


def _chains(model: Any, bodies: int) -> IntArray:
    """(longest chain, geoms) bodies from that of each geom to its base; filled up with the world, which has no gap."""
    chains = []
    for body in model.geom_bodyid.tolist():
        chain = []
        while 0 < body < bodies:
            chain.append(body)
            body = int(model.body_parentid[body])
        chains.append(chain)
    longest = max(map(len, chains), default=1)
    rows = [chain + [0] * (longest - len(chain)) for chain in chains]
    return np.array(rows, np.int64).reshape(len(chains), -1).T.copy()
