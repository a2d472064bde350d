"""Sections of a world file that do not depend on a game."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import ZERO, HeightField, Obstacle, SceneModel, Shape, SurfaceMaterial, Vector
from simspark_ros.robots.object_settings import GREY, LENGTH, Colour, Friction, ObjectSettings, Share, SolidSettings

FAR = 500.0
"""Bound of coordinates, m."""

MAX_POINTS = 65_536
"""Most points of a height field."""

MAX_CORNERS = 256
"""Most corners of a hull."""

Position = Annotated[Vector, Range(-FAR, FAR, "m")]
Angles = Annotated[Vector, Range(-360.0, 360.0, "degrees")]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
_MAX_NAME = 64
NAME_FORM = f"use at most {_MAX_NAME} letters, digits and single underscores, a letter first"


def is_thing_name(name: str) -> bool:
    """Whether obstacles, objects and robots may have this name."""
    return len(name) <= _MAX_NAME and _NAME.fullmatch(name) is not None


@dataclass(frozen=True)
class MaterialSettings(Checked):
    """An entry of `materials`: friction and restitution as in `SurfaceMaterial`; colour of things without their own."""

    friction: Friction = 1.0
    restitution: Share = 0.0
    colour: Colour = GREY

    @property
    def surface(self) -> SurfaceMaterial:
        """The material for engines."""
        return SurfaceMaterial(self.friction, self.restitution)


STRIPES_TEXTURE, GRASS_TEXTURE = "stripes", "grass"


@dataclass(frozen=True)
class GroundSettings(Checked):
    """Section `ground`: the plane z = 0, its material and its look in cameras' pictures.

    Attributes:
        texture: `stripes` of two greens, `grass`, or the path of a picture, from the folder of the file that names it.
        tile: width of the picture on the ground, m; the picture is repeated endlessly.
        material: material of the surface; without one the ground holds feet as on the classic server.
    """

    texture: str = STRIPES_TEXTURE
    tile: Annotated[float, Range(0.02, 100.0, "m")] = 1.0
    material: str = ""


STRIPES = GroundSettings()


@dataclass(frozen=True)
class HeightSettings(Checked):
    """A height field; size and spacing as in `HeightField`. White in pictures, see `grids`, is `height` high, m."""

    size: Annotated[tuple[float, float], LENGTH]
    heights: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        """Check that the heights are a grid."""
        super().__post_init__()
        rows, columns = len(self.heights), len(self.heights[0]) if self.heights else 0
        if rows < 2 or columns < 2 or any(len(row) != columns for row in self.heights):
            raise ValueError("heights: must be a grid: at least two rows of equal length, with at least two numbers")
        if rows * columns > MAX_POINTS:
            raise ValueError(f"heights: has {rows} x {columns} points; at most {MAX_POINTS} are allowed")
        if any(abs(height) > FAR for row in self.heights for height in row):
            raise ValueError(f"heights: must be from -{FAR:g} to {FAR:g} m")


@dataclass(frozen=True, kw_only=True)
class _Placed(SolidSettings):
    """A thing with a place in the world: position of its middle, m, and roll, pitch and yaw, degrees."""

    position: Position = ZERO
    rpy_deg: Angles = ZERO
    material: str = ""
    colour: Colour | None = None

    @property
    def rpy(self) -> Vector:
        """The rotation, rad."""
        roll, pitch, yaw = map(math.radians, self.rpy_deg)
        return roll, pitch, yaw

    def colour_with(self, material: MaterialSettings | None) -> Vector:
        """The thing's own colour, else the colour of its material."""
        return self.colour or (material.colour if material else GREY)


@dataclass(frozen=True, kw_only=True)
class ObstacleSettings(_Placed):
    """An entry of `obstacles`: a solid, a `hull` of corners from `position`, m, or a `height_field`, never turned."""

    hull: tuple[Vector, ...] | None = None
    height_field: HeightSettings | None = None

    def __post_init__(self) -> None:
        """Check that there is exactly one shape."""
        super().__post_init__()
        if self.hull is not None and not 4 <= len(self.hull) <= MAX_CORNERS:
            raise ValueError(f"hull: must have 4 to {MAX_CORNERS} corners, not {len(self.hull)}")
        if self.hull is not None and not all(abs(number) <= LENGTH.high for corner in self.hull for number in corner):
            raise ValueError(f"hull: corners must be within {LENGTH.high:g} m of 'position'")
        if self.height_field is not None and any(self.rpy_deg):
            raise ValueError("rpy_deg: a height_field cannot be turned; leave rpy_deg out")

    @classmethod
    def _shape_keys(cls) -> tuple[str, ...]:
        return (*super()._shape_keys(), "hull", "height_field")

    def obstacle(self, name: str, materials: Mapping[str, MaterialSettings]) -> Obstacle:
        """The obstacle for engines and renderers."""
        material = materials.get(self.material)
        colour, surface = self.colour_with(material), material.surface if material else None
        if self.hull is not None:
            return Obstacle(name, self._hull_shape(colour), surface)
        if self.height_field is None:
            return Obstacle(name, self.solid(self.position, self.rpy, colour), surface)
        field, rgba = self.height_field, (*colour, 1.0)
        return Obstacle(name, HeightField(field.heights, field.size, self.position, rgba), surface)

    def _hull_shape(self, colour: Vector) -> Shape:
        # World files without hulls are read without numpy.
        import numpy as np

        from simspark_ros.physics.geometry.hulls import hull_shape

        return hull_shape(np.array(self.hull), self.position, self.rpy, (*colour, 1.0))


@dataclass(frozen=True, kw_only=True)
class ThingSettings(_Placed):
    """An entry of `objects`: a solid that moves, its mass, kg, and its initial velocity, m/s."""

    mass: Annotated[float, Range(1e-3, 1e5, "kg")]
    velocity: Annotated[Vector, Range(-50.0, 50.0, "m/s")] = ZERO

    def settings(self, materials: Mapping[str, MaterialSettings]) -> ObjectSettings:
        """The settings for the object's description."""
        material = materials.get(self.material, MaterialSettings())
        return ObjectSettings(
            **self.shapes_given,
            mass=self.mass,
            friction=material.friction,
            restitution=material.restitution,
            colour=self.colour_with(material),
        )


@dataclass(frozen=True)
class RobotSettings(Checked):
    """An entry of `robots`: a robot that is in the world from the start.

    Attributes:
        robot: name of the robot, see `RobotName`; the path of a file is relative to the world file.
        type: heterogeneous type.
        position: place of the point between the robot's feet, m.
        heading_deg: heading, counter-clockwise from +x, degrees.
        joints: initial positions of joints, by name, rad or m; other joints start at 0.
        more: additional `perceptors`, `effectors` and `frames` as in a robot's YAML file, for a robot of the package.
    """

    robot: str
    type: Annotated[int, Range(0, 1000)] = 0
    position: Position = ZERO
    heading_deg: Annotated[float, Range(-360.0, 360.0, "degrees")] = 0.0
    joints: Mapping[str, float] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LightSettings(Checked):
    """Section `light`: direction of the sun in pictures, degrees; azimuth counter-clockwise from +x."""

    azimuth_deg: Annotated[float, Range(-360.0, 360.0, "degrees")] = -125.0
    elevation_deg: Annotated[float, Range(5.0, 90.0, "degrees")] = 55.0


@dataclass(frozen=True)
class ThingsFile(Checked):
    """The sections; obstacles, objects and robots become entities with their names."""

    gravity: Annotated[Vector, Range(-100.0, 100.0, "m/s2")] = SceneModel.gravity
    ground: GroundSettings = field(default_factory=GroundSettings)
    materials: Mapping[str, MaterialSettings] = field(default_factory=dict)
    obstacles: Mapping[str, ObstacleSettings] = field(default_factory=dict)
    objects: Mapping[str, ThingSettings] = field(default_factory=dict)
    robots: Mapping[str, RobotSettings] = field(default_factory=dict)
    light: LightSettings = field(default_factory=LightSettings)

    def __post_init__(self) -> None:
        """Check names and references."""
        super().__post_init__()
        names: set[str] = set()
        for section in ("obstacles", "objects", "robots"):
            for name in getattr(self, section):
                if not is_thing_name(name) or name in ("field", "ball"):
                    wrong = f"{shown(name)} is not a valid name; {NAME_FORM}, but not 'field' or 'ball'"
                    raise ValueError(f"{section}: {wrong}")
                if name in names:
                    raise ValueError(f"{section}: two things are named '{name}'; rename one")
                names.add(name)
        for where, material in self._materials_named():
            if material and material not in self.materials:
                known = ", ".join(self.materials) or "none"
                raise ValueError(f"{where}: unknown material {shown(material)}; 'materials' has: {known}")

    def _materials_named(self) -> Iterator[tuple[str, str]]:
        yield "ground", self.ground.material
        for section in ("obstacles", "objects"):
            for name, thing in getattr(self, section).items():
                yield f"{section}: {name}", thing.material

    @property
    def standing(self) -> tuple[Obstacle, ...]:
        """The obstacles, for engines and renderers."""
        return tuple(thing.obstacle(name, self.materials) for name, thing in self.obstacles.items())

    @property
    def ground_surface(self) -> SurfaceMaterial | None:
        """The material of the ground."""
        return self.materials[self.ground.material].surface if self.ground.material else None
