"""A laser scanner with software that reports the robots around and the robot's own pose, not distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Error, Range
from simspark_ros.perceptors.base import reading_random
from simspark_ros.perceptors.rays import LaserParameters, LaserPerceptor, beam_angles
from simspark_ros.physics.engine import Array, IntArray, RayTarget
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.sensors.feature import Feature
from simspark_ros.worlds.world import World

OBJECTS = 16
"""Largest number of robots that are reported."""

POSE = ("x", "y", "heading")


@dataclass(frozen=True)
class LaserObjectsParameters(LaserParameters):
    """Parameters in YAML: the scanner's parameters, and errors of its software.

    Attributes:
        gap: least difference of distance between neighbouring beams on different things, m.
        position_noise: standard deviation of x and y of the pose, m.
        heading_noise_deg: standard deviation of the heading of the pose.
    """

    gap: Annotated[float, Range(0.01, 10.0, "m")] = 0.3
    position_noise: Annotated[float, Range(0.0, 100.0, "m"), Error()] = 0.0
    heading_noise_deg: Annotated[float, Range(0.0, 180.0, "degrees"), Error()] = 0.0


class LaserObjectsPerceptor(LaserPerceptor):
    """Robots by distance, bearing (of the middle of the visible part) and width, and the pose of the base frame.

    They are found in the scan, with its noise: neighbouring beams that hit a robot at about the same distance are one.
    Columns without a robot are NaN.
    """

    options: ClassVar[type[Any]] = LaserObjectsParameters
    columns: ClassVar[tuple[str, ...]] = (
        *POSE,
        *(f"{name}{index}" for name in ("distance", "bearing", "width") for index in range(OBJECTS)),
    )

    @classmethod
    def columns_of(cls, spec: PerceptorSpec) -> tuple[str, ...]:
        """The pose (m, rad), then distances, bearings and widths."""
        return cls.columns

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """`pose`, `robot_distance` and `robot_angle`."""
        distances, bearings = cls.columns[3 : 3 + OBJECTS], cls.columns[3 + OBJECTS : 3 + 2 * OBJECTS]
        return Feature("pose", POSE), Feature("robot_distance", distances), Feature("robot_angle", bearings)

    @classmethod
    def topics_of(cls, spec: PerceptorSpec) -> tuple[()]:
        """No topic: a publisher class sends these, as a declaration is not enough."""
        return ()

    def write(self, index: int, distance: Array, target: IntArray, world: World, values: Array) -> None:
        """Store the robots of one scan, and the pose."""
        options, start = self._parameters[index], self._starts[index]
        measured = self.measured(index, distance, world)
        found = segments(np.where(target == RayTarget.ROBOT, measured, np.inf), beam_angles(options), options.gap)
        table = np.full((3, OBJECTS), np.nan)
        table[:, : len(found)] = found[:OBJECTS].T
        values[start : start + 3] = self._pose(index, world)
        values[start + 3 : start + 3 + table.size] = table.ravel()

    def _pose(self, index: int, world: World) -> Array:
        mount, options, state = self._mounts[index], self._parameters[index], world.engine.state
        frame, rotation = base_frame(mount.robot.description.model)[1], state.rotation[mount.row]
        x, y, _ = state.position[mount.row] + product(rotation, frame.position)
        forward = product(rotation, frame.rotation[:, 0])
        # Not the stream of the distances.
        random = reading_random(self._seed + 1, mount, world.cycle)
        sizes = options.position_noise, options.position_noise, math.radians(options.heading_noise_deg)
        pose: Array = np.array([x, y, math.atan2(forward[1], forward[0])]) + sizes * random.standard_normal(3)
        return pose


def segments(distance: Array, angles: Array, gap: float) -> Array:
    """Distance of the nearest point (m), bearing of the middle (rad) and width (m) of things in a scan, (K, 3).

    Args:
        distance: (N,) distances of the beams, m; infinite where they hit nothing of interest.
        angles: (N,) angles of the beams, increasing, rad.
        gap: least difference of distance between neighbouring beams on different things, m.
    """
    hit = np.isfinite(distance)
    reach = np.where(hit, distance, 0.0)
    # A thing starts after a beam that hits nothing, or where the distance jumps.
    starts = hit & np.concatenate(([True], ~hit[:-1] | (np.abs(np.diff(reach)) > gap)))
    number = np.cumsum(starts) - 1
    found = []
    for index in range(int(starts.sum())):
        own = np.flatnonzero(hit & (number == index))
        first, last = own[0], own[-1]
        ends = [reach[i] * np.array([math.cos(angles[i]), math.sin(angles[i])]) for i in (first, last)]
        found.append((reach[own].min(), (angles[first] + angles[last]) / 2.0, math.hypot(*(ends[1] - ends[0]))))
    return np.array(found).reshape(-1, 3)
