"""`base_footprint`: where a robot on two feet stands, on the floor (REP-120)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.kinematics import LinkChains
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Frame
from simspark_ros.robots.body.kinematics import base_frame

FOOTPRINT = "base_footprint"
SOLES = ("l_sole", "r_sole")
"""Frames of a robot's soles (REP-120)."""


class Footprint:
    """The pose of `base_footprint` in the base frame, again and again.

    It lies midway between the soles, as high as the lowest point of both feet, level, with the heading of the base
    frame.

    Args:
        model: model of a robot that `has_footprint`.
    """

    def __init__(self, model: ArticulatedModel) -> None:
        soles = _soles_of(model)
        _, frame = base_frame(model)
        self._base = Transform(frame.rotation, frame.position + np.array(model.base.centre)).inverse()
        self._feet = LinkChains([(model, [sole.link for sole in soles])])
        # Homogeneous points in the feet's frames: first the soles' middles, then corners of the feet.
        points = [[sole.position, *_corners(model, sole.link)] for sole in soles]
        most = max(map(len, points))
        padded = [each + each[:1] * (most - len(each)) for each in points]
        self._points = np.concatenate([np.array(padded, float), np.ones((2, most, 1))], 2)

    def below(self, rotation: Array, joints: Array) -> tuple[Array, Array]:
        """Position (3,), m, and orientation (4,), x, y, z, w, in the base frame.

        Args:
            rotation: (3, 3) rotation from the base frame to a frame that is level.
            joints: (J,) positions of the robot's joints, rad or m.
        """
        turn = rotation @ self._base.rotation
        feet = turn @ self._feet.at(joints)[:, :3]
        points = np.einsum("fij,fpj->fpi", feet, self._points) + rotation @ self._base.position
        place = points[:, 0].mean(axis=0)
        place[2] = points[..., 2].min()
        heading = rotation_from_rpy((0.0, 0.0, math.atan2(rotation[1, 0], rotation[0, 0])))
        return place @ rotation, np.array(quaternion_from_rotation(rotation.T @ heading))


def has_footprint(model: ArticulatedModel) -> bool:
    """Whether a robot has two soles, and no `base_footprint` of its own file."""
    own = {link.name for link in model.links} | {frame.name for frame in model.frames}
    return FOOTPRINT not in own and len(_soles_of(model)) == len(SOLES)


def _soles_of(model: ArticulatedModel) -> list[Frame]:
    return [frame for frame in model.frames if frame.name in SOLES]


def _corners(model: ArticulatedModel, link: str) -> Iterator[Array]:
    """Corners of the boxes and hulls of a link, in the link's frame, m."""
    for shape in model.link(link).collisions:
        pose = Transform.of(shape.position, shape.rpy)
        sides = product(*((-edge / 2.0, edge / 2.0) for edge in shape.size)) if shape.is_boxed else ()
        for corner in shape.vertices or sides:
            yield pose.apply(np.array(corner))
