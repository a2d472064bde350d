# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Reading the state of all robots out of a MuJoCo world."""

import cython


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ReadoutKernel:
    """Reads N robots with J joints, and the ball. All arrays are shared with other code.

    Attributes:
        positions, velocities: generalised positions and velocities; the ball has the first seven and six.
        centres, rotations: (bodies, 3) and (bodies, 9) origins and orientations of bodies, world frame.
        bases: (N,) body of each base.
        base_velocities: (N,) index of the first of each base's six velocities; -1 for a base that never moves.
        joint_positions, joint_velocities: (J,) index of each joint in `positions` and `velocities`.
        motors: (J,) motor of each joint.
        efforts: (J,) efforts of the motors in the last step.
        ball: whether there is a ball.
        harmless: (positions + velocities,) the largest numbers that need no closer look.
    """

    positions: cython.double[::1]
    velocities: cython.double[::1]
    centres: cython.double[:, ::1]
    rotations: cython.double[:, ::1]
    bases: cython.longlong[::1]
    base_velocities: cython.longlong[::1]
    joint_positions: cython.longlong[::1]
    joint_velocities: cython.longlong[::1]
    motors: cython.longlong[::1]
    efforts: cython.double[::1]
    ball: cython.bint
    harmless: cython.double[::1]

    def is_harmless(self) -> cython.bint:
        """Whether no position and velocity is so large that it needs a closer look; NaN is not harmless."""
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = self.positions.shape[0]
        for i in range(count):
            if not -self.harmless[i] <= self.positions[i] <= self.harmless[i]:
                return False
        for i in range(self.velocities.shape[0]):
            if not -self.harmless[count + i] <= self.velocities[i] <= self.harmless[count + i]:
                return False
        return True

    def read_bases(self, numbers: cython.double[::1]) -> None:
        """Write positions (N, 3), rotations (N, 3, 3), linear and angular velocities (N, 3) of the bases, world."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        count: cython.Py_ssize_t = self.bases.shape[0]
        for i in range(count):
            body: cython.longlong = self.bases[i]
            start: cython.longlong = self.base_velocities[i]
            for n in range(3):
                numbers[3 * i + n] = self.centres[body, n]
                numbers[12 * count + 3 * i + n] = self.velocities[start + n] if start >= 0 else 0.0
                # A free joint's angular velocity is in the axes of the body.
                numbers[15 * count + 3 * i + n] = self._turn(body, n, start + 3) if start >= 0 else 0.0
            for n in range(9):
                numbers[3 * count + 9 * i + n] = self.rotations[body, n]

    def read_joints(self, numbers: cython.double[:, ::1]) -> None:
        """Write positions and velocities of all joints, (2, J)."""
        j: cython.Py_ssize_t
        for j in range(self.motors.shape[0]):
            numbers[0, j] = self.positions[self.joint_positions[j]]
            numbers[1, j] = self.velocities[self.joint_velocities[j]]

    def read_efforts(self, others: cython.double[:], numbers: cython.double[::1]) -> None:
        """Write the efforts of all joints, (J,), of motors and of others."""
        j: cython.Py_ssize_t
        for j in range(self.motors.shape[0]):
            numbers[j] = self.efforts[self.motors[j]] + others[j]

    def read_ball(self, numbers: cython.double[:, ::1]) -> None:
        """Write position, velocity and angular velocity of the ball, (3, 3), world frame; zeros without one."""
        n: cython.Py_ssize_t
        for n in range(3):
            numbers[0, n] = self.positions[n] if self.ball else 0.0
            numbers[1, n] = self.velocities[n] if self.ball else 0.0
            numbers[2, n] = self._turn(1, n, 3) if self.ball else 0.0

    @cython.cfunc
    def _turn(self, body: cython.longlong, n: cython.Py_ssize_t, start: cython.longlong) -> cython.double:
        """One component, world frame, of the velocity that begins at `start` and is in the axes of a body."""
        return (
            self.rotations[body, 3 * n] * self.velocities[start]
            + self.rotations[body, 3 * n + 1] * self.velocities[start + 1]
            + self.rotations[body, 3 * n + 2] * self.velocities[start + 2]
        )
