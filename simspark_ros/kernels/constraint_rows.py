# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Constraint rows as stiff as ODE's: the loops of `physics.mujoco.constraint_rows`, which explains them."""

from typing import Any

import cython
from cython.cimports.libc.math import fabs

# Speed that no joint reaches, rad/s or m/s.
_FAST = cython.declare(cython.double, 1e4)
# Effort from which on motors are harder, N m or N: above the motors of the classic league, which are as soft as on ODE.
_STRONG = cython.declare(cython.double, 100.0)
# Least share of its softness that a motor has: with less MuJoCo's solver takes no notice of small weights.
_LEAST = cython.declare(cython.double, 1e-4)
# Distance that a joint resting at its stop is taken to be inside its range, rad or m: in ODE rounding sets it free.
_AT_REST = cython.declare(cython.double, 1e-5)


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class SurfacePairs:
    """Properties of a contact of two kinds of surfaces, at index `one * kinds + other`; P pairs.

    Attributes:
        kinds: number of kinds of surfaces.
        own_friction: whether some surface has a material of its own, so that the friction has to be set.
        push: (P,) rate at which a contact takes back its depth, 1/s.
        bounce, bounce_speed: (P,) coefficient of restitution, and the approach from which it counts, m/s.
        softness: (P, 3) regularisation of normal and tangents.
        friction, cone: (P,) coefficient of friction, and the same scaled for MuJoCo's elliptic cone.
        counted: (P,) whether robots touch the ball or each other.
        ball_on_ground, ball_on_box: (P,) whether the ball touches those.
    """

    kinds: cython.Py_ssize_t
    own_friction: cython.bint
    push: cython.double[::1]
    bounce: cython.double[::1]
    bounce_speed: cython.double[::1]
    softness: cython.double[:, ::1]
    friction: cython.double[::1]
    cone: cython.double[::1]
    counted: cython.uchar[::1]
    ball_on_ground: cython.uchar[::1]
    ball_on_box: cython.uchar[::1]


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ArenaRows:
    """Arrays of constraint rows in MuJoCo's arena, at other places in every step.

    Attributes:
        words: the words of `mjData`, of which some are pointers into the arena.
        begin: address of the arena.
        numbers, indices: the whole arena as numbers and as indices.
        vel, aref, R, D, pos, force, id, J_rowadr, J: words that point to MuJoCo's arrays `efc_...`.
    """

    words: cython.longlong[::1]
    begin: cython.longlong
    numbers: cython.double[::1]
    indices: cython.int[::1]
    vel: cython.Py_ssize_t
    aref: cython.Py_ssize_t
    R: cython.Py_ssize_t
    D: cython.Py_ssize_t
    pos: cython.Py_ssize_t
    id: cython.Py_ssize_t
    J_rowadr: cython.Py_ssize_t
    J: cython.Py_ssize_t
    force: cython.Py_ssize_t

    @cython.cfunc
    def number(self, word: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Index in `numbers` that a pointer points to."""
        return (self.words[word] - self.begin) // 8

    @cython.cfunc
    def index(self, word: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Index in `indices` that a pointer points to."""
        return (self.words[word] - self.begin) // 4


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class ConstraintRowsKernel:
    """Rewrites the rows of one world: M motors, then stops, then contacts, three rows each.

    Attributes:
        rate: inverse of the length of a step, 1/s.
        motor_cfm, stop_cfm, motor_softness, stop_softness: softness of ODE's motors and stops, and the regularisation.
        stop_erp: part of the way beyond a stop that is taken back in a step.
        stop_bounce: coefficient of restitution of stops.
        stop_margin: distance before its stop at which a row begins, rad or m.
        layer: depth of contacts that is not taken back, m.
        off: largest effort of a motor that is off, N m or N.
        at_stop: distance from its stop within which a joint is at the stop, rad or m.
        pairs: properties of contacts.
        ball_radius: radius of the ball, m.
        robots: first degree of freedom of the robots.
        drifts: whether hinges drift, so that bodies move to close gaps.
        dofs: (M,) degree of freedom of each motor, ascending.
        motor: (joints,) motor of each joint, 0 without one.
        surfaces: (geoms,) kind of surface of each geom.
        geom_bodies: (geoms,) body that each geom is shifted with.
        closing_motion: (B, 6) velocity of the body's point at the world's origin and spin that close gaps.
        motion: (B, 6) linear and angular velocities of bodies in the last step.
        centres: (B, 3) origins of bodies, m.
        ball_rotation: (9,) orientation of the ball.
        speeds: (dofs,) velocities; the ball has the first six.
        guess: (dofs,) accelerations that the solver starts with.
        elastic: (M,) whether a joint bounces at its stops.
        top_speeds: (M,) greatest speeds that motors are commanded, rad/s or m/s.
        order: (M,) index of each motor among the joints of the model.
        targets, efforts, loads, full: (M,) target speeds, efforts of the last step, efforts to expect in the next and
            nearly full efforts.
        change, strong: (M,) room for the changes of speed, and for whether the motor will have its way.
        bounced: motors that their stops overruled in the last step.
        met: indices of the contacts in which two robots, or a robot and the ball, touch.
        rows: MuJoCo's arrays of rows.
        geom, pos, frame: geoms (C, 2), places (C, 3), m, normals and tangents (C, 9) of up to C contacts.
        dist, efc_address, mu: (C,) distances, m, first rows, negative for none, and see `SurfacePairs.cone`.
        friction: (C, 5) coefficients of friction.
        wanted, limits, pushes, last_limits, given: the last arguments of `aim`, and limits of all joints.
    """

    rate: cython.double
    motor_cfm: cython.double
    stop_cfm: cython.double
    motor_softness: cython.double
    stop_softness: cython.double
    stop_erp: cython.double
    stop_bounce: cython.double
    stop_margin: cython.double
    layer: cython.double
    off: cython.double
    at_stop: cython.double
    pairs: SurfacePairs
    ball_radius: cython.double
    robots: cython.Py_ssize_t
    drifts: cython.bint
    dofs: cython.longlong[::1]
    motor: cython.longlong[::1]
    surfaces: cython.longlong[::1]
    geom_bodies: cython.longlong[::1]
    closing_motion: cython.double[:, ::1]
    motion: cython.double[:, ::1]
    centres: cython.double[:, ::1]
    ball_rotation: cython.double[::1]
    speeds: cython.double[::1]
    guess: cython.double[::1]
    elastic: cython.uchar[::1]
    top_speeds: cython.double[::1]
    order: cython.longlong[::1]
    targets: cython.double[::1]
    efforts: cython.double[::1]
    loads: cython.double[::1]
    full: cython.double[::1]
    change: cython.double[::1]
    strong: cython.uchar[::1]
    bounced: list
    met: list
    rows: ArenaRows
    geom: cython.int[:, :]
    pos: cython.double[:, :]
    frame: cython.double[:, :]
    dist: cython.double[:]
    efc_address: cython.int[:]
    mu: cython.double[:]
    friction: cython.double[:, :]
    wanted: cython.double[:]
    limits: cython.double[:]
    pushes: cython.double[:]
    last_limits: cython.double[::1]
    given: tuple = (None, None, None)

    def aim(self, wanted: object, limits: object, pushes: object) -> cython.int:
        """Take the commanded speeds of all joints, in the model's order, cut to the motors' top speeds.

        wanted, limits, pushes: (J,) speeds, largest efforts, and efforts besides those of the motors: mostly the same
        objects as before, which stay bound. Returns 1 if limits have changed, plus 2 if there are pushes.
        """
        i: cython.Py_ssize_t
        news: cython.int = 0
        if wanted is not self.given[0] or limits is not self.given[1] or pushes is not self.given[2]:
            self.wanted = wanted
            self.limits = limits
            self.pushes = pushes
            self.given = (wanted, limits, pushes)
        for i in range(self.order.shape[0]):
            if self.limits[i] != self.last_limits[i]:
                self.last_limits[i] = self.limits[i]
                news |= 1
            if self.pushes[i] != 0.0:
                news |= 2
            target: cython.double = self.wanted[self.order[i]]
            if target > self.top_speeds[i]:
                target = self.top_speeds[i]
            elif target < -self.top_speeds[i]:
                target = -self.top_speeds[i]
            self.targets[i] = target
        return news

    def rewrite(self, data: Any) -> None:
        """Rewrite all rows of MuJoCo's data between `mj_step1` and `mj_step2`; `mj_island` has to follow."""
        self.bounced.clear()
        self.met.clear()
        r: cython.Py_ssize_t
        count: cython.Py_ssize_t = data.nefc
        if not count:
            return
        at: cython.Py_ssize_t = self.rows.number(self.rows.vel)
        velocity: cython.double[::1] = self.rows.numbers[at : at + count]
        at = self.rows.number(self.rows.aref)
        reference: cython.double[::1] = self.rows.numbers[at : at + count]
        at = self.rows.number(self.rows.R)
        softness: cython.double[::1] = self.rows.numbers[at : at + count]
        at = self.rows.number(self.rows.D)
        self._rewrite_motors(velocity, reference, softness)
        self._rewrite_stops(data, data.nl, velocity, reference, softness)
        self._start_solver()
        self._rewrite_contacts(data.ncon, velocity, reference, softness)
        for r in range(count):
            reference[r] *= self.rate
            self.rows.numbers[at + r] = 1.0 / softness[r]

    @cython.cfunc
    def _rewrite_motors(
        self, velocity: cython.double[::1], reference: cython.double[::1], softness: cython.double[::1]
    ) -> cython.void:
        i: cython.Py_ssize_t
        for i in range(self.dofs.shape[0]):
            self.change[i] = self.targets[i] - velocity[i]
            # The heavier the limb, the more work a motor does that lets go and takes back in the next step.
            share: cython.double = self._softer(i) ** 3
            if share < _LEAST:
                share = _LEAST
            # The softness of a motor lets a loaded joint lag by cfm * effort; aim that much ahead.
            reference[i] = self.change[i] + share * self.motor_cfm * self.loads[i]
            self.strong[i] = fabs(self.loads[i]) < self.full[i]
            softness[i] = share * self.motor_softness

    @cython.cfunc
    @cython.inline
    def _softer(self, i: cython.longlong) -> cython.double:
        """Share of its usual softness that a stop has which takes its joint's energy up; a motor has its cube.

        Strong motors move heavy limbs, which would rock on a soft motor, and press through a soft stop.
        """
        return _STRONG / self.full[i] if self.full[i] > _STRONG else 1.0

    @cython.cfunc
    def _rewrite_stops(
        self,
        data: Any,
        stops: cython.Py_ssize_t,
        velocity: cython.double[::1],
        reference: cython.double[::1],
        softness: cython.double[::1],
    ) -> cython.void:
        r: cython.Py_ssize_t
        motors: cython.Py_ssize_t = self.dofs.shape[0]
        distances: cython.double[::1] = self.rows.numbers[self.rows.number(self.rows.pos) :]
        joints: cython.int[::1] = self.rows.indices[self.rows.index(self.rows.id) :]
        starts: cython.int[::1] = self.rows.indices[self.rows.index(self.rows.J_rowadr) :]
        jacobian: cython.double[::1] = self.rows.numbers[self.rows.number(self.rows.J) :]
        for r in range(motors, motors + stops):
            softness[r] = self.stop_softness
            # A joint comes back from beyond its stop; before it, it moves no faster than reaches it in this step.
            push: cython.double = -self.rate * distances[r]
            if push > 0.0:
                push *= self.stop_erp
            i: cython.longlong = self.motor[joints[r]]
            if not (self.stop_bounce and self.elastic[i]):
                softness[r] *= self._softer(i)
            if self.stop_bounce and self.elastic[i]:
                # Rows begin a little before the stop.
                room: cython.double = distances[r] + self.stop_margin
                push = -_FAST
                if room < (self.at_stop if velocity[r] < 0.0 else 0.0):
                    push = self._bounce(data, i, room, velocity[r], velocity[i], jacobian[starts[r]], reference)
            reference[r] = push - velocity[r]

    @cython.cfunc
    def _bounce(
        self,
        data: Any,
        i: cython.longlong,
        room: cython.double,
        velocity: cython.double,
        speed: cython.double,
        away: cython.double,
        reference: cython.double[::1],
    ) -> cython.double:
        """Let a joint with a strong motor bounce at its stop, as ODE's do; returns its velocity away from the stop.

        A joint inside its range is free, and may go as far beyond its stop as its speed takes it in a step. Beyond the
        stop it leaves with its speed of arrival, or with the speed at which the stop takes it back if that is more. In
        ODE it then has no row for its motor: a motor that turns it into the stop, or holds it still, presses with its
        full effort; a motor that turns it away is off.

        Args:
            data: MuJoCo's data.
            i: the joint's motor.
            room: distance from the stop, rad or m.
            velocity: velocity of the row, which is the joint's or, at an upper stop, its inverse.
            speed: velocity of the joint.
            away: 1 at a lower stop, -1 at an upper one.
            reference: reference accelerations of all rows, changed in place.
        """
        leaving: cython.double = (_AT_REST - room) * (self.rate * self.stop_erp)
        if -self.stop_bounce * velocity > leaving:
            leaving = -self.stop_bounce * velocity
        inward: cython.bint = self.targets[i] * away <= 0.0
        reference[i] = -_FAST * away if inward else _FAST * away
        if not inward:
            data.efc_frictionloss[i] = self.off
        # The solver's start expects the motors to have their way.
        self.change[i] = leaving * away - speed
        self.strong[i] = 1
        self.bounced.append(i)
        # The stop's softness takes this much velocity from a joint pressed into it.
        return leaving + self.stop_cfm * self.full[i] if inward else leaving

    @cython.cfunc
    def _start_solver(self) -> cython.void:
        """Guess accelerations: the solver's result does not depend on the guess, but a good one halves its steps.

        Joints whose motors had effort left in the last step (strong) will probably change their velocities as wanted;
        the other joints accelerate as before. Bases keep their velocities.
        """
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t = 0
        for i in range(self.robots, self.guess.shape[0]):
            if m < self.dofs.shape[0] and self.dofs[m] == i:
                if self.strong[m]:
                    self.guess[i] = self.change[m] * self.rate
                m += 1
            else:
                self.guess[i] = 0.0

    @cython.cfunc
    def _rewrite_contacts(
        self,
        count: cython.Py_ssize_t,
        velocity: cython.double[::1],
        reference: cython.double[::1],
        softness: cython.double[::1],
    ) -> cython.void:
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for c in range(count):
            first: cython.Py_ssize_t = self.efc_address[c]
            if first < 0:
                # A contact that does not quite touch has no rows.
                continue
            pair: cython.Py_ssize_t = self.surfaces[self.geom[c, 0]] * self.pairs.kinds
            pair += self.surfaces[self.geom[c, 1]]
            for n in range(3):
                softness[first + n] = self.pairs.softness[pair, n]
                reference[first + n] = -velocity[first + n]
            if self.drifts:
                self._close_gaps(c, first, reference)
            lever: cython.double = self._lever(pair, self.dist[c])
            if lever >= 0.0:
                self._set_lever(c, first, lever, reference)
            approach: cython.double = reference[first]
            if self.pairs.counted[pair]:
                self.met.append(c)
                if self._of_drifting_ball(c):
                    approach = self._approach_of_ball(c)
            reference[first] += self._leaving(pair, self.dist[c], approach)
            self.mu[c] = self.pairs.cone[pair]
            if self.pairs.own_friction:
                # The first two coefficients are for the tangents, the others for turning.
                self.friction[c, 0] = self.friction[c, 1] = self.pairs.friction[pair]

    @cython.cfunc
    def _close_gaps(self, c: cython.Py_ssize_t, first: cython.Py_ssize_t, reference: cython.double[::1]) -> cython.void:
        """Take the velocity that takes back gaps and tilts, second body against first, from a contact's rows."""
        n: cython.Py_ssize_t
        one: cython.longlong = self.geom_bodies[self.geom[c, 0]]
        other: cython.longlong = self.geom_bodies[self.geom[c, 1]]
        x: cython.double = self.closing_motion[other, 3] - self.closing_motion[one, 3]
        y: cython.double = self.closing_motion[other, 4] - self.closing_motion[one, 4]
        z: cython.double = self.closing_motion[other, 5] - self.closing_motion[one, 5]
        u: cython.double = self.closing_motion[other, 0] - self.closing_motion[one, 0]
        v: cython.double = self.closing_motion[other, 1] - self.closing_motion[one, 1]
        w: cython.double = self.closing_motion[other, 2] - self.closing_motion[one, 2]
        # From the world's origin, where closing motions have their point, to the contact.
        u += y * self.pos[c, 2] - z * self.pos[c, 1]
        v += z * self.pos[c, 0] - x * self.pos[c, 2]
        w += x * self.pos[c, 1] - y * self.pos[c, 0]
        for n in range(3):
            k: cython.Py_ssize_t = 3 * n
            reference[first + n] -= self.frame[c, k] * u + self.frame[c, k + 1] * v + self.frame[c, k + 2] * w

    @cython.cfunc
    def _leaving(self, pair: cython.Py_ssize_t, depth: cython.double, approach: cython.double) -> cython.double:
        """Speed at which two bodies part: they leave the depth of their contact, or bounce, m/s."""
        leaving: cython.double = (-self.layer - depth) * self.pairs.push[pair]
        if leaving < 0.0:
            leaving = 0.0
        if approach > self.pairs.bounce_speed[pair] and self.pairs.bounce[pair] * approach > leaving:
            leaving = self.pairs.bounce[pair] * approach
        return leaving

    @cython.cfunc
    def _lever(self, pair: cython.Py_ssize_t, depth: cython.double) -> cython.double:
        """Distance from the ball's centre at which ODE lets friction turn the ball, m; -1 where robots are touched."""
        if self.pairs.ball_on_ground[pair]:
            return self.ball_radius
        if self.pairs.ball_on_box[pair]:
            return self.ball_radius + depth if self.ball_radius + depth > 0.0 else 0.0
        return -1.0

    @cython.cfunc
    def _of_drifting_ball(self, c: cython.Py_ssize_t) -> cython.bint:
        """Whether the ball, which is the first body, touches a robot whose hinges drift."""
        if not self.drifts or self.ball_radius == 0.0:
            return False
        return self.geom_bodies[self.geom[c, 0]] == 1 or self.geom_bodies[self.geom[c, 1]] == 1

    @cython.cfunc
    def _approach_of_ball(self, c: cython.Py_ssize_t) -> cython.double:
        """Speed of approach of the ball and a robot in the last step, m/s: in ODE the ball bounces by this speed."""
        one: cython.longlong = self.geom_bodies[self.geom[c, 0]]
        other: cython.longlong = self.geom_bodies[self.geom[c, 1]]
        link: cython.longlong = one if one > other else other
        x: cython.double = self.pos[c, 0] - self.centres[link, 0]
        y: cython.double = self.pos[c, 1] - self.centres[link, 1]
        z: cython.double = self.pos[c, 2] - self.centres[link, 2]
        a: cython.double = self.motion[link, 3]
        b: cython.double = self.motion[link, 4]
        d: cython.double = self.motion[link, 5]
        u: cython.double = self.speeds[0] - self.motion[link, 0] - (b * z - d * y)
        v: cython.double = self.speeds[1] - self.motion[link, 1] - (d * x - a * z)
        w: cython.double = self.speeds[2] - self.motion[link, 2] - (a * y - b * x)
        apart: cython.double = self.frame[c, 0] * u + self.frame[c, 1] * v + self.frame[c, 2] * w
        # The frame points from the first body to the second; the ball is body 1, before all links.
        return apart if one < other else -apart

    @cython.cfunc
    def _set_lever(
        self, c: cython.Py_ssize_t, first: cython.Py_ssize_t, lever: cython.double, reference: cython.double[::1]
    ) -> cython.void:
        """Let friction turn the ball as in ODE.

        ODE puts a contact with a plane on the sphere, and a contact with a box on the box's surface, or into the centre
        of the sphere if that is inside the box. MuJoCo puts both into the middle of the penetration, which at 20 ms can
        be deeper than the ball.
        """
        jacobian: cython.double[::1] = self.rows.numbers[self.rows.number(self.rows.J) :]
        # The ball is the only body in these rows: three numbers for its velocity, three for its turning in its axes.
        start: cython.Py_ssize_t = self.rows.indices[self.rows.index(self.rows.J_rowadr) + first + 1]
        n: cython.Py_ssize_t
        t: cython.Py_ssize_t
        for t in range(2):
            # Turning about the second tangent moves the ball's surface along the first, and the other way round.
            across: cython.Py_ssize_t = 6 - 3 * t
            speed: cython.double = 0.0
            for n in range(3):
                jacobian[start + 6 * t + 3 + n] = (lever if t else -lever) * (
                    self.frame[c, across] * self.ball_rotation[n]
                    + self.frame[c, across + 1] * self.ball_rotation[3 + n]
                    + self.frame[c, across + 2] * self.ball_rotation[6 + n]
                )
            for n in range(6):
                speed += jacobian[start + 6 * t + n] * self.speeds[n]
            reference[first + 1 + t] = -speed

    def remember(self) -> None:
        """Remember the motors' efforts after a step; an effort at a stop says nothing about the motor's next load."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.rows.number(self.rows.force)
        for i in range(self.dofs.shape[0]):
            self.efforts[i] = self.loads[i] = self.rows.numbers[at + i]
        for joint in self.bounced:
            self.loads[joint] = 0.0
