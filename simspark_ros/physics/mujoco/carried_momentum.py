"""Lets bodies enter a step with the momenta of the step before, as they do in ODE; see `hinge_compliance`."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from simspark_ros.kernels.momentum import MomentumKernel
from simspark_ros.physics.engine import Array
from simspark_ros.physics.mujoco.hinge_compliance import HingeDrift


class CarriedMomentum:
    """The momenta of the robots' bodies, from body `first` to the last one whose hinges may drift.

    Forces bring every body from its momentum of the last step to the momentum that its joints' velocities mean at its
    present place. These forces replace gravity and the forces that MuJoCo computes for turning bodies.

    Args:
        velocities: (bodies, 6) view of MuJoCo's readings of linear and angular velocities, world frame.
        forces: (bodies, 6) view of the forces and torques on bodies in the coming step.
    """

    def __init__(self, model: Any, data: Any, first: int, drift: HingeDrift, velocities: Array, forces: Array) -> None:
        self._model, self._data = model, data
        self._first = first
        bodies = slice(first, first + len(velocities))
        self._motion: Array = drift.motion[bodies]
        self._rate = 1.0 / model.opt.timestep
        # The ball, whose six velocities come first, takes no part.
        own = slice(6 * (first - 1), model.nv)
        self._momentum: Array = np.zeros(model.nv)
        self._own_momentum = self._momentum[own]
        self._applied, self._bias = data.qfrc_applied[own], data.qfrc_bias[own]
        self._speeds: Array = data.qvel
        self._carried: Array = np.zeros((len(velocities), 6))
        self._unknown = np.ones(len(velocities), np.bool_)
        self._any_unknown = True
        self._kernel = MomentumKernel(
            velocities=velocities,
            forces=forces,
            closing_velocity=drift.closing_velocity[bodies],
            closing_spin=drift.closing_spin[bodies],
            turns=data.ximat[bodies],
            masses=model.body_mass[bodies] * self._rate,
            inertias=model.body_inertia[bodies] * self._rate,
            weights=model.body_mass[bodies, None] * model.opt.gravity,
            motion=self._motion,
            carried=self._carried,
            unknown=self._unknown.view(np.uint8),
        )

    def apply(self) -> None:
        """Add to the forces of the coming step, between its two halves; sets the generalised forces."""
        if self._any_unknown:
            self._kernel.learn()
            self._any_unknown = False
        self._kernel.apply()
        # Takes MuJoCo's own turning forces away, and the present momentum, for which the kernel adds the last one.
        mujoco.mj_mulM(self._model, self._data, self._momentum, self._speeds)
        self._own_momentum *= self._rate
        np.subtract(self._bias, self._own_momentum, out=self._applied)

    def keep(self) -> None:
        """Remember the momenta after a step, from the poses at its beginning and the velocities that fit them."""
        self._kernel.keep()

    def forget(self, bodies: slice) -> None:
        """Forget the momenta of bodies that were put somewhere or got other velocities."""
        self._unknown[self._places(bodies)] = True
        self._any_unknown = True

    def copy(self, bodies: slice, other: CarriedMomentum, others_bodies: slice) -> None:
        """Take the momenta of the same bodies in another world."""
        here, there = self._places(bodies), other._places(others_bodies)
        self._carried[here], self._unknown[here] = other._carried[there], other._unknown[there]
        self._motion[here] = other._motion[there]

    def _places(self, bodies: slice) -> slice:
        return slice(bodies.start - self._first, bodies.stop - self._first)
