# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Hinges that come apart and tilt as in ODE: the loops of `physics.mujoco.hinge_compliance`, which explains them."""

import cython
from cython.cimports.libc.math import atan2, copysign, cos, floor, sin, sqrt, tan

_PI = cython.declare(cython.double, 3.141592653589793)


@cython.cfunc
@cython.inline
def _cut(value: cython.double, most: cython.double) -> cython.double:
    """The value, cut to -most ... most; NaN stays NaN."""
    if value > most:
        return most
    if value < -most:
        return -most
    return value


@cython.cfunc
@cython.inline
def _turn(
    x: cython.double,
    y: cython.double,
    z: cython.double,
    quaternions: cython.double[:, ::1],
    row: cython.Py_ssize_t,
    turned: cython.double[:, ::1],
    place: cython.Py_ssize_t,
) -> cython.void:
    """Write the quaternion of a row, turned by (1, x, y, z), to a place; its length changes."""
    a: cython.double = quaternions[row, 0]
    i: cython.double = quaternions[row, 1]
    j: cython.double = quaternions[row, 2]
    k: cython.double = quaternions[row, 3]
    turned[place, 0] = a - x * i - y * j - z * k
    turned[place, 1] = i + x * a + y * k - z * j
    turned[place, 2] = j - x * k + y * a + z * i
    turned[place, 3] = k + x * j - y * i + z * a


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class HingeDriftKernel:
    """The gaps and tilts of all hinges of one world. Bodies come after their parents; body 0 is the world itself.

    All arrays are shared with other code. Vectors of bodies (B, 3) are in the world frame, quaternions are w x y z.

    Attributes:
        step: length of a step, s.
        rate: part of a gap that is taken back in a second, 1/s.
        most: largest tilt, rad.
        shift: (B, 3) shift of each body from its place with closed hinges to its real place, m.
        tilt: (B, 3) tilt of the hinge that carries each body, in the axes of its parent, rad.
        closing_velocity, closing_spin: (B, 3) velocities that take gaps and tilts back in the next step, m/s and rad/s.
        closing_motion: (B, 6) the same: velocity of the body's point at the world's origin, and spin.
        moved: (B, 3) places to which bodies move in the step, from `HingeGapsKernel`, m.
        turned: (B, 4) orientations to which bodies turn in the step; their lengths do not matter.
        centres: (B, 3) origins of the bodies, m.
        orientations, rotations: (B, 4) and (B, 9) the same orientations as quaternions and as matrices.
        axes, anchors: (joints, 3) axes and anchors of the joints, world frame.
        geoms: (geoms, 3) places of geoms, m.
        geom_bodies: (geoms,) body that each geom is shifted with.
        body_places, body_turns: (all bodies, 3) and (all bodies, 4) places of bodies in their parents.
        positions: (positions,) generalised positions of the world.
        classic: (B,) 1 for bodies whose hinge's angle includes its tilt, as ODE's does.
        fast: (B,) 1 for bodies that turn by exactly w h in a step, 0 for bodies that turn by 2 atan(w h / 2) as in ODE.
        parents: (B,) body that carries each body.
        hinge: (B,) number of the hinge that carries each body, -1 for none.
        hinged: (H,) body that each hinge carries.
        joints, angles: (H,) index of each hinge among the joints and in `positions`.
        free, free_places: (F,) bodies that move freely, and the index of the first of their seven positions.
        home_places, home_turns: (H, 3) and (H, 4) places of the carried bodies in their parents, without tilt.
        home_axes, levers: (H, 3) axes, and levers from anchors to bodies, in the axes of the parents.
    """

    step: cython.double
    rate: cython.double
    most: cython.double
    shift: cython.double[:, ::1]
    tilt: cython.double[:, ::1]
    closing_velocity: cython.double[:, ::1]
    closing_spin: cython.double[:, ::1]
    closing_motion: cython.double[:, ::1]
    moved: cython.double[:, ::1]
    turned: cython.double[:, ::1]
    centres: cython.double[:, ::1]
    orientations: cython.double[:, ::1]
    rotations: cython.double[:, ::1]
    axes: cython.double[:, ::1]
    anchors: cython.double[:, ::1]
    geoms: cython.double[:, ::1]
    geom_bodies: cython.longlong[::1]
    body_places: cython.double[:, ::1]
    body_turns: cython.double[:, ::1]
    positions: cython.double[::1]
    classic: cython.uchar[::1]
    fast: cython.uchar[::1]
    parents: cython.longlong[::1]
    hinge: cython.longlong[::1]
    hinged: cython.longlong[::1]
    joints: cython.longlong[::1]
    angles: cython.longlong[::1]
    free: cython.longlong[::1]
    free_places: cython.longlong[::1]
    home_places: cython.double[:, ::1]
    home_turns: cython.double[:, ::1]
    home_axes: cython.double[:, ::1]
    levers: cython.double[:, ::1]

    def tilt_hinges(self) -> None:
        """Write the places of bodies in their parents with tilted, closed hinges; kinematics have to follow."""
        h: cython.Py_ssize_t
        b: cython.longlong
        for h in range(self.hinged.shape[0]):
            b = self.hinged[h]
            # The quaternion of a tilt is (1, half the tilt) but for its length, which MuJoCo normalises.
            x: cython.double = 0.5 * self.tilt[b, 0]
            y: cython.double = 0.5 * self.tilt[b, 1]
            z: cython.double = 0.5 * self.tilt[b, 2]
            # The body turns about its anchor: by t x l + t x (t x l), twice, over the quaternion's squared length.
            u: cython.double = y * self.levers[h, 2] - z * self.levers[h, 1]
            v: cython.double = z * self.levers[h, 0] - x * self.levers[h, 2]
            w: cython.double = x * self.levers[h, 1] - y * self.levers[h, 0]
            scale: cython.double = 2.0 / (1.0 + (x * x + y * y + z * z))
            self.body_places[b, 0] = self.home_places[h, 0] + (u + (y * w - z * v)) * scale
            self.body_places[b, 1] = self.home_places[h, 1] + (v + (z * u - x * w)) * scale
            self.body_places[b, 2] = self.home_places[h, 2] + (w + (x * v - y * u)) * scale
            _turn(x, y, z, self.home_turns, h, self.body_turns, b)

    def shift_bodies(self) -> None:
        """After the kinematics of closed hinges: find the closing velocities, and put bodies where they really are."""
        b: cython.Py_ssize_t
        g: cython.Py_ssize_t
        n: cython.Py_ssize_t
        self._sum_closing_spins()
        for b in range(self.shift.shape[0]):
            x: cython.double = self.closing_motion[b, 3]
            y: cython.double = self.closing_motion[b, 4]
            z: cython.double = self.closing_motion[b, 5]
            u: cython.double = self.closing_motion[b, 0] - self.rate * self.shift[b, 0]
            v: cython.double = self.closing_motion[b, 1] - self.rate * self.shift[b, 1]
            w: cython.double = self.closing_motion[b, 2] - self.rate * self.shift[b, 2]
            # The velocity at the body's own origin: that at the world's origin, and spin x place.
            self.closing_velocity[b, 0] = u + (y * self.centres[b, 2] - z * self.centres[b, 1])
            self.closing_velocity[b, 1] = v + (z * self.centres[b, 0] - x * self.centres[b, 2])
            self.closing_velocity[b, 2] = w + (x * self.centres[b, 1] - y * self.centres[b, 0])
            self.closing_spin[b, 0] = x
            self.closing_spin[b, 1] = y
            self.closing_spin[b, 2] = z
            # Points on bodies are shifted with them.
            self.closing_motion[b, 0] = u - (y * self.shift[b, 2] - z * self.shift[b, 1])
            self.closing_motion[b, 1] = v - (z * self.shift[b, 0] - x * self.shift[b, 2])
            self.closing_motion[b, 2] = w - (x * self.shift[b, 1] - y * self.shift[b, 0])
            for n in range(3):
                self.centres[b, n] += self.shift[b, n]
        for g in range(self.geoms.shape[0]):
            for n in range(3):
                self.geoms[g, n] += self.shift[self.geom_bodies[g], n]

    @cython.cfunc
    def _sum_closing_spins(self) -> cython.void:
        """Set `closing_motion` to what the tilts of all hinges below each body turn it by, gaps left out."""
        b: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for b in range(self.shift.shape[0]):
            up: cython.longlong = self.parents[b]
            h: cython.longlong = self.hinge[b]
            # All motions are about the world's origin, so that they simply add up from parent to child.
            for n in range(6):
                self.closing_motion[b, n] = self.closing_motion[up, n] if b else 0.0
            if h < 0:
                continue
            # ODE's rows of a hinge: the turn from the parent's axis to the child's.
            i: cython.double = self.home_axes[h, 0]
            j: cython.double = self.home_axes[h, 1]
            k: cython.double = self.home_axes[h, 2]
            x: cython.double = self.rotations[up, 0] * i + self.rotations[up, 1] * j + self.rotations[up, 2] * k
            y: cython.double = self.rotations[up, 3] * i + self.rotations[up, 4] * j + self.rotations[up, 5] * k
            z: cython.double = self.rotations[up, 6] * i + self.rotations[up, 7] * j + self.rotations[up, 8] * k
            a: cython.longlong = self.joints[h]
            u: cython.double = (self.axes[a, 1] * z - self.axes[a, 2] * y) * self.rate
            v: cython.double = (self.axes[a, 2] * x - self.axes[a, 0] * z) * self.rate
            w: cython.double = (self.axes[a, 0] * y - self.axes[a, 1] * x) * self.rate
            self.closing_motion[b, 0] += self.anchors[a, 1] * w - self.anchors[a, 2] * v
            self.closing_motion[b, 1] += self.anchors[a, 2] * u - self.anchors[a, 0] * w
            self.closing_motion[b, 2] += self.anchors[a, 0] * v - self.anchors[a, 1] * u
            self.closing_motion[b, 3] += u
            self.closing_motion[b, 4] += v
            self.closing_motion[b, 5] += w

    def advance(self, velocities: cython.double[:, ::1]) -> None:
        """After a step: put bases and joints where the bodies go; `tilt_hinges` and `shift_bodies` have to follow.

        Args:
            velocities: (B - 1, 6) linear and angular velocities in the step, without velocities that close gaps.
        """
        self._turn_bodies(velocities)
        h: cython.Py_ssize_t
        for h in range(self.hinged.shape[0]):
            self._turn_hinge(h)
        f: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for f in range(self.free.shape[0]):
            b: cython.longlong = self.free[f]
            start: cython.longlong = self.free_places[f]
            for n in range(3):
                self.positions[start + n] = self.moved[b, n]
            length: cython.double = sqrt(
                self.turned[b, 0] * self.turned[b, 0]
                + self.turned[b, 1] * self.turned[b, 1]
                + self.turned[b, 2] * self.turned[b, 2]
                + self.turned[b, 3] * self.turned[b, 3]
            )
            for n in range(4):
                self.positions[start + 3 + n] = self.turned[b, n] / length

    @cython.cfunc
    def _turn_bodies(self, velocities: cython.double[:, ::1]) -> cython.void:
        b: cython.Py_ssize_t
        n: cython.Py_ssize_t
        half: cython.double = 0.5 * self.step
        for n in range(4):
            self.turned[0, n] = self.orientations[0, n]
        for b in range(1, self.shift.shape[0]):
            # ODE's turn by 2 atan(w h / 2), for which w h / 2 is the quaternion's vector; its tangent turns by w h.
            x: cython.double = (self.closing_spin[b, 0] + velocities[b - 1, 3]) * half
            y: cython.double = (self.closing_spin[b, 1] + velocities[b - 1, 4]) * half
            z: cython.double = (self.closing_spin[b, 2] + velocities[b - 1, 5]) * half
            if self.fast[b]:
                angle: cython.double = sqrt(x * x + y * y + z * z)
                scale: cython.double = tan(angle) / angle if angle > 0.0 else 1.0
                x *= scale
                y *= scale
                z *= scale
            _turn(x, y, z, self.orientations, b, self.turned, b)

    @cython.cfunc
    def _turn_hinge(self, h: cython.Py_ssize_t) -> cython.void:
        """Find the angle and the tilt of a hinge from where its two bodies turn to."""
        b: cython.longlong = self.hinged[h]
        up: cython.longlong = self.parents[b]
        # From the parent to the child: the parent's turn back, the child's turn, the hinge's own turn back.
        a: cython.double = self.turned[up, 0]
        i: cython.double = -self.turned[up, 1]
        j: cython.double = -self.turned[up, 2]
        k: cython.double = -self.turned[up, 3]
        c: cython.double = self.turned[b, 0]
        x: cython.double = self.turned[b, 1]
        y: cython.double = self.turned[b, 2]
        z: cython.double = self.turned[b, 3]
        d: cython.double = a * c - i * x - j * y - k * z
        p: cython.double = a * x + i * c + j * z - k * y
        q: cython.double = a * y - i * z + j * c + k * x
        r: cython.double = a * z + i * y - j * x + k * c
        c = self.home_turns[h, 0]
        x = -self.home_turns[h, 1]
        y = -self.home_turns[h, 2]
        z = -self.home_turns[h, 3]
        a = d * c - p * x - q * y - r * z
        i = d * x + p * c + q * z - r * y
        j = d * y - p * z + q * c + r * x
        k = d * z + p * y - q * x + r * c
        x = self.home_axes[h, 0]
        y = self.home_axes[h, 1]
        z = self.home_axes[h, 2]
        sine: cython.double = i * x + j * y + k * z
        if self.classic[b]:
            sine = copysign(sqrt(i * i + j * j + k * k), sine)
        half: cython.double = atan2(sine, a)
        # An angle is known up to whole turns: take the one next to where the speed leads.
        near: cython.double = self.positions[self.angles[h]] - 2.0 * half
        half += _PI * floor(near / (2.0 * _PI) + 0.5)
        self.positions[self.angles[h]] = 2.0 * half
        # The tilt is the rest of the turn after that angle is taken out.
        c = cos(half)
        half = -sin(half)
        x *= half
        y *= half
        z *= half
        scale: cython.double = 2.0 / (a * c - i * x - j * y - k * z)
        self.tilt[b, 0] = _cut((a * x + i * c + j * z - k * y) * scale, self.most)
        self.tilt[b, 1] = _cut((a * y - i * z + j * c + k * x) * scale, self.most)
        self.tilt[b, 2] = _cut((a * z + i * y - j * x + k * c) * scale, self.most)
