"""Models of bodies for the engines: links, joints, shapes, and the scene around them.

All lengths are metres, masses kilograms, angles radians. Robots follow REP-103 (x forward, y left, z up).
Nothing here knows where a model comes from; importers live in `simspark_ros.robots`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from simspark_ros.physics.surface import Surface

Vector = tuple[float, float, float]
"""Coordinates x, y, z."""

ZERO: Vector = (0.0, 0.0, 0.0)


class ShapeKind(Enum):
    """Solids every engine can collide: primitives, and convex hulls of points."""

    BOX = "box"
    SPHERE = "sphere"
    CYLINDER = "cylinder"
    CAPSULE = "capsule"
    HULL = "hull"


@dataclass(frozen=True)
class Shape:
    """A solid placed in a link's frame.

    Attributes:
        size: box: full edge lengths (x, y, z), and of the box around a hull; sphere: (radius,); cylinder and capsule:
            (radius, length), axis z, the length of a capsule without its caps.
        position: centre in the link's frame, m.
        rpy: roll, pitch, yaw in the link's frame, rad (URDF convention).
        rgba: colour, used by renderers only.
        vertices: corners of a hull, from the centre of the box around it, m; `geometry.hulls` makes them.
    """

    kind: ShapeKind
    size: tuple[float, ...]
    position: Vector = ZERO
    rpy: Vector = ZERO
    rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)
    vertices: tuple[Vector, ...] = ()

    @property
    def is_boxed(self) -> bool:
        """Whether `size` has the edges of a box: the solid itself, or the box around a hull."""
        return self.kind in (ShapeKind.BOX, ShapeKind.HULL)


@dataclass(frozen=True)
class SurfaceMaterial:
    """Friction and rebound of a surface; the numbers of a contact are the products of its two surfaces' numbers.

    Attributes:
        friction: coefficient of Coulomb's friction.
        restitution: speed after an impact over the speed before, 0 to 1; slow impacts do not rebound.
    """

    friction: float = 1.0
    restitution: float = 0.0


@dataclass(frozen=True)
class Link:
    """A rigid body. Its frame is the frame of the joint that carries it (URDF convention).

    Attributes:
        name: name, unique in the model.
        mass: mass, kg, > 0.
        inertia: ixx, ixy, ixz, iyy, iyz, izz about the centre of mass, in the link's axes, kg m2.
        centre: centre of mass in the link's frame, m.
        collisions: solids that collide; empty = passes through everything.
        visuals, surfaces: solids and surfaces that pictures show.
        material: material of the surface; None leaves contacts with surfaces without a material to the engine's preset,
            and stands for a default `SurfaceMaterial` in contacts with others.
    """

    name: str
    mass: float
    inertia: tuple[float, float, float, float, float, float]
    centre: Vector = ZERO
    collisions: tuple[Shape, ...] = ()
    visuals: tuple[Shape, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    material: SurfaceMaterial | None = None

    @property
    def inertia_matrix(self) -> tuple[Vector, Vector, Vector]:
        """Rows of the inertia about the centre of mass, in the link's axes, kg m2."""
        ixx, ixy, ixz, iyy, iyz, izz = self.inertia
        return (ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz)


FAST = 10.0
"""Speed of hinges above which ODE's turns of a step would be more than 0.3 % too small, rad/s."""


class JointKind(Enum):
    """The degree of freedom of a joint."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FIXED = "fixed"


@dataclass(frozen=True)
class Mimic:
    """Makes a joint follow another joint of the model: position = multiplier * position of the other + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """Connects a child link to its parent.

    Attributes:
        name: name, unique in the model; also used on ROS topics.
        parent, child: names of the links.
        position: origin of the joint in the parent's frame, m.
        rpy: orientation of the joint frame in the parent's frame, rad.
        axis: unit vector in the joint's frame; positive motion is right-handed about it.
        lower, upper: stops, rad or m (infinite: none).
        max_velocity: largest velocity, rad/s or m/s.
        max_effort: largest effort, N m or N.
        damping: effort per velocity against the motion, N m s/rad or N s/m.
        friction: greatest effort of dry friction, N m or N.
        mimic: rule to follow another joint; a joint with a rule takes no commands.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    position: Vector = ZERO
    rpy: Vector = ZERO
    axis: Vector = (1.0, 0.0, 0.0)
    lower: float = float("-inf")
    upper: float = float("inf")
    max_velocity: float = float("inf")
    max_effort: float = float("inf")
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None

    @property
    def has_stops(self) -> bool:
        """Whether the joint has a stop on either side."""
        return self.kind is not JointKind.CONTINUOUS and (self.lower > -math.inf or self.upper < math.inf)

    def way(self, step: float) -> float:
        """Way in a step of that length, s, at the greatest speed, or at a usual speed if there is none; rad or m."""
        return step * (self.max_velocity if self.max_velocity < math.inf else _USUAL_SPEED)

    @property
    def stopping_effort(self) -> float:
        """Effort with which the joint's motor ends its motion at the stops by itself, N m or N.

        It is infinite without a motor and for followers: the stop alone holds them, whatever friction the joint has.
        """
        return self.max_effort if self.max_effort > 0.0 and self.mimic is None else math.inf

    def never_bounces(self, step: float) -> bool:
        """Whether the joint never bounces at its stops, even where stops are elastic, in steps of that length, s.

        It would bounce between stops that it crosses within two steps. A joint whose zero is not between its stops
        starts at one: a leg that lands would be thrown off, and ODE's motor leaves the stop with 1e-5 of its effort.
        """
        is_narrow = self.upper - self.lower < 2.0 * self.way(step)
        return self.has_stops and (is_narrow or not self.lower < 0.0 < self.upper)


_USUAL_SPEED = 10.0
"""Speed by which the ways of a joint without a greatest speed are measured, rad/s or m/s."""


@dataclass(frozen=True)
class Frame:
    """A named, massless coordinate frame fixed to a link (soles, wrists, cameras, `base_link`)."""

    name: str
    link: str
    position: Vector = ZERO
    rpy: Vector = ZERO


@dataclass(frozen=True)
class ArticulatedModel:
    """A tree of links; the first link is the base.

    Attributes:
        name: name of the model, e.g. `nao_type0`.
        links: base first, every parent before its children.
        joints: the movable joints, in the order in which every array of this model lists them.
        fixed_joints: joints that never move but connect links with mass.
        frames: named frames on links.
        touch_links: links whose contacts are measured (feet), in the order of the touch arrays.
        linear_drag: force per velocity on every link, N s/m.
        angular_drag: torque per angular velocity on every link, N m s/rad.
        fixed_base: whether the base is bolted to the world: nothing moves it but placing it elsewhere.
        mjcf: the same robot as text for MuJoCo, with all that only MuJoCo knows: bodies and joints have the names of
            links and joints; empty = there is none.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    fixed_joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    touch_links: tuple[str, ...] = ()
    linear_drag: float = 0.0
    angular_drag: float = 0.0
    fixed_base: bool = False
    mjcf: str = ""

    @property
    def base(self) -> Link:
        """The root link; a robot's position is the position of this link's centre of mass."""
        return self.links[0]

    @cached_property
    def is_fast(self) -> bool:
        """Whether a hinge has no stops or is faster than the classic league's: then a step's turn is exactly w h.

        ODE turns a body by 2 atan(w h / 2) a step, which classic agents know: 0.1 % less at 6.14 rad/s, 7 % at 50.
        """
        hinges = [joint for joint in self.joints if joint.kind is not JointKind.PRISMATIC]
        return any(joint.max_velocity > FAST or math.isinf(joint.upper - joint.lower) for joint in hinges)

    @property
    def is_classic(self) -> bool:
        """Whether it moves through the air of the classic server, whose agents know ODE's angles of hinges.

        In ODE a hinge that tilts by a degree at 0 is a degree beyond a stop there; makers' light hands tilt by three.
        """
        return self.linear_drag > 0.0

    @property
    def has_rollers(self) -> bool:
        """Whether driven wheels carry links that turn freely."""
        turning = [joint for joint in self.joints if math.isinf(joint.upper - joint.lower)]
        wheels = {joint.child for joint in turning if joint.max_effort > 0.0}
        return any(joint.parent in wheels and joint.max_effort == 0.0 for joint in turning)

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return sum(link.mass for link in self.links)

    def joint_numbers(self, names: Sequence[str]) -> list[int]:
        """Indices of joints by their names; a ValueError names one that does not exist."""
        known = [joint.name for joint in self.joints]
        for name in names:
            if name not in known:
                raise ValueError(f"unknown joint '{name}'; the robot has: {', '.join(known) or 'none'}")
        return [known.index(name) for name in names]

    def link(self, name: str) -> Link:
        """The link of that name.

        Raises:
            KeyError: no such link; the message lists the links.
        """
        try:
            return self._link_by_name[name]
        except KeyError:
            raise KeyError(
                f"model '{self.name}' has no link '{name}'; it has: {', '.join(self._link_by_name)}"
            ) from None

    def beyond(self, name: str) -> tuple[Link, ...]:
        """A link and all links that it carries, itself first; nothing if there is no such link."""
        carried = {name}
        parent_of = {joint.child: joint.parent for joint in (*self.joints, *self.fixed_joints)}
        # Parents come before their children.
        for link in self.links:
            if parent_of.get(link.name) in carried:
                carried.add(link.name)
        return tuple(link for link in self.links if link.name in carried)

    def __hash__(self) -> int:
        """Hash, computed once: models are keys of derived data."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.links, self.joints, self.fixed_joints, self.frames, self.touch_links, self.mjcf))

    @cached_property
    def _link_by_name(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}


class StaticBox(NamedTuple):
    """An immovable box, aligned with the world's axes.

    Attributes:
        name: name, unique in the scene, e.g. `left_goal_back`.
        centre: centre of the box, world frame, m.
        size: full edge lengths, m.
        rgba: colour, used by renderers only.
    """

    name: str
    centre: Vector
    size: Vector
    rgba: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)


class HeightField(NamedTuple):
    """Hilly ground, aligned with the world's axes: heights over a rectangular grid.

    Engines join the points of the grid by triangles, and may cut a cell along either of its diagonals.

    Attributes:
        heights: rows from -y to +y, each from -x to +x, above `position`, m; two rows and two columns at least.
        size: edge lengths along x and y, m.
        position: place of the middle at height zero, world frame, m.
        rgba: colour, used by renderers only.
    """

    heights: tuple[tuple[float, ...], ...]
    size: tuple[float, float]
    position: Vector = ZERO
    rgba: tuple[float, float, float, float] = (0.45, 0.42, 0.32, 1.0)

    @property
    def lowest(self) -> float:
        """Least of the heights, m."""
        return min(map(min, self.heights))

    @property
    def highest(self) -> float:
        """Greatest of the heights, m."""
        return max(map(max, self.heights))


class Obstacle(NamedTuple):
    """An immovable thing of any shape, which may be tilted.

    Attributes:
        name: name, unique in the scene.
        shape: solid or field, placed in the world's frame.
        material: material of the surface, see `Link`; the ball rebounds as from a `StaticBox` whatever the material.
    """

    name: str
    shape: Shape | HeightField
    material: SurfaceMaterial | None = None


@dataclass(frozen=True)
class BallModel:
    """A free homogeneous sphere.

    Attributes:
        radius, mass: m, kg.
        linear_drag: force per velocity, N s/m.
        angular_drag: torque per angular velocity, N m s/rad.
        colour: red, green, blue, 0 to 1, in pictures.
    """

    radius: float
    mass: float
    linear_drag: float = 0.0
    angular_drag: float = 0.0
    colour: Vector = (1.0, 0.45, 0.05)

    @property
    def inertia(self) -> float:
        """Moment of inertia about any axis through the centre, kg m2."""
        return 0.4 * self.mass * self.radius**2


@dataclass(frozen=True)
class SceneModel:
    """The immovable world and its ball. The ground is the plane z = 0.

    Attributes:
        ball: model of the ball; None in a world without a ball.
        boxes: static boxes.
        obstacles: immovable things of other shapes.
        ground: material of the ground, see `Link`.
        gravity: acceleration of gravity, world frame, m/s2.
    """

    ball: BallModel | None = None
    boxes: tuple[StaticBox, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    ground: SurfaceMaterial | None = None
    gravity: Vector = (0.0, 0.0, -9.81)
