"""The true pose and velocity of a robot, with settable errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from simspark_ros.configuration.schema import Error, Range
from simspark_ros.perceptors.base import Perceptor, TopicParameters, check_place
from simspark_ros.robots.description import PerceptorSpec, RobotDescription


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

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse places that the robot does not have."""
        super().check(spec, description)
        check_place(spec, description)


GROUND_TRUTH = PerceptorSpec("ground_truth", "ground_truth")
"""Ground truth of robots with no such entry in their file."""
