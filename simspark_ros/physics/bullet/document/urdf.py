"""Writes an ArticulatedModel as the URDF text that PyBullet loads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

import numpy as np

from simspark_ros.physics.bullet.document.hull_files import hull_file
from simspark_ros.physics.bullet.document.soles import CORNER_RADIUS, soles
from simspark_ros.physics.geometry.transforms import Transform, product
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind, Vector
from simspark_ros.physics.model_cache import kept_with_model

_CORNERS = 8
"""Spheres at each rim of an elastic cylinder."""


@kept_with_model
def urdf_document(model: ArticulatedModel) -> str:
    """The model's mechanics and colliders as URDF.

    Joint limits are left out on purpose: Bullet's own limit constraints make walking robots unstable at 20 ms steps
    and catapult them, so the engine stops the joints itself.
    """
    lines = [f"<robot name={quoteattr(model.name)}>"]
    standing = soles(model)
    for link in model.links:
        lines += _link(link, standing.get(link.name, ()))
    for joint in (*model.joints, *model.fixed_joints):
        lines += _joint(joint)
    return "\n".join([*lines, "</robot>\n"])


def _link(link: Link, sole: Iterable[Vector]) -> Iterable[str]:
    ixx, ixy, ixz, iyy, iyz, izz = link.inertia
    yield f"<link name={quoteattr(link.name)}><inertial>{_origin(link.centre)}<mass value='{link.mass!r}'/>"
    yield f"<inertia ixx='{ixx!r}' ixy='{ixy!r}' ixz='{ixz!r}' iyy='{iyy!r}' iyz='{iyz!r}' izz='{izz!r}'/></inertial>"
    is_elastic = link.material is not None and link.material.restitution > 0.0
    for shape in link.collisions:
        yield f"<collision>{_origin(shape.position, shape.rpy)}<geometry>{_geometry(shape)}</geometry></collision>"
        for corner in _corners(shape) if is_elastic else ():
            radius = shape.size[0] if shape.kind is ShapeKind.CAPSULE else CORNER_RADIUS
            yield _sphere(corner, radius)
    for corner in () if is_elastic else sole:
        yield _sphere(corner, CORNER_RADIUS)
    yield "</link>"


def _sphere(place: Vector, radius: float) -> str:
    return f"<collision>{_origin(place)}<geometry><sphere radius='{radius!r}'/></geometry></collision>"


def _joint(joint: Joint) -> Iterable[str]:
    # "continuous" is Bullet's revolute joint without stops; an upper limit below the lower one means none.
    kind = "continuous" if joint.kind is JointKind.REVOLUTE else joint.kind.value
    yield f"<joint name={quoteattr(joint.name)} type='{kind}'>{_origin(joint.position, joint.rpy)}"
    yield f"<parent link={quoteattr(joint.parent)}/><child link={quoteattr(joint.child)}/>"
    if joint.kind is not JointKind.FIXED:
        yield f"<axis xyz='{_numbers(joint.axis)}'/><limit lower='1' upper='-1' effort='0' velocity='0'/>"
    yield "</joint>"


def _corners(shape: Shape) -> list[Vector]:
    """Places of spheres just inside the corners of a solid, or at the ends of a capsule, in the link's frame.

    Bullet finds one point a step where a cylinder, a capsule or a hull meets another solid, and an impact there turns a
    body that lands flat. Each sphere gets a point of its own at once.
    """
    if shape.kind is ShapeKind.CAPSULE:
        places = np.array([(0.0, 0.0, -shape.size[1] / 2.0), (0.0, 0.0, shape.size[1] / 2.0)])
    elif shape.kind is ShapeKind.CYLINDER:
        radius, half = shape.size[0] - CORNER_RADIUS, shape.size[1] / 2.0 - CORNER_RADIUS
        turns = [2.0 * math.pi * number / _CORNERS for number in range(_CORNERS)]
        places = np.array([(radius * math.cos(a), radius * math.sin(a), z) for a in turns for z in (-half, half)])
    elif shape.kind is ShapeKind.HULL:
        # A radius inward along each axis: in the corner of a box a sphere touches its faces.
        corners = np.array(shape.vertices)
        places = corners - CORNER_RADIUS * np.sign(corners)
    else:
        return []
    if min(shape.size) < 5.0 * CORNER_RADIUS:
        return []
    frame = Transform.of(shape.position, shape.rpy)
    x, y, z = (frame.position + product(places, frame.rotation.T)).T.tolist()
    return list(zip(x, y, z, strict=True))


def _geometry(shape: Shape) -> str:
    if shape.kind is ShapeKind.HULL:
        return f"<mesh filename={quoteattr(hull_file(shape.vertices))}/>"
    if shape.kind is ShapeKind.BOX:
        return f"<box size='{_numbers(shape.size)}'/>"
    if shape.kind is ShapeKind.SPHERE:
        return f"<sphere radius='{shape.size[0]!r}'/>"
    return f"<{shape.kind.value} radius='{shape.size[0]!r}' length='{shape.size[1]!r}'/>"


def _origin(position: Iterable[float], rpy: Iterable[float] = (0.0, 0.0, 0.0)) -> str:
    return f"<origin xyz='{_numbers(position)}' rpy='{_numbers(rpy)}'/>"


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
