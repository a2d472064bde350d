# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Velocities of links from the velocities of joints, and forces on links as efforts of the joints.

The recursive Newton-Euler algorithm (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 5.3), for all robots
of a world at once.
"""

import cython


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class RobotTrees:
    """P links of all robots: each after the link that carries it. All arrays are shared; vectors: the world frame.

    Attributes:
        step: length of a step, s.
        parents: (P,) link that carries each link; -1 for a base.
        robots: (P,) number of the robot.
        hinges: (P,) number of the hinge that carries each link, among the joints of all robots; -1 for a base, and for
            a link that is fixed to its parent.
        home_axes: (P, 3) axis of that hinge, in the link's axes.
        home_levers: (P, 3) lever from that hinge's anchor to the link's centre of mass, in the link's axes, m.
        centres: (P, 3) centres of mass with closed hinges, m.
        rotations: (P, 9) rotations of the links.
        principal: (P, 9) principal axes of the links' inertias, as columns, in the links' axes.
        turns: (P, 9) room for these axes in the world.
        masses: (P,) masses over the length of a step, kg/s.
        inertias: (P, 3) principal inertias over the length of a step, kg m^2/s.
        axes, levers, arms: (P, 3) room for axes, levers, and arms from the parent's centre to the anchor.
        velocities: (P, 6) linear and angular velocities of the centres with closed hinges, m/s and rad/s.
        accelerations: (P, 6) accelerations of the centres while base and joints keep their velocities.
        forces: (P, 6) forces and torques on the links' centres, N and N m.
    """

    step: cython.double
    parents: cython.longlong[::1]
    robots: cython.longlong[::1]
    hinges: cython.longlong[::1]
    home_axes: cython.double[:, ::1]
    home_levers: cython.double[:, ::1]
    centres: cython.double[:, ::1]
    rotations: cython.double[:, ::1]
    principal: cython.double[:, ::1]
    turns: cython.double[:, ::1]
    masses: cython.double[::1]
    inertias: cython.double[:, ::1]
    axes: cython.double[:, ::1]
    levers: cython.double[:, ::1]
    arms: cython.double[:, ::1]
    velocities: cython.double[:, ::1]
    accelerations: cython.double[:, ::1]
    forces: cython.double[:, ::1]

    def look(self) -> None:
        """Find axes, levers and arms at the links' present places."""
        link: cython.Py_ssize_t
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for link in range(self.parents.shape[0]):
            up: cython.longlong = self.parents[link]
            for n in range(3):
                self.axes[link, n] = _turned(self.rotations, link, n, self.home_axes)
                self.levers[link, n] = _turned(self.rotations, link, n, self.home_levers)
                for k in range(3):
                    self.turns[link, 3 * n + k] = (
                        self.rotations[link, 3 * n] * self.principal[link, k]
                        + self.rotations[link, 3 * n + 1] * self.principal[link, 3 + k]
                        + self.rotations[link, 3 * n + 2] * self.principal[link, 6 + k]
                    )
                if up >= 0:
                    self.arms[link, n] = self.centres[link, n] - self.levers[link, n] - self.centres[up, n]

    def move(self, linear: cython.double[:, :], angular: cython.double[:, :], rates: cython.double[:]) -> None:
        """Find velocities and accelerations, where `look` saw the links.

        Args:
            linear: (robots, 3) velocities of the bases' centres of mass, m/s.
            angular: (robots, 3) angular velocities of the bases, rad/s.
            rates: (joints,) velocities of the joints.
        """
        link: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for link in range(self.parents.shape[0]):
            if self.parents[link] >= 0:
                self._follow(link, rates[self.hinges[link]] if self.hinges[link] >= 0 else 0.0)
                continue
            for n in range(3):
                self.velocities[link, n] = linear[self.robots[link], n]
                self.velocities[link, 3 + n] = angular[self.robots[link], n]
                self.accelerations[link, n] = 0.0
                self.accelerations[link, 3 + n] = 0.0

    @cython.cfunc
    def _follow(self, link: cython.Py_ssize_t, rate: cython.double) -> cython.void:
        """Find the motion of a link from its parent's motion and the rate of the hinge between them."""
        up: cython.longlong = self.parents[link]
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        n: cython.Py_ssize_t
        turn = cython.declare(cython.double[3])
        by_parent = cython.declare(cython.double[3])
        by_link = cython.declare(cython.double[3])
        for n in range(3):
            turn[n] = self.axes[link, n] * rate
            self.velocities[link, 3 + n] = self.velocities[up, 3 + n] + turn[n]
        for n in range(3):
            i = (n + 1) % 3
            j = (n + 2) % 3
            # The axis of a hinge turns with the link above.
            self.accelerations[link, 3 + n] = self.accelerations[up, 3 + n] + (
                self.velocities[up, 3 + i] * turn[j] - self.velocities[up, 3 + j] * turn[i]
            )
            by_parent[n] = (
                self.velocities[up, 3 + i] * self.arms[link, j] - self.velocities[up, 3 + j] * self.arms[link, i]
            )
            by_link[n] = (
                self.velocities[link, 3 + i] * self.levers[link, j]
                - self.velocities[link, 3 + j] * self.levers[link, i]
            )
            self.velocities[link, n] = self.velocities[up, n] + by_parent[n] + by_link[n]
        for n in range(3):
            i = (n + 1) % 3
            j = (n + 2) % 3
            # Each arm is accelerated by the change of its link's spin, and to the centre: spin x (spin x arm).
            self.accelerations[link, n] = (
                self.accelerations[up, n]
                + (
                    self.accelerations[up, 3 + i] * self.arms[link, j]
                    - self.accelerations[up, 3 + j] * self.arms[link, i]
                )
                + (self.velocities[up, 3 + i] * by_parent[j] - self.velocities[up, 3 + j] * by_parent[i])
                + self.accelerations[link, 3 + i] * self.levers[link, j]
                - self.accelerations[link, 3 + j] * self.levers[link, i]
                + (self.velocities[link, 3 + i] * by_link[j] - self.velocities[link, 3 + j] * by_link[i])
            )

    def load(self) -> None:
        """Set `forces` to forces that keep bodies straight, less forces that make their present momenta in a step."""
        link: cython.Py_ssize_t
        n: cython.Py_ssize_t
        spin = cython.declare(cython.double[3])
        change = cython.declare(cython.double[3])
        momentum = cython.declare(cython.double[3])
        gained = cython.declare(cython.double[3])
        for link in range(self.parents.shape[0]):
            for n in range(3):
                self.forces[link, n] = self.masses[link] * (
                    self.accelerations[link, n] * self.step - self.velocities[link, n]
                )
                # In the principal axes, and back below.
                spin[n] = self._along(link, n, self.velocities)
                change[n] = self._along(link, n, self.accelerations)
            for n in range(3):
                momentum[n] = self.inertias[link, n] * spin[n]
                gained[n] = self.inertias[link, n] * (change[n] * self.step - spin[n])
            # Euler's equation: a body that turns freely keeps its angular momentum, but not its spin.
            gained[0] += (spin[1] * momentum[2] - spin[2] * momentum[1]) * self.step
            gained[1] += (spin[2] * momentum[0] - spin[0] * momentum[2]) * self.step
            gained[2] += (spin[0] * momentum[1] - spin[1] * momentum[0]) * self.step
            for n in range(3):
                self.forces[link, 3 + n] = (
                    self.turns[link, 3 * n] * gained[0]
                    + self.turns[link, 3 * n + 1] * gained[1]
                    + self.turns[link, 3 * n + 2] * gained[2]
                )

    @cython.cfunc
    def _along(self, link: cython.Py_ssize_t, n: cython.Py_ssize_t, motion: cython.double[:, ::1]) -> cython.double:
        """Angular part of a motion along a principal axis."""
        return (
            self.turns[link, n] * motion[link, 3]
            + self.turns[link, 3 + n] * motion[link, 4]
            + self.turns[link, 6 + n] * motion[link, 5]
        )

    def carry(self, wrenches: cython.double[:, ::1], efforts: cython.double[::1]) -> None:
        """Turn the forces, which are lost, into forces and torques on bases and efforts of hinges.

        Args:
            wrenches: (robots, 6) forces and torques on the bases' centres, added to, N and N m.
            efforts: (joints,) efforts, added to, N m.
        """
        link: cython.Py_ssize_t
        n: cython.Py_ssize_t
        # From the ends of limbs to the bases, so that a link has the forces of all links beyond it.
        for link in range(self.parents.shape[0] - 1, -1, -1):
            up: cython.longlong = self.parents[link]
            if up < 0:
                for n in range(6):
                    wrenches[self.robots[link], n] += self.forces[link, n]
                continue
            # About the anchor.
            self._shift_force(link, self.levers)
            if self.hinges[link] >= 0:
                efforts[self.hinges[link]] += (
                    self.axes[link, 0] * self.forces[link, 3]
                    + self.axes[link, 1] * self.forces[link, 4]
                    + self.axes[link, 2] * self.forces[link, 5]
                )
            self._shift_force(link, self.arms)
            for n in range(6):
                self.forces[up, n] += self.forces[link, n]

    @cython.cfunc
    def _shift_force(self, link: cython.Py_ssize_t, arms: cython.double[:, ::1]) -> cython.void:
        """Take the torque of a link about the beginning of an arm that ends where it was."""
        x: cython.double = self.forces[link, 0]
        y: cython.double = self.forces[link, 1]
        z: cython.double = self.forces[link, 2]
        self.forces[link, 3] += arms[link, 1] * z - arms[link, 2] * y
        self.forces[link, 4] += arms[link, 2] * x - arms[link, 0] * z
        self.forces[link, 5] += arms[link, 0] * y - arms[link, 1] * x


@cython.cfunc
@cython.inline
def _turned(
    rotations: cython.double[:, ::1], link: cython.Py_ssize_t, n: cython.Py_ssize_t, vectors: cython.double[:, ::1]
) -> cython.double:
    """One component of a link's vector, turned by its rotation."""
    return (
        rotations[link, 3 * n] * vectors[link, 0]
        + rotations[link, 3 * n + 1] * vectors[link, 1]
        + rotations[link, 3 * n + 2] * vectors[link, 2]
    )
