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

_NEXT, _NEXT_BUT_ONE = np.array([1, 2, 0]), np.array([2, 0, 1])


class HingeDrift:
    """The gaps of all hinges of one compiled world.

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
        self._anchors = anchors
        bodies = anchors.shape[1]
        self._parents = model.body_parentid[:bodies].copy()
        self._positions: Array = model.body_pos[:bodies]
        self._home = self._positions.copy()
        self.gap: Array = np.zeros((bodies, 3))
        self._rotations: Array = data.xmat[:bodies].reshape(-1, 3, 3)
        self._spin: Array = data.cvel[:bodies, :3]
        self._turns: Array = np.empty((2, bodies, 3, 3))
        self._spins: Array = np.empty((2, bodies, 3))
        self._before = self._anchors_now()
        self._chains = _chains(model, bodies)

    def _anchors_now(self) -> Array:
        """(2, bodies, 3) the anchors in the world's axes."""
        self._turns[0] = self._rotations
        self._rotations.take(self._parents, 0, out=self._turns[1], mode="clip")
        now: Array = np.einsum("knij,knj->kni", self._turns, self._anchors)
        return now

    def advance(self) -> None:
        """After a step and the kinematics of its result; leaves the kinematics with the gaps."""
        model, data = self._model, self._data
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        spins, before, now = self._spins, self._before, self._anchors_now()
        spins[0] = self._spin
        spins[0].take(self._parents, 0, out=spins[1], mode="clip")
        tangent = spins.take(_NEXT, 2)
        tangent *= before.take(_NEXT_BUT_ONE, 2)
        tangent -= spins.take(_NEXT_BUT_ONE, 2) * before.take(_NEXT, 2)
        tangent *= self._step
        parting = now - before
        parting -= tangent
        gap = self.gap
        gap *= self._kept
        gap += parting[0]
        gap += parting[1]
        np.minimum(gap, self._most, out=gap)
        np.maximum(gap, -self._most, out=gap)
        self._before = now
        self._shift()

    def _shift(self) -> None:
        np.add(self._home, np.einsum("nj,njk->nk", self.gap, self._turns[1]), out=self._positions)
        mujoco.mj_kinematics(self._model, self._data)

    def closing(self, geoms: IntArray, frames: Array) -> Array:
        """Velocities of contacts that stem from gaps being taken back.

        Args:
            geoms: (K, 2) that touch.
            frames: (K, 3, 3) normal from the first to the second, and two tangents, as rows, world frame.

        Returns:
            (K, 3) velocity of the second against the first along the rows, m/s.
        """
        sums = self.gap.take(self._chains.take(geoms, 0), 0).sum(2)
        parted = sums[:, 0] - sums[:, 1]
        parted *= (1.0 - self._kept) / self._step
        rows: Array = np.einsum("kij,kj->ki", frames, parted)
        return rows

    def close(self, bodies: slice) -> None:
        """Close the hinges of bodies that were put somewhere; leaves the kinematics without their gaps."""
        self.gap[bodies] = 0.0
        self._positions[bodies] = self._home[bodies]
        mujoco.mj_kinematics(self._model, self._data)
        self._before[:, bodies] = self._anchors_now()[:, bodies]

    def copy(self, bodies: slice, other: HingeDrift, others_bodies: slice) -> None:
        """Take the gaps of the same bodies in another world; `settle` has to follow."""
        self.gap[bodies] = other.gap[others_bodies]
        self._positions[bodies] = other._positions[others_bodies]

    def settle(self) -> None:
        """Start from where everything is now, with the gaps there are."""
        mujoco.mj_kinematics(self._model, self._data)
        self._before = self._anchors_now()


def _chains(model: Any, bodies: int) -> IntArray:
    """(geoms, longest chain) bodies from that of each geom to its base; filled up with the world, which has no gap."""
    chains = []
    for body in model.geom_bodyid.tolist():
        chain = []
        while 0 < body < bodies:
            chain.append(body)
            body = int(model.body_parentid[body])
        chains.append(chain)
    longest = max(map(len, chains), default=1)
    return np.array([chain + [0] * (longest - len(chain)) for chain in chains], np.int64).reshape(len(chains), -1)
