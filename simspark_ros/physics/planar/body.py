"""Rigid bodies of the plane, and their parts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from simspark_ros.physics.planar.gap import Placed
from simspark_ros.physics.planar.outline import Outline, Point


@dataclass(eq=False)
class PlanarPart:
    """An outline that is fixed to a body, or carried by a joint of the body.

    Attributes:
        outline: shape of the part in axes of the body, from its centre of mass, m.
        surface: number of the kind of surface, see `PlanarSurfaces`.
        link: index, in the robot's model, of the part's link.
        pivot: point about which the joint turns the part, from the body's centre of mass in its axes, m.
        velocity: velocity of the pivot relative to the body, in the body's axes, m/s.
        spin: spin relative to the body, rad/s.
        around: parts of the same body whose outlines always contain this part: bodies at their heights meet them first.
    """

    outline: Outline
    surface: int = 0
    link: int = 0
    pivot: Point = (0.0, 0.0)
    velocity: Point = (0.0, 0.0)
    spin: float = 0.0
    around: tuple[PlanarPart, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether a joint moves the part."""
        return self.spin != 0.0 or self.velocity != (0.0, 0.0)


@dataclass(eq=False)
class PlanarBody:
    """A rigid body; an immovable one has an infinite mass.

    Attributes:
        parts: outlines of the body that collide.
        mass, inertia: mass, kg, and inertia about the vertical through the centre of mass, kg m2.
        x, y, angle: place of the centre of mass, m, and turn of the body, rad.
        vx, vy, spin: velocity of the centre of mass, m/s, and spin, rad/s.
    """

    parts: list[PlanarPart]
    mass: float = math.inf
    inertia: float = math.inf
    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    spin: float = 0.0
    reach: float = field(init=False, default=0.0)
    swing: float = field(init=False, default=0.0)
    moving: list[PlanarPart] = field(init=False, default_factory=list)
    box: tuple[float, float, float, float] = field(init=False, default=(0.0, 0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        self.measure()

    def measure(self) -> None:
        """Compute the bounds of the body, after a change of its parts or their velocities.

        `reach` is the distance of the farthest point from the centre of mass, m; `swing` the greatest speed that joints
        give a point, m/s; `moving` the parts that joints move; `box` left, bottom, right and top of the box around an
        immovable body, m.
        """
        self.reach = max((math.hypot(*part.outline.middle) + part.outline.reach for part in self.parts), default=0.0)
        self.moving = [part for part in self.parts if part.moves]
        swings = [math.hypot(*part.velocity) + abs(part.spin) * self.reach for part in self.moving]
        self.swing = max(swings, default=0.0)
        if self.is_fixed and self.parts:
            placed = [self.place(part, 0.0) for part in self.parts]
            xs = [x + sign * one.radius for one in placed for x, _ in one.corners for sign in (-1.0, 1.0)]
            ys = [y + sign * one.radius for one in placed for _, y in one.corners for sign in (-1.0, 1.0)]
            self.box = min(xs), min(ys), max(xs), max(ys)

    @property
    def is_fixed(self) -> bool:
        """Whether the body is immovable."""
        return math.isinf(self.mass)

    def advance(self, seconds: float) -> None:
        """Move on with the present velocity, the parts on joints as well."""
        self.x += self.vx * seconds
        self.y += self.vy * seconds
        self.angle += self.spin * seconds
        for part in self.moving:
            part.outline = _carried(part, seconds)
            part.pivot = (part.pivot[0] + part.velocity[0] * seconds, part.pivot[1] + part.velocity[1] * seconds)

    def place(self, part: PlanarPart, seconds: float) -> Placed:
        """Outline of a part in the world after a while."""
        outline = _carried(part, seconds) if part.moves else part.outline
        angle = self.angle + self.spin * seconds
        c, s = math.cos(angle), math.sin(angle)
        x, y = self.x + self.vx * seconds, self.y + self.vy * seconds
        return Placed([(x + c * px - s * py, y + s * px + c * py) for px, py in outline.corners], outline.radius)

    def velocity_at(self, part: PlanarPart, point: Point) -> Point:
        """Velocity of a part at a point of the world, m/s."""
        x, y = point[0] - self.x, point[1] - self.y
        vx, vy = self.vx - self.spin * y, self.vy + self.spin * x
        if not part.moves:
            return vx, vy
        c, s = math.cos(self.angle), math.sin(self.angle)
        # The point from the pivot, in the body's axes.
        ox, oy = c * x + s * y - part.pivot[0], c * y - s * x - part.pivot[1]
        ux, uy = part.velocity[0] - part.spin * oy, part.velocity[1] + part.spin * ox
        return vx + c * ux - s * uy, vy + s * ux + c * uy

    def push(self, point: Point, x: float, y: float) -> None:
        """Change the velocity by an impulse (x, y) at a point of the world, N s."""
        if self.is_fixed:
            return
        self.vx += x / self.mass
        self.vy += y / self.mass
        self.spin += ((point[0] - self.x) * y - (point[1] - self.y) * x) / self.inertia


def _carried(part: PlanarPart, seconds: float) -> Outline:
    """The outline after its joint has moved for a while."""
    outline, (px, py) = part.outline, part.pivot
    c, s = math.cos(part.spin * seconds), math.sin(part.spin * seconds)
    nx, ny = px + part.velocity[0] * seconds, py + part.velocity[1] * seconds
    corners = tuple((nx + c * (x - px) - s * (y - py), ny + s * (x - px) + c * (y - py)) for x, y in outline.corners)
    return Outline(corners, outline.radius, outline.low, outline.high)
