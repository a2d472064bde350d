# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Reading the state of all robots out of a MuJoCo world."""

import cython


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ReadoutKernel:
    """Reads N robots with J joints and T touch links, and the ball. All arrays are shared with other code.

    Attributes:
        positions, velocities: generalised positions and velocities; the ball has the first seven and six.
        centres, rotations: (bodies, 3) and (bodies, 9) origins and orientations of bodies, world frame.
        bases: (N,) body of each base.
        base_velocities: (N,) index of the first of each base's six velocities; -1 for a base that never moves.
        joint_positions, joint_velocities: (J,) index of each joint in `positions` and `velocities`.
        motors: (J,) motor of each joint.
        efforts: (J,) efforts of the motors in the last step.
        touch_bodies: (T,) body of each touch link.
        readings: (T, 7) number of contacts, force, N, and point, m, world frame.
        ball: whether there is a ball.
        harmless: (positions + velocities,) the largest numbers that need no closer look.
        base_motion: (3, N, 3) positions, linear and angular velocities of the bases, world frame, written.
        base_turns: (N, 3, 3) their rotations, written.
        joints: (2, J) positions and velocities of the joints, written.
        joint_efforts: (J,) efforts of the joints, written.
        ball_motion: (3, 3) position, velocity and angular velocity of the ball, written: zeros without one.
        touching: (T,) whether a link touches anything, written.
        touches: (2, T, 3) point, m, and force, N, in the link's axes from its centre, written; zeros without contact.
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
    touch_bodies: cython.longlong[::1]
    readings: cython.double[:, ::1]
    ball: cython.bint
    harmless: cython.double[::1]
    base_motion: cython.double[:, :, ::1]
    base_turns: cython.double[:, :, ::1]
    joints: cython.double[:, ::1]
    joint_efforts: cython.double[::1]
    ball_motion: cython.double[:, ::1]
    touching: cython.uchar[::1]
    touches: cython.double[:, :, ::1]

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

    def read_motion(self) -> None:
        """Read bases and joints."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for i in range(self.bases.shape[0]):
            body: cython.longlong = self.bases[i]
            start: cython.longlong = self.base_velocities[i]
            for n in range(3):
                self.base_motion[0, i, n] = self.centres[body, n]
                self.base_motion[1, i, n] = self.velocities[start + n] if start >= 0 else 0.0
                # A free joint's angular velocity is in the axes of the body.
                self.base_motion[2, i, n] = self._turn(body, n, start + 3) if start >= 0 else 0.0
            for n in range(9):
                self.base_turns[i, n // 3, n % 3] = self.rotations[body, n]
        for i in range(self.motors.shape[0]):
            self.joints[0, i] = self.positions[self.joint_positions[i]]
            self.joints[1, i] = self.velocities[self.joint_velocities[i]]

    def read_ball(self) -> None:
        """Read the ball."""
        n: cython.Py_ssize_t
        for n in range(3):
            self.ball_motion[0, n] = self.positions[n] if self.ball else 0.0
            self.ball_motion[1, n] = self.velocities[n] if self.ball else 0.0
            self.ball_motion[2, n] = self._turn(1, n, 3) if self.ball else 0.0

    def read_forces(self, others: cython.double[:]) -> None:
        """Read efforts and touch; others: (J,) efforts besides those of the motors."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for i in range(self.motors.shape[0]):
            self.joint_efforts[i] = self.efforts[self.motors[i]] + others[i]
        for i in range(self.touch_bodies.shape[0]):
            body: cython.longlong = self.touch_bodies[i]
            self.touching[i] = self.readings[i, 0] > 0.0
            for n in range(3):
                self.touches[0, i, n] = self.touches[1, i, n] = 0.0
                if self.touching[i]:
                    for k in range(3):
                        turn: cython.double = self.rotations[body, 3 * k + n]
                        self.touches[0, i, n] += (self.readings[i, 4 + k] - self.centres[body, k]) * turn
                        self.touches[1, i, n] += self.readings[i, 1 + k] * turn

    @cython.cfunc
    def _turn(self, body: cython.longlong, n: cython.Py_ssize_t, start: cython.longlong) -> cython.double:
        """One component, world frame, of the velocity that begins at `start` and is in the axes of a body."""
        return (
            self.rotations[body, 3 * n] * self.velocities[start]
            + self.rotations[body, 3 * n + 1] * self.velocities[start + 1]
            + self.rotations[body, 3 * n + 2] * self.velocities[start + 2]
        )
