"""The hinges of a model that drift, and their arms: the geometry behind `hinge_compliance`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pybullet

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind

DRIFT_AXES = ("x", "y", "z")


def drift_link(joint: str, axis: str) -> str:
    """Name of the helper link that slides along an axis before a drifting joint."""
    return f"{joint} drift {axis}"


@dataclass(frozen=True)
class DriftChains:
    """The drifting part of one model: B bodies whose rotations count, H hinges, T triples of helper slides.

    Attributes:
        bodies: names of the links, the base first.
        child, parent: (H,) index of the hinge's links among the bodies.
        child_arm, parent_arm: (H, 3) hinge's anchor less the centre of mass of the rigid part that the link belongs
            to, in the link's axes, m.
        triple: (H,) index of the triple that stands for the hinge's drift.
        turned: (S,) triple whose carrier a hinge turns, an entry for each such hinge.
        turning, turning_joint: (S,) the hinge's child among the bodies, and the hinge among the model's joints.
        turning_axis: (S, 3) axis of the hinge, in the child's axes.
        carrier: (T,) body in whose axes the triple slides.
        joints: (T,) name of the joint that follows each triple.
        below: (T,) names of the links that each triple moves.
    """

    bodies: tuple[str, ...]
    child: IntArray
    parent: IntArray
    child_arm: Array
    parent_arm: Array
    triple: IntArray
    turned: IntArray
    turning: IntArray
    turning_joint: IntArray
    turning_axis: Array
    carrier: IntArray
    joints: tuple[str, ...]
    below: tuple[tuple[str, ...], ...]


def drift_chains(model: ArticulatedModel, names: tuple[str, ...]) -> DriftChains | None:
    """The chains below the named joints; None if the model has none of these joints.

    The drift of a hinge counts for the nearest named joint above it or itself.
    """
    joints = tuple(joint.name for joint in model.joints if joint.name in names)
    if not joints:
        return None
    carried_by = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    hinges: list[Joint] = []
    triples: list[int] = []
    for joint in model.joints:
        above = _nearest_named(joint, joints, carried_by)
        if above is not None and joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS):
            hinges.append(joint)
            triples.append(joints.index(above))
    carriers = [joint.parent for joint in model.joints if joint.name in joints]
    bodies = list(dict.fromkeys([model.base.name, *carriers, *(n for one in hinges for n in (one.parent, one.child))]))
    centres = _rigid_centres(model)
    turns = [
        (number, hinge)
        for number, carrier in enumerate(carriers)
        for hinge in _joints_above(carrier, carried_by)
        if hinge in hinges
    ]
    return DriftChains(
        bodies=tuple(bodies),
        child=np.array([bodies.index(hinge.child) for hinge in hinges], np.int64),
        parent=np.array([bodies.index(hinge.parent) for hinge in hinges], np.int64),
        # A link's frame lies at its joint, so the anchor is the origin of the child's frame.
        child_arm=np.array([-centres[hinge.child] for hinge in hinges]).reshape(-1, 3),
        parent_arm=np.array([hinge.position - centres[hinge.parent] for hinge in hinges]).reshape(-1, 3),
        triple=np.array(triples, np.int64),
        turned=np.array([number for number, _ in turns], np.int64),
        turning=np.array([bodies.index(hinge.child) for _, hinge in turns], np.int64),
        turning_joint=np.array([model.joints.index(hinge) for _, hinge in turns], np.int64),
        turning_axis=np.array([hinge.axis for _, hinge in turns]).reshape(-1, 3),
        carrier=np.array([bodies.index(name) for name in carriers], np.int64),
        joints=joints,
        below=tuple(_links_below(name, model, carried_by) for name in joints),
    )


def _nearest_named(joint: Joint | None, names: tuple[str, ...], carried_by: dict[str, Joint]) -> str | None:
    while joint is not None and joint.name not in names:
        joint = carried_by.get(joint.parent)
    return None if joint is None else joint.name


def _joints_above(link: str, carried_by: dict[str, Joint]) -> Iterator[Joint]:
    while link in carried_by:
        yield carried_by[link]
        link = carried_by[link].parent


def _links_below(name: str, model: ArticulatedModel, carried_by: dict[str, Joint]) -> tuple[str, ...]:
    return tuple(link.name for link in model.links if _nearest_named(carried_by.get(link.name), (name,), carried_by))


def _rigid_centres(model: ArticulatedModel) -> dict[str, Array]:
    """Per link: centre of mass of all that is fixed to it, directly or not, in its frame."""
    # Pose of each link's frame in the frame of the first link of its rigid part.
    place: dict[str, tuple[str, Array, Array]] = {}
    fixed = {joint.child: joint for joint in model.fixed_joints}
    for link in model.links:
        if link.name in fixed:
            joint = fixed[link.name]
            root, origin, rotation = place[joint.parent]
            turn = np.array(pybullet.getMatrixFromQuaternion(pybullet.getQuaternionFromEuler(joint.rpy))).reshape(3, 3)
            place[link.name] = root, origin + rotation @ joint.position, rotation @ turn
        else:
            place[link.name] = link.name, np.zeros(3), np.eye(3)
    mass: dict[str, float] = {}
    moment: dict[str, Array] = {}
    for link in model.links:
        root, origin, rotation = place[link.name]
        mass[root] = mass.get(root, 0.0) + link.mass
        moment[root] = moment.get(root, np.zeros(3)) + link.mass * (origin + rotation @ link.centre)
    return {name: rotation.T @ (moment[root] / mass[root] - origin) for name, (root, origin, rotation) in place.items()}
