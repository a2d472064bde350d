# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rigid bodies of the planar engine, and their parts."""

import math

import cython
import numpy as np
from cython.cimports.libc.math import cos, fabs, isinf, sin, sqrt


def _length(x, y):
    return sqrt(x * x + y * y)


class PlanarPart:
    """An outline that is fixed to a body, or carried by a joint of the body.

    Args:
        outline: shape of the part in axes of the body, from its centre of mass, an `Outline`.
        surface: number of the kind of surface, see `PlanarSurfaces`.
        link: index, in the robot's model, of the part's link.

    Attributes:
        surface, link: the same.
        low, high: heights of the outline, m.
        around: parts of the same body whose outlines always contain this part: bodies at their heights meet them first.
        corners, placed: (K, 2) corners in axes of the body, and in the world where `PlanarBody.place` put them, m.
        x, y, reach: mean of the corners, and distance of the farthest point from it, m.
        world_x, world_y: place of the mean in the world, where `PlanarBody.parts_near` saw it, m.
        pivot_x, pivot_y, vx, vy, spin: see `follow`.
    """

    def __init__(self, outline, surface=0, link=0) -> None:
        self.corners = np.array(outline.corners, float)
        self.placed = np.zeros((len(outline.corners), 2))
        self.radius, self.low, self.high = outline.radius, outline.low, outline.high
        self.surface, self.link, self.around = surface, link, ()
        self.follow(0.0, 0.0, 0.0, 0.0, 0.0)
        self.measure()

    def follow(self, x, y, vx, vy, spin):
        """Let a joint move the part.

        (x, y): point about which the joint turns the part, from the body's centre of mass in its axes, m; (vx, vy):
        velocity of that point relative to the body, in the body's axes, m/s; spin: spin relative to the body, rad/s.
        """
        self.pivot_x, self.pivot_y, self.vx, self.vy, self.spin = x, y, vx, vy, spin

    def moves(self):
        """Whether a joint moves the part."""
        return self.spin != 0.0 or self.vx != 0.0 or self.vy != 0.0

    def measure(self):
        """Find middle and reach."""
        count: cython.Py_ssize_t = self.corners.shape[0]
        self.x = self.y = self.reach = 0.0
        for i in range(count):
            self.x += self.corners[i, 0]
            self.y += self.corners[i, 1]
        self.x, self.y = self.x / count, self.y / count
        for i in range(count):
            self.reach = max(self.reach, _length(self.corners[i, 0] - self.x, self.corners[i, 1] - self.y))
        self.reach += self.radius

    def carry(self, seconds, target):
        """Write the corners after the joint has moved for a while."""
        c: cython.double = cos(self.spin * seconds)
        s: cython.double = sin(self.spin * seconds)
        nx: cython.double = self.pivot_x + self.vx * seconds
        ny: cython.double = self.pivot_y + self.vy * seconds
        for i in range(self.corners.shape[0]):
            x: cython.double = self.corners[i, 0] - self.pivot_x
            y: cython.double = self.corners[i, 1] - self.pivot_y
            target[i, 0] = nx + c * x - s * y
            target[i, 1] = ny + s * x + c * y

    def meets_heights_of(self, other):
        """Whether the ranges of heights overlap."""
        return self.low < other.high and other.low < self.high

    def is_hidden_from(self, other):
        """Whether another part meets a part around this one first."""
        hidden: cython.bint = False
        for outer in self.around:
            hidden = hidden or outer.meets_heights_of(other)
        return hidden


class PlanarBody:
    """A rigid body; an immovable one has an infinite mass.

    Attributes:
        parts: outlines of the body that collide; call `measure` after a change of them, or of a joint of one.
        mass, inertia: mass, kg, and inertia about the vertical through the centre of mass, kg m2.
        x, y, angle: place of the centre of mass, m, and turn of the body, rad.
        vx, vy, spin: velocity of the centre of mass, m/s, and spin, rad/s.
        centre_x, centre_y: centre of mass of a robot from that of its base link, in axes of the body, m.
        is_fixed: whether the body is immovable.
        moving: parts that joints move.
        is_pushed: whether the velocity has changed since impacts were searched.
        reach, swing: distance of the farthest point from the centre of mass, m, and greatest speed that joints give a
            point, m/s.
        left, bottom, right, top: box around an immovable body, m.
        old_...: place before a step, and velocity before impacts.
    """

    def __init__(
        self, parts, mass=math.inf, inertia=math.inf, x=0.0, y=0.0, angle=0.0, vx=0.0, vy=0.0, spin=0.0
    ) -> None:
        self.parts, self.mass, self.inertia, self.x, self.y, self.angle = parts, mass, inertia, x, y, angle
        self.vx, self.vy, self.spin, self.centre_x, self.centre_y = vx, vy, spin, 0.0, 0.0
        self.is_pushed = False
        self.measure()

    def measure(self):
        """Compute the bounds of the body."""
        self.is_fixed = isinf(self.mass)
        self.reach = self.swing = 0.0
        self.left = self.bottom = math.inf
        self.right = self.top = -math.inf
        for part in self.parts:
            self.reach = max(self.reach, _length(part.x, part.y) + part.reach)
        self.moving = []
        for part in self.parts:
            if part.moves():
                self.moving.append(part)
                self.swing = max(self.swing, _length(part.vx, part.vy) + fabs(part.spin) * self.reach)
        for part in self.parts if self.is_fixed else []:
            self.place(part, 0.0)
            for i in range(part.placed.shape[0]):
                self.left = min(self.left, part.placed[i, 0] - part.radius)
                self.right = max(self.right, part.placed[i, 0] + part.radius)
                self.bottom = min(self.bottom, part.placed[i, 1] - part.radius)
                self.top = max(self.top, part.placed[i, 1] + part.radius)

    def base(self):
        """Place (x, y) of the base link's centre of mass, m."""
        c: cython.double = cos(self.angle)
        s: cython.double = sin(self.angle)
        x: cython.double = self.x - c * self.centre_x + s * self.centre_y
        y: cython.double = self.y - s * self.centre_x - c * self.centre_y
        return x, y

    def advance(self, seconds):
        """Move on with the present velocity, the parts on joints as well."""
        self.x += self.vx * seconds
        self.y += self.vy * seconds
        self.angle += self.spin * seconds
        for part in self.moving:
            part.carry(seconds, part.corners)
            part.pivot_x += part.vx * seconds
            part.pivot_y += part.vy * seconds
            part.measure()

    def place(self, part, seconds):
        """Put a part where it is in the world after a while."""
        angle: cython.double = self.angle + self.spin * seconds
        c: cython.double = cos(angle)
        s: cython.double = sin(angle)
        x: cython.double = self.x + self.vx * seconds
        y: cython.double = self.y + self.vy * seconds
        if part.moves():
            part.carry(seconds, part.placed)
        else:
            part.placed[:, :] = part.corners
        for i in range(part.placed.shape[0]):
            px: cython.double = part.placed[i, 0]
            py: cython.double = part.placed[i, 1]
            part.placed[i, 0] = x + c * px - s * py
            part.placed[i, 1] = y + s * px + c * py

    def velocity_at(self, part, px, py):
        """Velocity of a part at a point of the world, m/s."""
        x: cython.double = px - self.x
        y: cython.double = py - self.y
        vx: cython.double = self.vx - self.spin * y
        vy: cython.double = self.vy + self.spin * x
        if part.moves():
            c: cython.double = cos(self.angle)
            s: cython.double = sin(self.angle)
            # The point from the pivot, in the body's axes.
            ox: cython.double = c * x + s * y - part.pivot_x
            oy: cython.double = c * y - s * x - part.pivot_y
            ux: cython.double = part.vx - part.spin * oy
            uy: cython.double = part.vy + part.spin * ox
            vx, vy = vx + c * ux - s * uy, vy + s * ux + c * uy
        return vx, vy

    def push(self, px, py, x, y):
        """Change the velocity by an impulse (x, y) at a point of the world, N s."""
        if not self.is_fixed:
            self.vx += x / self.mass
            self.vy += y / self.mass
            self.spin += ((px - self.x) * y - (py - self.y) * x) / self.inertia

    def distance_of(self, x, y):
        """Least distance of a point from the circle around the body, or from the box around an immovable body, m."""
        if self.is_fixed:
            # The nearest point of the box is no nearer than along either axis.
            return max(self.left - x, x - self.right, self.bottom - y, y - self.top)
        return _length(x - self.x, y - self.y) - self.reach

    def parts_near(self, other, way):
        """Find parts that another body meets, at the earliest, if it comes nearer by a way, m."""
        found = []
        c: cython.double = cos(self.angle)
        s: cython.double = sin(self.angle)
        for part in self.parts:
            part.world_x = self.x + c * part.x - s * part.y
            part.world_y = self.y + s * part.x + c * part.y
            if other.distance_of(part.world_x, part.world_y) <= part.reach + way:
                found.append(part)
        return found
