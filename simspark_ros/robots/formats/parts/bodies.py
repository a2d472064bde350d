"""Bodies and joints of foreign formats; their poses are in the file's frame, with all joints at 0."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.transforms import Transform, product, rotation_about
from simspark_ros.physics.model import JointKind, Vector

Array = NDArray[np.float64]

GREY = (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True)
class Solid:
    """A solid of a body.

    Attributes:
        kind: kind of solid: `box`, `sphere`, `cylinder`, `capsule` or `mesh`.
        size: size as in `physics.model.Shape`; for a mesh its scale along x, y, z.
        pose: pose in the frame of the body.
        file: address of a mesh, as URDF has it.
        rgba: colour; None = as the mesh's file says, else grey.
        texture: address of a picture on a mesh.
        collides, seen: whether the solid is part of the physics, of pictures.
    """

    kind: str
    size: tuple[float, ...]
    pose: Transform = field(default_factory=Transform)
    rgba: tuple[float, float, float, float] | None = None
    file: str = ""
    collides: bool = True
    seen: bool = True
    texture: str = ""


@dataclass
class Body:
    """A rigid body, or a frame if it has no mass.

    Attributes:
        pose: pose in the frame of the file.
        mass: mass, kg; 0 = a frame.
        centre: (3,) centre of mass in the frame of the body, m.
        inertia: (3, 3) inertia about the centre of mass, in the axes of the body, kg m2.
        lost_looks: whether a visual was dropped; a body that has lost all of them is seen as it collides.
    """

    name: str
    pose: Transform = field(default_factory=Transform)
    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    solids: list[Solid] = field(default_factory=list)
    lost_looks: bool = False


@dataclass(frozen=True)
class Coupling:
    """Makes a joint follow another joint: position = multiplier * position of the other + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class BodyJoint:
    """A joint between two bodies.

    Attributes:
        pose: pose of the joint's frame in the frame of the file; the origin is the anchor.
        axis: unit vector in the joint's frame; the child turns right-handed about it.
        lower, upper: stops, rad or m.
        velocity, effort: limits of the motor, rad/s or m/s, N m or N; without a motor the effort is 0.
        damping, friction: resistance, N m s/rad and N m, or N s/m and N.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    pose: Transform
    axis: Vector = (0.0, 0.0, 1.0)
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    mimic: Coupling | None = None

    @property
    def has_motor(self) -> bool:
        """Whether a motor can drive the joint."""
        return self.kind is not JointKind.FIXED and self.mimic is None and self.effort > 0.0


def ellipsoid(radii: tuple[float, float, float], pose: Transform) -> Solid:
    """A ball or a capsule along the longest axis, as thick as an ellipsoid and with the same centre."""
    longest = max(range(3), key=lambda axis: radii[axis])
    first, second = (radii[axis] for axis in range(3) if axis != longest)
    radius = math.sqrt(first * second)
    length = 2.0 * (radii[longest] - radius)
    if length < 0.1 * radius:
        return Solid("sphere", (math.prod(radii) ** (1.0 / 3.0),), pose)
    # Axis z of the capsule becomes the longest one.
    turn = (rotation_about((0.0, 1.0, 0.0), math.pi / 2.0), rotation_about((1.0, 0.0, 0.0), -math.pi / 2.0), np.eye(3))
    return Solid("capsule", (radius, length), pose @ Transform(turn[longest]))


def add_mass(body: Body, solid: Solid, density: float) -> bool:
    """Add the mass of a homogeneous solid to a body, density in kg/m3; False for a mesh, whose mass is not known.

    The body gets the centre and inertia of both together, by the parallel axis theorem.
    """
    known = _mass_and_moments(solid, density)
    if known is None:
        return False
    mass, moments = known
    turn, place = solid.pose.rotation, solid.pose.position
    whole = body.mass + mass
    centre = (body.mass * body.centre + mass * place) / whole
    body.inertia = (
        body.inertia
        + product(turn * moments, turn.T)
        + _moved(body.mass, body.centre - centre)
        + _moved(mass, place - centre)
    )
    body.mass, body.centre = whole, centre
    return True


def _moved(mass: float, offset: Array) -> Array:
    """Difference between the inertia about a point and the inertia about the centre of mass, at an offset from it."""
    return mass * (product(offset, offset) * np.eye(3) - np.outer(offset, offset))


def _mass_and_moments(solid: Solid, density: float) -> tuple[float, tuple[float, float, float]] | None:
    if solid.kind == "box":
        x, y, z = solid.size
        mass = density * x * y * z
        return mass, (mass * (y * y + z * z) / 12.0, mass * (x * x + z * z) / 12.0, mass * (x * x + y * y) / 12.0)
    if solid.kind == "sphere":
        mass = density * 4.0 / 3.0 * math.pi * solid.size[0] ** 3
        return mass, (0.4 * mass * solid.size[0] ** 2,) * 3
    if solid.kind == "mesh":
        return None
    radius, length = solid.size
    tube = density * math.pi * radius**2 * length
    along, across = tube * radius**2 / 2.0, tube * (3.0 * radius**2 + length**2) / 12.0
    if solid.kind == "cylinder":
        return tube, (across, across, along)
    # Two half-spheres, each with its centre of mass 3/8 of the radius beyond the end of the tube.
    caps = density * 4.0 / 3.0 * math.pi * radius**3
    along += 0.4 * caps * radius**2
    across += caps * (0.4 * radius**2 + length**2 / 4.0 + 3.0 / 8.0 * length * radius)
    return tube + caps, (across, across, along)
