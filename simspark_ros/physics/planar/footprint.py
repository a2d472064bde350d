"""A robot projected to the plane at a pose: its mass, the outlines of its links, and its footings on the ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import IntArray
from simspark_ros.physics.geometry.link_motion import LinkMotion, joint_anchors
from simspark_ros.physics.geometry.transforms import Array, product, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, ShapeKind
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.planar.footing import PlanarFooting
from simspark_ros.physics.planar.outline import Outline, Point, projected

_LEVEL = 0.1
"""Greatest vertical part of the unit vector along a wheel's axle."""

_UPRIGHT = 0.99
"""Least vertical part of the unit vector along the axis of a joint that steers wheels."""

_ON_AXLE = 1e-6
"""Greatest distance from a wheel's axle at which a point is on the axle, m."""


@dataclass(frozen=True)
class Footprint:
    """A robot in the plane; points are from the base's centre of mass, in axes that turn with the body, m.

    Attributes:
        mass, inertia: mass, kg, and inertia about the vertical through the centre of mass, kg m2.
        centre: centre of mass of the robot.
        outlines: outlines of the links, each with the index of its link.
    """

    mass: float
    inertia: float
    centre: Point
    outlines: tuple[tuple[Outline, int], ...]


def footprint(motion: LinkMotion, positions: Array, tilt: Array, height: float) -> Footprint:
    """Project a robot. positions: (J,) joint positions; tilt: (3, 3) base to body; height: height of its centre, m."""
    model = motion.model
    centres, rotations = motion.poses(positions, tilt)
    centres += 0.0, 0.0, height
    masses, own, levers, links, places, turns = _constants(model)
    mass = float(masses.sum())
    x, y = (product(masses, centres[:, :2]) / mass).tolist()
    arms = centres[:, :2] - (x, y)
    # The last row of a link's rotation is the vertical in the link's axes.
    up = rotations[:, 2]
    inertia = float(product(masses, (arms * arms).sum(axis=1)) + np.einsum("li,lij,lj->", up, own, up))
    origins, carriers = centres - np.einsum("lij,lj->li", rotations, levers), rotations[links]
    turned = np.einsum("sij,sjk->sik", carriers, turns)
    stood = origins[links] + np.einsum("sij,sj->si", carriers, places)
    solids = [shape for link in model.links for shape in link.collisions]
    outlines = map(projected, solids, turned, stood)
    return Footprint(mass, inertia, (x, y), tuple(zip(outlines, links.tolist(), strict=True)))


@kept_with_model
def _constants(model: ArticulatedModel) -> tuple[Array, Array, Array, IntArray, Array, Array]:
    """Masses, inertias and centres of the links; links, places and rotations, in these, of the solids."""
    solids = [(index, shape) for index, link in enumerate(model.links) for shape in link.collisions]
    return (
        np.array([link.mass for link in model.links]),
        np.array([link.inertia_matrix for link in model.links]),
        np.array([link.centre for link in model.links]),
        np.array([index for index, _ in solids], np.int64),
        np.array([shape.position for _, shape in solids]).reshape(-1, 3),
        np.array([rotation_from_rpy(shape.rpy) for _, shape in solids]).reshape(-1, 3, 3),
    )


def rollers(model: ArticulatedModel) -> set[int]:
    """Indices of the joints of wheels' rollers: they turn endlessly on a wheel, which turns endlessly itself.

    A link that turns about the vertical carries no rollers: it steers a wheel.
    """
    anchors = joint_anchors(model)
    endless = {joint.child for joint in model.joints if joint.kind is JointKind.CONTINUOUS}
    wheels = endless - {joint.child for joint in model.joints if _steers(joint, anchors[joint.name][1])}
    return {index for index, joint in enumerate(model.joints) if joint.child in endless and joint.parent in wheels}


def _steers(joint: Joint, axis: Array) -> bool:
    """Whether a joint with this axis in the base's axes turns what it carries about the vertical."""
    return joint.kind in (JointKind.CONTINUOUS, JointKind.REVOLUTE) and abs(float(axis[2])) > _UPRIGHT


def _carriers(model: ArticulatedModel, link: str) -> list[Joint]:
    """The joints that move between a link and the base."""
    above = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    found = []
    while link in above:
        found.append(above[link])
        link = above[link].parent
    return [joint for joint in found if joint.kind is not JointKind.FIXED]


def footings(
    model: ArticulatedModel,
    outlines: Sequence[tuple[Outline, int]],
    tilt: Array,
    friction: Sequence[float],
    reach: float,
) -> list[PlanarFooting]:
    """The footings of a robot: its parts no higher than `reach` above the ground. friction: (L,) links' friction.

    A robot that stands on one ball has none: it rolls.
    """
    centres, rotations = LinkMotion(model).poses(np.zeros(len(model.joints)))
    index_of = {link.name: index for index, link in enumerate(model.links)}
    passive, anchors = rollers(model), joint_anchors(model)
    found: list[PlanarFooting] = []
    rolling = set()
    for number, joint in enumerate(model.joints):
        child = index_of[joint.child]
        axis = product(tilt, product(rotations[child], joint.axis))
        if joint.kind is not JointKind.CONTINUOUS or number in passive or abs(axis[2]) > _LEVEL:
            continue
        own = {child} | {index_of[model.joints[i].child] for i in passive if model.joints[i].parent == joint.child}
        low = min((outline.low for outline, link in outlines if link in own), default=math.inf)
        if low > reach:
            continue
        rolling |= own
        # The frame of a link lies on its joint: its origin is the hub, wherever the wheel's mass is.
        centre = centres[child] - product(rotations[child], model.links[child].centre)
        hub = product(tilt, centre)
        high = max(outline.high for outline, link in outlines if link in own)
        # The hub of a wheel that turns about its axle moves along axle x up.
        roll = np.array((axis[1], -axis[0])) / math.hypot(axis[0], axis[1])
        among = [
            _grip(centres[i] - centre, rotations[i], joint_axis, tilt, axis)
            for i, joint_axis in _axes(model, own - {child})
        ]
        grips = [grip for grip in among if grip is not None]
        carriers = _carriers(model, joint.parent)
        steered = (
            bool(carriers) and not grips and all(_steers(one, product(tilt, anchors[one.name][1])) for one in carriers)
        )
        if steered and not all(one.max_effort > 0.0 for one in carriers):
            # A caster follows wherever it is drawn.
            found.append(PlanarFooting((float(hub[0]), float(hub[1])), child, 0.0))
            continue
        found.append(
            PlanarFooting(
                (float(hub[0]), float(hub[1])),
                child,
                friction[child],
                number,
                (high - low) / 2.0,
                (float(roll[0]), float(roll[1])),
                grips[0] if grips else None,
                steered,
            )
        )
    others = [(outline, link) for outline, link in outlines if outline.low <= reach and link not in rolling]
    balls = [shape.kind is ShapeKind.SPHERE for _, link in others for shape in model.links[link].collisions]
    if not found and len(others) == 1 and all(balls):
        return []
    for outline, link in others:
        found += [PlanarFooting(corner, link, friction[link]) for corner in outline.corners]
    return found


def _axes(model: ArticulatedModel, links: set[int]) -> list[tuple[int, Array]]:
    names = {model.links[index].name: index for index in sorted(links)}
    return [(names[joint.child], np.array(joint.axis)) for joint in model.joints if joint.child in names]


def _grip(arm: Array, rotation: Array, axis: Array, tilt: Array, axle: Array) -> Point | None:
    """The axis of a roller, at an arm from the hub, once the wheel has turned the roller to the ground.

    None for a roller on the axle, which never reaches the ground, and for an axis that would point into the ground.
    """
    radial, turned = product(tilt, arm), product(tilt, product(rotation, axis))
    radial = radial - axle * product(radial, axle)
    distance = math.hypot(*radial)
    if distance < _ON_AXLE:
        return None
    along = np.cross(axle, radial / distance)
    lowest = np.cross(axle, (0.0, 0.0, -1.0))
    # A roller rolls across its axis, so it holds along it. Of this axis the parts along rim and axle stay in the plane
    # when the wheel has turned the roller down; the part along the radius then points into the ground.
    grip = product(turned, along) * lowest + product(turned, axle) * axle
    length = math.hypot(grip[0], grip[1])
    return (float(grip[0]) / length, float(grip[1]) / length) if length > _LEVEL else None
