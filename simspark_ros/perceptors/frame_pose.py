"""The true place and attitude of a frame in the world, as messages to agents have them; no noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from simspark_ros.perceptors.base import Mount, Perceptor, check_place
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.worlds.world import World

_WXYZ = np.array([3, 0, 1, 2])


class _FramePerceptor(Perceptor):
    needs_link: ClassVar[bool] = True

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse places that the robot does not have."""
        super().check(spec, description)
        check_place(spec, description)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Select the frames."""
        self._frames = world.engine.select_links([(mount.robot.handle, mount.spec.link) for mount in mounts])
        starts = np.array([mount.start for mount in mounts], np.int64)
        self._places = starts[:, None] + np.arange(len(self.columns))


class FramePositionPerceptor(_FramePerceptor):
    """Place of a frame's origin, or of a link's centre of mass, in the world's frame, m."""

    columns: ClassVar[tuple[str, ...]] = ("x", "y", "z")

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Copy the positions."""
        values[self._places] = world.engine.link_poses(self._frames)[0]


class FrameOrientationPerceptor(_FramePerceptor):
    """Rotation of a frame or link to the world, as a quaternion with w >= 0."""

    columns: ClassVar[tuple[str, ...]] = ("w", "x", "y", "z")

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Turn rotations into quaternions."""
        values[self._places] = quaternions_from_rotations(world.engine.link_poses(self._frames)[1])[:, _WXYZ]
