"""The truth about a robot, as much of it as one wants to tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from simspark_ros.configuration.schema import Error, Range
from simspark_ros.perceptors.base import Perceptor, TopicParameters, check_place
from simspark_ros.robots.description import PerceptorSpec, RobotDescription


@dataclass(frozen=True)
class GroundTruthParameters(TopicParameters):
    """Parameters in YAML: standard deviations, of each axis.

    Attributes:
        position_noise: m.
        rotation_noise_deg: of small turns about each axis.
        linear_noise, angular_noise: of velocities, m/s and rad/s.
    """

    position_noise: Annotated[float, Range(0.0, 100.0, "m"), Error()] = 0.0
    rotation_noise_deg: Annotated[float, Range(0.0, 180.0, "degrees"), Error()] = 0.0
    linear_noise: Annotated[float, Range(0.0, 100.0, "m/s"), Error()] = 0.0
    angular_noise: Annotated[float, Range(0.0, 100.0, "rad/s"), Error()] = 0.0

    @property
    def rotation_noise(self) -> float:
        """In rad."""
        return math.radians(self.rotation_noise_deg)


class GroundTruthPerceptor(Perceptor):
    """Marks a link or frame, the base frame if none is named, whose truth is told on a topic; agents do not get it."""

    options: ClassVar[type[Any]] = GroundTruthParameters

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse places that the robot does not have."""
        super().check(spec, description)
        check_place(spec, description)


GROUND_TRUTH = PerceptorSpec("ground_truth", "ground_truth")
"""That of robots whose file lists none."""
