# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Joints and wheels of a robot of the planar engine in a step; see `physics.planar.footing` and `robot`."""

import cython
import numpy as np
from cython.cimports.libc.math import cos, exp, fabs, sin, sqrt

# Most rounds over the footings of a robot: wheels that hinder each other, as in a turn on four, agree slowly.
_SWEEPS = cython.declare(cython.int, 60)
# Change of velocity in a round below which footings agree, m/s.
_SETTLED = cython.declare(cython.double, 1e-10)
# Share of its largest effort from which a motor is too weak to make its wheel slip.
_WEAK = cython.declare(cython.double, 1.0 - 1e-9)


def _cut(value, lower, upper):
    if value < lower:
        value = lower
    return upper if value > upper else value


class TractionKernel:
    """R directions in which the footings of a robot hold.

    A direction makes `x vx + y vy + turn spin` of the body, and the drift of the footing, together equal to a speed.

    Attributes:
        x, y, turn: (R,) unit vector of a direction in axes of the body, and its lever about the centre of mass, m.
        grip: (R,) coefficient of friction times the share of the weight.
        joint: (R,) joint of the wheel whose motor drives a direction, -1 = none.
        pull: (R,) cosine of the angle between the direction and the rolling of its wheel.
        radius: (R,) radius of the wheel, m.
        paired: (R,) whether the next direction is of the same footing, at a right angle: both together hold as much as
            the next one alone.
        drift: (R,) speed in a direction that joints which steer a wheel give its hub, m/s.
        linear_drag, angular_drag: drag of the air on all links together, N s/m and N m s.
        speed, bound, given: (R,) room for wanted speeds, m/s, and for largest and present impulses, N s.
        motion: (3,) room for the velocity of the body in its own axes, m/s, and its spin, rad/s.
    """

    def __init__(self, x, y, turn, grip, joint, paired, pull, radius, drift, linear_drag, angular_drag) -> None:
        self.x, self.y, self.turn, self.grip, self.joint, self.paired = x, y, turn, grip, joint, paired
        self.pull, self.radius, self.drift = pull, radius, drift
        self.linear_drag, self.angular_drag = linear_drag, angular_drag
        self.speed, self.bound, self.given = np.zeros((3, len(x)))
        self.motion = np.zeros(3)

    def act(self, body, gravity, speeds, limits, seconds, efforts):
        """Brake a body by the air, and push it by all footings at once.

        Args:
            body: the body, whose velocity changes.
            gravity: acceleration of gravity, m/s2.
            speeds: (J,) speeds of the joints, rad/s; changed for wheels that roll without their motor.
            limits: (J,) largest efforts of the motors, N m.
            seconds: length of the step, s.
            efforts: (J,) efforts with which motors turn wheels, written, N m.
        """
        c: cython.double = cos(body.angle)
        s: cython.double = sin(body.angle)
        # The exact solution cannot turn the motion round in a long step.
        slower: cython.double = exp(-self.linear_drag / body.mass * seconds)
        vx: cython.double = body.vx * slower
        vy: cython.double = body.vy * slower
        self.motion[0] = c * vx + s * vy
        self.motion[1] = c * vy - s * vx
        self.motion[2] = body.spin * exp(-self.angular_drag / body.inertia * seconds)
        weight: cython.double = body.mass * gravity
        for row in range(self.x.shape[0]):
            self._begin(row, weight, speeds, limits, seconds)
        self._settle(1.0 / body.mass, 1.0 / body.inertia)
        body.vx = c * self.motion[0] - s * self.motion[1]
        body.vy = s * self.motion[0] + c * self.motion[1]
        body.spin = self.motion[2]
        for row in range(self.x.shape[0]):
            if self.joint[row] >= 0:
                self._turn_wheel(row, speeds, limits, seconds, efforts)

    def _begin(self, row, weight, speeds, limits, seconds):
        """Find the wanted speed and the largest impulse of a direction."""
        joint: cython.Py_ssize_t = self.joint[row]
        bound: cython.double = self.grip[row] * weight * seconds
        self.speed[row] = -self.drift[row]
        self.given[row] = 0.0
        if joint >= 0:
            pull: cython.double = self.pull[row]
            self.speed[row] = pull * (self.radius[row] * speeds[joint]) - self.drift[row]
            if pull != 0.0:
                # A force F along the axis acts on the motor with F pull radius: the largest effort bounds the impulse.
                motor: cython.double = limits[joint] / (self.radius[row] * fabs(pull)) * seconds
                if motor < bound:
                    bound = motor
        self.bound[row] = bound

    def _settle(self, mass, inertia):
        """Solve by Gauss and Seidel's method with bounds: each direction in turn gets the impulse that it still lacks.

        mass, inertia: inverses of the body's mass, 1/kg, and inertia, 1/(kg m2).
        """
        for _sweep in range(_SWEEPS):
            change: cython.double = 0.0
            row = 0
            while row < self.x.shape[0]:
                more: cython.double
                if self.paired[row]:
                    more = self._push_both(row, mass, inertia)
                    row += 2
                else:
                    more = self._push(row, mass, inertia)
                    row += 1
                if more * mass > change:
                    change = more * mass
            if change < _SETTLED:
                break

    def _push(self, row, mass, inertia):
        """Give a direction the impulse that it still lacks, within its bound; returns the size of the change, N s."""
        turn: cython.double = self.turn[row]
        given: cython.double = self.given[row] + self._lack(row) / (mass + turn * turn * inertia)
        return self._give(row, _cut(given, -self.bound[row], self.bound[row]), mass, inertia)

    def _push_both(self, row, mass, inertia):
        """Give the impulses that a direction and the next one lack; a footing that slides holds against its slip."""
        vx: cython.double = self.motion[0]
        vy: cython.double = self.motion[1]
        spin: cython.double = self.motion[2]
        before: cython.double = self.given[row]
        before_next: cython.double = self.given[row + 1]
        first: cython.double = self._push(row, mass, inertia)
        second: cython.double = self._push(row + 1, mass, inertia)
        hold: cython.double = self.bound[row + 1]
        if self.given[row] ** 2 + self.given[row + 1] ** 2 > hold * hold:
            self.motion[0], self.motion[1], self.motion[2] = vx, vy, spin
            self.given[row], self.given[row + 1] = before, before_next
            # With one share for both the impulse comes to lie along the slip.
            lever: cython.double = max(fabs(self.turn[row]), fabs(self.turn[row + 1]))
            ease: cython.double = mass + lever * lever * inertia
            along: cython.double = before + self._lack(row) / ease
            across: cython.double = before_next + self._lack(row + 1) / ease
            size: cython.double = sqrt(along * along + across * across)
            if size > hold:
                along, across = along * hold / size, across * hold / size
            first = self._give(row, _cut(along, -self.bound[row], self.bound[row]), mass, inertia)
            second = self._give(row + 1, across, mass, inertia)
        return max(first, second)

    def _lack(self, row):
        """Speed that the body lacks in a direction, m/s."""
        return self.speed[row] - (
            self.x[row] * self.motion[0] + self.y[row] * self.motion[1] + self.turn[row] * self.motion[2]
        )

    def _give(self, row, given, mass, inertia):
        """Make the impulse of a direction this one, N s; returns the size of the change."""
        more: cython.double = given - self.given[row]
        self.given[row] = given
        self.motion[0] += more * mass * self.x[row]
        self.motion[1] += more * mass * self.y[row]
        self.motion[2] += more * inertia * self.turn[row]
        return fabs(more)

    def _turn_wheel(self, row, speeds, limits, seconds, efforts):
        """Write the effort of a wheel's motor, and the speed of a wheel that rolls as its motor is too weak."""
        joint: cython.Py_ssize_t = self.joint[row]
        pull: cython.double = self.pull[row]
        efforts[joint] = self.given[row] * pull * self.radius[row] / seconds
        if pull != 0.0 and fabs(efforts[joint]) >= limits[joint] * _WEAK:
            speed: cython.double = (
                self.x[row] * self.motion[0] + self.y[row] * self.motion[1] + self.turn[row] * self.motion[2]
            )
            speeds[joint] = (speed + self.drift[row]) / (pull * self.radius[row])


class DriveKernel:
    """The motors of N robots with J joints together.

    Attributes:
        lower, upper, fastest: (J,) stops, rad or m, and largest speeds, rad/s or m/s.
        is_round: (J,) whether a joint turns a wheel or a roller, which looks the same however far it has turned.
        first: (N + 1,) first joint of each robot, and J.
        positions, speeds, efforts: (J,) state of the joints, written.
        moves: (N,) whether joints move links in this step, wheels apart, written.
    """

    def __init__(self, lower, upper, fastest, is_round, first, positions, speeds, efforts, moves) -> None:
        self.lower, self.upper, self.fastest, self.is_round, self.first = lower, upper, fastest, is_round, first
        self.positions, self.speeds, self.efforts, self.moves = positions, speeds, efforts, moves

    def command(self, wanted, limits, seconds):
        """Set the speeds of a step of that length, s; returns whether links move, wheels apart.

        wanted, limits: (J,) commanded speeds and largest efforts.
        """
        moving: cython.bint = False
        for robot in range(self.moves.shape[0]):
            self.moves[robot] = False
            for joint in range(self.first[robot], self.first[robot + 1]):
                speed: cython.double = 0.0
                if limits[joint] > 0.0:
                    speed = _cut(wanted[joint], -self.fastest[joint], self.fastest[joint])
                lowest: cython.double = (self.lower[joint] - self.positions[joint]) / seconds
                highest: cython.double = (self.upper[joint] - self.positions[joint]) / seconds
                self.speeds[joint] = _cut(speed, lowest, highest)
                if self.speeds[joint] != 0.0 and not self.is_round[joint]:
                    self.moves[robot] = moving = True
        return moving

    def act(self, tractions, bodies, limits, gravity, seconds):
        """Let ground and air act on all robots, by their tractions and bodies; see `TractionKernel.act`."""
        self.efforts[:] = 0.0
        for robot in range(len(tractions)):
            traction = tractions[robot]
            a: cython.Py_ssize_t = self.first[robot]
            b: cython.Py_ssize_t = self.first[robot + 1]
            traction.act(bodies[robot], gravity, self.speeds[a:b], limits[a:b], seconds, self.efforts[a:b])
