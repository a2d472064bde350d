"""Objects that move: engines and cameras see them as robots of one link, without joints and devices."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from simspark_ros.configuration.schema import Checked, build
from simspark_ros.physics.model import ZERO, Shape, ShapeKind, SurfaceMaterial, Vector
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.formats.urdf.importer import import_urdf
from simspark_ros.robots.object_settings import ObjectSettings
from simspark_ros.robots.prisms import prism_inertia

_PREFIX = "object "
"""Beginning of the source of an object; its settings follow as JSON."""


@dataclass(frozen=True)
class _Named(Checked):
    name: str
    settings: ObjectSettings


def object_description(name: str, settings: ObjectSettings) -> RobotDescription:
    """The description of an object; the origin of its link is its centre of mass.

    Raises:
        RobotError: the object is too small, too large, too light or too heavy for engines.
    """
    given = {key: value for key, value in asdict(settings).items() if value is not None}
    return _described(_PREFIX + json.dumps({"name": name, "settings": given}))


def settings_of(description: RobotDescription) -> dict[str, Any]:
    """The settings of an object as in a world file, where a named material gives friction and restitution."""
    settings: dict[str, Any] = json.loads(description.source.removeprefix(_PREFIX))["settings"]
    return {key: value for key, value in settings.items() if key not in ("friction", "restitution")}


@lru_cache(maxsize=256)
def _described(source: str) -> RobotDescription:
    named = build(_Named, json.loads(source.removeprefix(_PREFIX)), "object")
    settings, name = named.settings, named.name
    shape = settings.solid(ZERO, ZERO, settings.colour)
    urdf = _urdf(name, settings, shape)
    model = import_urdf(urdf, source=f"object '{name}'")
    material = SurfaceMaterial(settings.friction, settings.restitution)
    model = replace(model, links=(replace(model.base, material=material),))
    return RobotDescription(name, 0, model, (), (), {}, 0.0, urdf, f"object '{name}'", source, is_object=True)


def _urdf(name: str, settings: ObjectSettings, shape: Shape) -> str:
    sizes = " ".join(map(repr, shape.size))
    if shape.kind is ShapeKind.BOX:
        solid = f'<box size="{sizes}"/>'
    elif shape.kind is ShapeKind.SPHERE:
        solid = f'<sphere radius="{shape.size[0]!r}"/>'
    elif shape.kind is ShapeKind.HULL:
        points = np.array(shape.vertices) + shape.position
        solid = f'<hull points="{" ".join(map(repr, points.reshape(-1).tolist()))}"/>'
    else:
        solid = f'<{shape.kind.value} radius="{shape.size[0]!r}" length="{shape.size[-1]!r}"/>'
    geometry = f"<geometry>{solid}</geometry>"
    colour = " ".join(map(repr, shape.rgba))
    xx, xy, yy, zz = (settings.mass * value for value in _inertia(settings, shape))
    return (
        f'<robot name="{name}"><material name="own"><color rgba="{colour}"/></material><link name="{name}">'
        f'<inertial><mass value="{settings.mass!r}"/>'
        f'<inertia ixx="{xx!r}" ixy="{xy!r}" ixz="0" iyy="{yy!r}" iyz="0" izz="{zz!r}"/></inertial>'
        f'<visual>{geometry}<material name="own"/></visual><collision>{geometry}</collision></link></robot>'
    )


def _inertia(settings: ObjectSettings, shape: Shape) -> tuple[float, float, float, float]:
    """Inertias xx, xy, yy and zz of a homogeneous solid of 1 kg, m2; the others are 0."""
    prism = settings.as_prism
    if prism is not None:
        return prism_inertia(prism.outline, prism.height)
    xx, yy, zz = _moments(shape)
    return xx, 0.0, yy, zz


def _moments(shape: Shape) -> Vector:
    """Moments of inertia of a homogeneous solid of 1 kg about its axes, m2."""
    if shape.kind is ShapeKind.BOX:
        x, y, z = (edge * edge for edge in shape.size)
        return (y + z) / 12.0, (z + x) / 12.0, (x + y) / 12.0
    radius, length = (*shape.size, 0.0)[:2]
    square = radius * radius
    if shape.kind is ShapeKind.SPHERE:
        return 0.4 * square, 0.4 * square, 0.4 * square
    across = square / 4.0 + length * length / 12.0
    if shape.kind is ShapeKind.CYLINDER:
        return across, across, square / 2.0
    # A cylinder and two half spheres, whose centres of mass are 3/8 of the radius beyond its ends.
    rod, ball = math.pi * square * length, 4.0 / 3.0 * math.pi * radius**3
    share = ball / (rod + ball)
    caps = 0.4 * square + length * length / 4.0 + 3.0 / 8.0 * length * radius
    along = (1.0 - share) * square / 2.0 + share * 0.4 * square
    across = (1.0 - share) * across + share * caps
    return across, across, along
