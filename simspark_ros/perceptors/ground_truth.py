"""True poses: of a robot with its velocity, with settable errors, and of frames on a robot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Error, Range
from simspark_ros.perceptors.base import Mount, Perceptor, TopicParameters
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.worlds.world import World


@dataclass(frozen=True)
class GroundTruthParameters(TopicParameters):
    """Parameters in YAML: standard deviations for each axis.

    Attributes:
        position_noise: deviation of positions, m.
        rotation_noise_deg: deviation of rotations, by small turns about each axis.
        linear_noise, angular_noise: deviations of velocities, m/s and rad/s.
    """

    position_noise: Annotated[float, Range(0.0, 100.0, "m"), Error()] = 0.0
    rotation_noise_deg: Annotated[float, Range(0.0, 180.0, "degrees"), Error()] = 0.0
    linear_noise: Annotated[float, Range(0.0, 100.0, "m/s"), Error()] = 0.0
    angular_noise: Annotated[float, Range(0.0, 100.0, "rad/s"), Error()] = 0.0

    @property
    def rotation_noise(self) -> float:
        """Standard deviation of rotations, rad."""
        return math.radians(self.rotation_noise_deg)


class GroundTruthPerceptor(Perceptor):
    """Marks a link or frame (default: the base frame) for a topic with its true state; agents do not get it."""

    options: ClassVar[type[Any]] = GroundTruthParameters
    on_frames: ClassVar[bool] = True


GROUND_TRUTH = PerceptorSpec("ground_truth", "ground_truth")
"""Ground truth of robots with no such entry in their file."""


_WXYZ = np.array([3, 0, 1, 2])


class _FramePerceptor(Perceptor):
    needs_link: ClassVar[bool] = True
    on_frames: ClassVar[bool] = True

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
