# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Velocities of robots on wheels, which change at limited accelerations; see `motion.wheels.ramped_drive`."""

import cython
from cython.cimports.libc.math import fabs, sqrt


class RampKernel:
    """A robot whose K joints turn in proportion to its velocity: forward and left, m/s, and turn, rad/s.

    Attributes:
        possible: (3, 3) projection of a velocity to the part of it that the joints can do.
        rates: (K, 3) speeds of the joints, rad/s, per velocity.
        fastest: (K,) largest speeds of the joints, rad/s.
        limit: largest number in a commanded velocity.
        along, turn: largest changes of the velocity in a cycle, m/s and rad/s.
        wanted: (3,) the velocity to reach, written.
        velocity: (3,) the present velocity, written.
    """

    def __init__(self, possible, rates, fastest, limit, along, turn, wanted, velocity) -> None:
        self.possible, self.rates, self.fastest, self.limit = possible, rates, fastest, limit
        self.along, self.turn, self.wanted, self.velocity = along, turn, wanted, velocity

    def want(self, forward, left, turn):
        """Set the velocity to reach.

        The part that the joints cannot do is dropped, such as sideways on two rows of wheels. A velocity too fast for a
        joint is scaled down, so that the way keeps its shape.
        """
        forward = max(min(forward, self.limit), -self.limit)
        left = max(min(left, self.limit), -self.limit)
        turn = max(min(turn, self.limit), -self.limit)
        for n in range(3):
            self.wanted[n] = self.possible[n, 0] * forward + self.possible[n, 1] * left + self.possible[n, 2] * turn
        share: cython.double = 1.0
        for n in range(self.fastest.shape[0]):
            share = min(share, self.fastest[n] / max(fabs(self._speed(n, self.wanted)), 1e-9))
        for n in range(3):
            self.wanted[n] *= share

    def follow(self):
        """Let the velocity near the wanted one for a cycle."""
        x: cython.double = self.wanted[0] - self.velocity[0]
        y: cython.double = self.wanted[1] - self.velocity[1]
        turn: cython.double = self.wanted[2] - self.velocity[2]
        # Forward and left share one limit, so that the velocity changes in a straight line.
        length: cython.double = sqrt(x * x + y * y)
        share: cython.double = self.along / length if length > self.along else 1.0
        self.velocity[0] += x * share
        self.velocity[1] += y * share
        self.velocity[2] += max(min(turn, self.turn), -self.turn)

    def read(self, velocity, speeds):
        """Write the speeds (K,) of the joints, rad/s, at a velocity (3,)."""
        for n in range(speeds.shape[0]):
            speeds[n] = self._speed(n, velocity)

    def _speed(self, k, velocity):
        return self.rates[k, 0] * velocity[0] + self.rates[k, 1] * velocity[1] + self.rates[k, 2] * velocity[2]
