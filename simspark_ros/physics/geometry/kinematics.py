"""Forward kinematics of a model, without an engine: poses of its links and lowest points for given joint positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from simspark_ros.physics.geometry.link_motion import link_tree
from simspark_ros.physics.geometry.transforms import Array, Transform, product, rotation_about
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Shape, ShapeKind


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


def standing_height(model: ArticulatedModel, positions: Mapping[str, float] | None = None) -> float:
    """Height of the base's centre of mass above the lowest point of the robot, m; 0 if it collides with nothing.

    positions: positions of joints that are not at 0, rad or m.
    """
    poses = link_frames(model, positions)
    lows = [lowest_point(poses[link.name], shape) for link in model.links for shape in link.collisions]
    return model.base.centre[2] - min(lows) if lows else 0.0


def lowest_point(link: Transform, shape: Shape) -> float:
    """Height of a solid's lowest point, m. link: pose of the solid's link."""
    pose = link @ Transform.of(shape.position, shape.rpy)
    # A solid reaches as far down as its axes do together, each by the cosine of its angle with the vertical.
    down = np.abs(pose.rotation[2])
    if shape.kind is ShapeKind.HULL:
        reach = float(-product(shape.vertices, pose.rotation[2]).min())
    elif shape.kind is ShapeKind.BOX:
        reach = float(product(down, shape.size)) / 2.0
    elif shape.kind is ShapeKind.SPHERE:
        reach = shape.size[0]
    else:
        radius, length = shape.size
        rim = radius if shape.kind is ShapeKind.CAPSULE else radius * float(np.hypot(down[0], down[1]))
        reach = rim + float(down[2]) * length / 2.0
    return float(pose.position[2]) - reach


class LinkChains:
    """Poses of a few links of some robots, computed together again and again; L links.

    Args:
        robots: model of each robot and the names of its links; at least one link in all.
    """

    def __init__(self, robots: Sequence[tuple[ArticulatedModel, Sequence[str]]]) -> None:
        self._tree = link_tree([model for model, _ in robots])
        bases: list[int] = []
        places: list[int] = []
        count = 0
        for model, names in robots:
            number_of = {link.name: number for number, link in enumerate(model.links, start=count)}
            bases.append(count)
            places += [number_of[name] for name in names]
            count += len(model.links)
        centres = np.array([link.centre for model, _ in robots for link in model.links]).reshape(-1, 3)
        self._places = np.array(places)
        self._own_centres = centres[self._places]
        # Centres of mass and rotations of all links; those of bases stay as they are.
        self._centres, self._rotations = np.zeros((count, 3)), np.zeros((count, 9))
        self._centres[bases], self._rotations[bases] = centres[bases], np.eye(3).ravel()

    def at(self, positions: Array) -> Array:
        """Poses (L, 4, 4) of the links in the frames of their base links, homogeneous, m.

        positions: (J,) positions of all joints of all robots in order, rad or m.
        """
        self._tree.pose(positions, self._centres, self._rotations)
        rotations = self._rotations[self._places].reshape(-1, 3, 3)
        poses = np.zeros((len(rotations), 4, 4))
        poses[:, :3, :3], poses[:, 3, 3] = rotations, 1.0
        poses[:, :3, 3] = self._centres[self._places] - np.einsum("kij,kj->ki", rotations, self._own_centres)
        return poses
