# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bodies that enter a step with the momenta of the step before: the loops of `physics.mujoco.carried_momentum`."""

import cython


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class MomentumKernel:
    """The momenta of B bodies. Motions, momenta and forces are (B, 6), linear and angular, in the world frame.

    All arrays are shared with other code.

    Attributes:
        velocities: velocities of the bodies' centres of mass, without the ones that close gaps, m/s and rad/s.
        forces: forces and torques on the bodies in the coming step, N and N m.
        closing_velocity, closing_spin: (B, 3) velocities that take gaps and tilts back, m/s and rad/s.
        turns: (B, 9) principal axes of the inertias in the world.
        masses: (B,) masses over the length of a step, kg/s.
        inertias: (B, 3) principal inertias over the length of a step, kg m^2/s.
        weights: (B, 3) weights, N.
        motion: velocities in the last step, including velocities that close gaps.
        carried: forces that make the momenta of the last step in one step, with the weight.
        unknown: (B,) whether the momentum of a body is not known, as for bodies that were put somewhere.
    """

    velocities: cython.double[:, ::1]
    forces: cython.double[:, ::1]
    closing_velocity: cython.double[:, ::1]
    closing_spin: cython.double[:, ::1]
    turns: cython.double[:, ::1]
    masses: cython.double[::1]
    inertias: cython.double[:, ::1]
    weights: cython.double[:, ::1]
    motion: cython.double[:, ::1]
    carried: cython.double[:, ::1]
    unknown: cython.uchar[::1]

    def learn(self) -> None:
        """Let bodies with unknown momenta start as if nothing had turned in the last step."""
        b: cython.Py_ssize_t
        for b in range(self.unknown.shape[0]):
            if self.unknown[b]:
                self._keep(b)
                self.unknown[b] = 0

    def apply(self) -> None:
        """Add to the forces what brings each body from its momentum to the momentum that closing a gap takes."""
        b: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for b in range(self.unknown.shape[0]):
            for n in range(3):
                self.forces[b, n] = (
                    self.forces[b, n] + self.carried[b, n] - self.masses[b] * self.closing_velocity[b, n]
                )
                self.forces[b, 3 + n] += self.carried[b, 3 + n]
            self._add_spin_momentum(
                b, self.closing_spin[b, 0], self.closing_spin[b, 1], self.closing_spin[b, 2], -1.0, self.forces
            )

    def keep(self) -> None:
        """Remember motions and momenta after a step, from the poses at its beginning and velocities that fit them."""
        b: cython.Py_ssize_t
        for b in range(self.unknown.shape[0]):
            self._keep(b)

    @cython.cfunc
    def _keep(self, b: cython.Py_ssize_t) -> cython.void:
        n: cython.Py_ssize_t
        for n in range(3):
            self.motion[b, n] = self.velocities[b, n] + self.closing_velocity[b, n]
            self.motion[b, 3 + n] = self.velocities[b, 3 + n] + self.closing_spin[b, n]
            # With the weight, as these forces replace the engine's gravity, too.
            self.carried[b, n] = self.motion[b, n] * self.masses[b] + self.weights[b, n]
            self.carried[b, 3 + n] = 0.0
        self._add_spin_momentum(b, self.motion[b, 3], self.motion[b, 4], self.motion[b, 5], 1.0, self.carried)

    @cython.cfunc
    def _add_spin_momentum(
        self,
        b: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        z: cython.double,
        sign: cython.double,
        to: cython.double[:, ::1],
    ) -> cython.void:
        """Add the torque that makes the angular momentum of a body with this spin in one step, N m."""
        n: cython.Py_ssize_t
        # In the principal axes and back.
        u: cython.double = (self.turns[b, 0] * x + self.turns[b, 3] * y + self.turns[b, 6] * z) * self.inertias[b, 0]
        v: cython.double = (self.turns[b, 1] * x + self.turns[b, 4] * y + self.turns[b, 7] * z) * self.inertias[b, 1]
        w: cython.double = (self.turns[b, 2] * x + self.turns[b, 5] * y + self.turns[b, 8] * z) * self.inertias[b, 2]
        for n in range(3):
            to[b, 3 + n] += sign * (
                self.turns[b, 3 * n] * u + self.turns[b, 3 * n + 1] * v + self.turns[b, 3 * n + 2] * w
            )
