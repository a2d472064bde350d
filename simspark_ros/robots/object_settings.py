"""Settings of solids in a world file: of objects that move, and of obstacles.

World files are read without numpy, except for files with prisms, which are rare.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import Shape, ShapeKind, SurfaceMaterial, Vector

LENGTH = Range(1e-3, 100.0, "m")
Share = Annotated[float, Range(0.0, 1.0)]
Friction = Annotated[float, Range(0.0, 10.0)]
Colour = Annotated[Vector, Range(0.0, 1.0)]

GREY: Vector = (0.7, 0.7, 0.7)

SIZES: dict[str, tuple[str, ...]] = {
    "box": ("length", "width", "height"),
    "sphere": ("radius",),
    "cylinder": ("radius", "height"),
    "capsule": ("radius", "height without the round ends"),
    "ellipse": ("half length", "half width", "height"),
}
"""Names of the sizes of solids that numbers describe, m."""

SOLIDS = (*SIZES, "prism")
"""Keys of all solids."""


@dataclass(frozen=True)
class PrismSettings(Checked):
    """A prism.

    Attributes:
        outline: corners (x, y) of a convex polygon, one after the other around it, m, from any origin; the polygon's
            centroid is the prism's middle.
        height: height along z, m.
    """

    outline: tuple[tuple[float, float], ...]
    height: Annotated[float, LENGTH]

    def __post_init__(self) -> None:
        """Check that the outline is convex."""
        super().__post_init__()
        from simspark_ros.robots.prisms import check_outline

        check_outline(self.outline, LENGTH.low, LENGTH.high)


@dataclass(frozen=True, kw_only=True)
class SolidSettings(Checked):
    """A solid, given by exactly one of these keys.

    Attributes:
        box: edge lengths along x, y and z, m.
        sphere: radius, m.
        cylinder: radius and length along z, m.
        capsule: radius and length along z without the round ends, m.
        ellipse: half axes along x and y, and length along z, m.
        prism: outline and height.
    """

    box: Annotated[Vector | None, LENGTH] = None
    sphere: Annotated[float | None, LENGTH] = None
    cylinder: Annotated[tuple[float, float] | None, LENGTH] = None
    capsule: Annotated[tuple[float, float] | None, LENGTH] = None
    ellipse: Annotated[Vector | None, LENGTH] = None
    prism: PrismSettings | None = None

    def __post_init__(self) -> None:
        """Check that there is exactly one solid."""
        super().__post_init__()
        if len(self.shapes_given) != 1:
            given = " and ".join(self.shapes_given) or "none"
            raise ValueError(f"must have one of {', '.join(self._shape_keys())}, not {given}")

    @classmethod
    def _shape_keys(cls) -> tuple[str, ...]:
        return SOLIDS

    @property
    def shapes_given(self) -> dict[str, Any]:
        """Keys of the given shapes, and their values."""
        given = {key: getattr(self, key) for key in self._shape_keys()}
        return {key: size for key, size in given.items() if size is not None}

    @property
    def as_prism(self) -> PrismSettings | None:
        """The solid as a prism for engines; None for solids that are no prisms."""
        if self.ellipse is None:
            return self.prism
        from simspark_ros.robots.prisms import ellipse

        x, y, height = self.ellipse
        return PrismSettings(ellipse(x, y), height)

    def solid(self, position: Vector, rpy: Vector, colour: Vector) -> Shape:
        """The solid at a place, m and rad."""
        prism = self.as_prism
        if prism is not None:
            from simspark_ros.robots.prisms import prism_shape

            return prism_shape(prism.outline, prism.height, position, rpy, colour)
        ((kind, size),) = self.shapes_given.items()
        return Shape(ShapeKind(kind), size if isinstance(size, tuple) else (size,), position, rpy, (*colour, 1.0))


@dataclass(frozen=True, kw_only=True)
class ObjectSettings(SolidSettings):
    """A homogeneous solid that moves; material numbers as in `SurfaceMaterial`, mass in kg."""

    mass: Annotated[float, Range(1e-3, 1e5, "kg")]
    friction: Friction = SurfaceMaterial.friction
    restitution: Share = SurfaceMaterial.restitution
    colour: Colour = GREY
