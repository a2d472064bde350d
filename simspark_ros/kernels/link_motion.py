# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Poses and velocities of all links of robots for given positions and velocities of their bases and joints."""

import cython
from cython.cimports.libc.math import cos, sin


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class LinkTree:
    """The L links of robots, each after the link that carries it. Links that carry themselves are bases.

    All vectors and rotations are in one frame, in which the caller has put the bases.

    Attributes:
        parents: (L,) link that carries each link; a base's own number.
        joints: (L,) number of the joint that carries each link; -1 for bases and for fixed joints.
        slides: (L,) whether that joint is a slider.
        anchors, turns: (L, 3) and (L, 9) pose of the link's frame in the frame of its parent, joint at zero.
        axes: (L, 3) axis of the joint, unit vector.
        centres: (L, 3) centre of mass of each link in its frame, m.
        places: (L, 3) room for the origins of the links' frames, m.
    """

    parents: cython.longlong[::1]
    joints: cython.longlong[::1]
    slides: cython.uchar[::1]
    anchors: cython.double[:, ::1]
    turns: cython.double[:, ::1]
    axes: cython.double[:, ::1]
    centres: cython.double[:, ::1]
    places: cython.double[:, ::1]

    def pose(
        self, positions: cython.double[:], centres: cython.double[:, ::1], rotations: cython.double[:, ::1]
    ) -> None:
        """Write the poses of all links but the bases, whose poses are given.

        Args:
            positions: (J,) positions of the joints, rad or m.
            centres: (L, 3) centres of mass, written but for the bases, m.
            rotations: (L, 9) rotations, written but for the bases.
        """
        link: cython.Py_ssize_t
        n: cython.Py_ssize_t
        for link in range(self.parents.shape[0]):
            if self.parents[link] == link:
                for n in range(3):
                    self.places[link, n] = centres[link, n] - _turned(rotations, link, n, self.centres, link)
                continue
            position: cython.double = positions[self.joints[link]] if self.joints[link] >= 0 else 0.0
            self._place(link, position, rotations)
            self._turn(link, 0.0 if self.slides[link] else position, rotations)
            for n in range(3):
                centres[link, n] = self.places[link, n] + _turned(rotations, link, n, self.centres, link)

    @cython.cfunc
    def _place(self, link: cython.Py_ssize_t, position: cython.double, rotations: cython.double[:, ::1]) -> cython.void:
        """Find the origin of a link's frame from the pose of its parent."""
        up: cython.Py_ssize_t = self.parents[link]
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        slid = cython.declare(cython.double[3])
        for n in range(3):
            slid[n] = self.anchors[link, n]
            if self.slides[link]:
                # The axis is in the joint's own frame.
                for k in range(3):
                    slid[n] += self.turns[link, 3 * n + k] * self.axes[link, k] * position
        for n in range(3):
            self.places[link, n] = self.places[up, n] + (
                rotations[up, 3 * n] * slid[0] + rotations[up, 3 * n + 1] * slid[1] + rotations[up, 3 * n + 2] * slid[2]
            )

    @cython.cfunc
    def _turn(self, link: cython.Py_ssize_t, angle: cython.double, rotations: cython.double[:, ::1]) -> cython.void:
        """Find the rotation of a link: of its parent, of the joint at zero, and about the axis (Rodrigues' formula)."""
        up: cython.Py_ssize_t = self.parents[link]
        x: cython.double = self.axes[link, 0]
        y: cython.double = self.axes[link, 1]
        z: cython.double = self.axes[link, 2]
        s: cython.double = sin(angle)
        c: cython.double = 1.0 - cos(angle)
        # Squared, the cross product with a unit axis has -(y y + z z) and the like on its diagonal.
        about = cython.declare(cython.double[9])
        about[0] = 1.0 - c * (y * y + z * z)
        about[1] = -s * z + c * (x * y)
        about[2] = s * y + c * (x * z)
        about[3] = s * z + c * (x * y)
        about[4] = 1.0 - c * (x * x + z * z)
        about[5] = -s * x + c * (y * z)
        about[6] = -s * y + c * (x * z)
        about[7] = s * x + c * (y * z)
        about[8] = 1.0 - c * (x * x + y * y)
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        zero = cython.declare(cython.double[9])
        for n in range(3):
            for k in range(3):
                zero[3 * n + k] = (
                    rotations[up, 3 * n] * self.turns[link, k]
                    + rotations[up, 3 * n + 1] * self.turns[link, 3 + k]
                    + rotations[up, 3 * n + 2] * self.turns[link, 6 + k]
                )
        for n in range(3):
            for k in range(3):
                rotations[link, 3 * n + k] = (
                    zero[3 * n] * about[k] + zero[3 * n + 1] * about[3 + k] + zero[3 * n + 2] * about[6 + k]
                )

    def move(
        self,
        centres: cython.double[:, ::1],
        rotations: cython.double[:, ::1],
        speeds: cython.double[:],
        linear: cython.double[:, ::1],
        angular: cython.double[:, ::1],
    ) -> None:
        """Write the velocities of all links but the bases, whose velocities are given.

        Args:
            centres: (L, 3) centres of mass, m.
            rotations: (L, 9) rotations of the links.
            speeds: (J,) velocities of the joints, rad/s or m/s.
            linear: (L, 3) velocities of the centres of mass, written but for the bases, m/s.
            angular: (L, 3) angular velocities, written but for the bases, rad/s.
        """
        link: cython.Py_ssize_t
        n: cython.Py_ssize_t
        along = cython.declare(cython.double[3])
        lever = cython.declare(cython.double[3])
        arm = cython.declare(cython.double[3])
        for link in range(self.parents.shape[0]):
            up: cython.Py_ssize_t = self.parents[link]
            if up == link:
                continue
            speed: cython.double = speeds[self.joints[link]] if self.joints[link] >= 0 else 0.0
            for n in range(3):
                along[n] = _turned(rotations, link, n, self.axes, link) * speed
                lever[n] = _turned(rotations, link, n, self.centres, link)
                # The child turns about the anchor, which moves with the parent.
                arm[n] = centres[link, n] - lever[n] - centres[up, n]
                angular[link, n] = angular[up, n] + (0.0 if self.slides[link] else along[n])
            for n in range(3):
                i: cython.Py_ssize_t = (n + 1) % 3
                j: cython.Py_ssize_t = (n + 2) % 3
                linear[link, n] = linear[up, n] + (angular[up, i] * arm[j] - angular[up, j] * arm[i])
                linear[link, n] += angular[link, i] * lever[j] - angular[link, j] * lever[i]
                if self.slides[link]:
                    linear[link, n] += along[n]


@cython.cfunc
@cython.inline
def _turned(
    rotations: cython.double[:, ::1],
    body: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    vectors: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.double:
    """One component of a vector turned by the rotation of a body."""
    return (
        rotations[body, 3 * n] * vectors[row, 0]
        + rotations[body, 3 * n + 1] * vectors[row, 1]
        + rotations[body, 3 * n + 2] * vectors[row, 2]
    )
