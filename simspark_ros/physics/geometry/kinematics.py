"""Forward kinematics of a model, without an engine: poses of its links for given joint positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from simspark_ros.physics.geometry.transforms import Array, Transform, rotation_about, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind


def link_frames(
    model: ArticulatedModel, positions: Mapping[str, float] | None = None, base: Transform | None = None
) -> dict[str, Transform]:
    """Poses of all links (the frame at the joint's anchor, not at the centre of mass) and frames by name.

    Args:
        model: model of the robot.
        positions: joint -> position, rad or m; joints that are left out are at 0.
        base: pose of the base link's frame; None gives all poses in that frame.
    """
    positions = positions or {}
    joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    poses = {model.base.name: Transform() if base is None else base}
    for link in model.links[1:]:
        joint = joint_to[link.name]
        poses[link.name] = poses[joint.parent] @ _across(joint, positions.get(joint.name, 0.0))
    for frame in model.frames:
        poses[frame.name] = poses[frame.link] @ Transform.of(frame.position, frame.rpy)
    return poses


def _across(joint: Joint, position: float) -> Transform:
    """Pose of the child's frame in the parent's."""
    origin = Transform.of(joint.position, joint.rpy)
    if joint.kind is JointKind.PRISMATIC:
        return origin @ Transform(position=position * np.array(joint.axis))
    if joint.kind is JointKind.FIXED or position == 0.0:
        return origin
    return origin @ Transform(rotation=rotation_about(joint.axis, position))


class LinkChains:
    """Poses of a few links of some robots, computed together again and again; L links.

    Args:
        robots: model of each robot and the names of its links; at least one link in all.
    """

    def __init__(self, robots: Sequence[tuple[ArticulatedModel, Sequence[str]]]) -> None:
        chains: list[list[tuple[int, Joint]]] = []
        first = 0
        for model, links in robots:
            index_of = {joint.name: index for index, joint in enumerate(model.joints, start=first)}
            joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
            for link in links:
                chain: list[tuple[int, Joint]] = []
                while link != model.base.name:
                    joint = joint_to[link]
                    chain.insert(0, (index_of.get(joint.name, 0), joint))
                    link = joint.parent
                chains.append(chain)
            first += len(model.joints)
        depth = max(1, *map(len, chains))
        shape = (depth, len(chains))
        # Arrays (depth, L, ...): a column per link, base first; shorter chains begin with joints that do nothing.
        # The pose of a child in its parent is still + sin(turn) odd + (1 - cos(turn)) even + slide along (Rodrigues).
        self._index = np.zeros(shape, np.int64)
        self._slides, self._turns = np.zeros((*shape, 1, 1)), np.zeros((*shape, 1, 1))
        self._still = np.broadcast_to(np.eye(4), (*shape, 4, 4)).copy()
        self._odd, self._even, self._along = (np.zeros((*shape, 4, 4)) for _ in range(3))
        for column, chain in enumerate(chains):
            for row, (index, joint) in enumerate(chain, start=depth - len(chain)):
                place = row, column
                x, y, z = joint.axis
                origin, cross = rotation_from_rpy(joint.rpy), np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
                self._index[place] = index
                self._slides[place] = joint.kind is JointKind.PRISMATIC
                self._turns[place] = joint.kind not in (JointKind.PRISMATIC, JointKind.FIXED)
                self._still[place][:3, :3], self._still[place][:3, 3] = origin, joint.position
                self._odd[place][:3, :3], self._even[place][:3, :3] = origin @ cross, origin @ cross @ cross
                self._along[place][:3, 3] = origin @ joint.axis
        self._any_slides = bool(self._slides.any())

    def at(self, positions: Array) -> Array:
        """Poses (L, 4, 4) of the links in the frames of their base links, homogeneous, m.

        positions: (J,) positions of all joints of all robots in order, rad or m.
        """
        # Joints that do nothing read the first position, which robots without joints lack.
        position = (positions if len(positions) else np.zeros(1))[self._index][..., None, None]
        angle = position * self._turns
        local = self._still + np.sin(angle) * self._odd + (1.0 - np.cos(angle)) * self._even
        if self._any_slides:
            local += position * self._slides * self._along
        poses: Array = local[0]
        for joint in local[1:]:
            poses = poses @ joint
        return poses
