"""The parameters by which a robot's file describes driven wheels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.motion.models.neural import NeuralParameters

_LENGTH = Range(0.001, 100.0)
_ACCELERATION = Range(0.001, math.inf)
_VELOCITY = Range(0.001, math.inf)


@dataclass(frozen=True)
class RampParameters(Checked):
    """Limits on a drive's velocity and its change.

    Attributes:
        max_acceleration: greatest acceleration of the robot by velocity commands, m/s2.
        max_turn_acceleration: greatest angular acceleration of the robot by velocity commands, rad/s2.
        max_velocity: greatest velocity of the robot by velocity commands, m/s.
        max_turn_velocity: greatest angular velocity of the robot by velocity commands, rad/s.
    """

    max_acceleration: Annotated[float, _ACCELERATION] = math.inf
    max_turn_acceleration: Annotated[float, _ACCELERATION] = math.inf
    max_velocity: Annotated[float, _VELOCITY] = math.inf
    max_turn_velocity: Annotated[float, _VELOCITY] = math.inf


@dataclass(frozen=True, kw_only=True)
class WheelParameters(RampParameters):
    """Parameters of the effector `wheels` in YAML: either `left`, `right` and `track`, or `omni`.

    Attributes:
        radius: radius of the wheels, m.
        left, right: joints of the wheels in two rows; they roll forward in their positive direction.
        track: distance of the two rows, m.
        omni: joints of wheels with rollers; the model has their places and the directions in which they roll.
        motion_model: model of the motion of a robot with two rows, by which its velocity follows commands; it replaces
            the limits of acceleration.
        pid: gains from the error of each wheel's speed to its torque: N m per rad/s, per rad, and per rad/s2; None =
            wheels have their commanded speed, as far as their motors' torque suffices.
    """

    radius: Annotated[float, _LENGTH]
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    track: Annotated[float, _LENGTH] = 1.0
    omni: tuple[str, ...] = ()
    motion_model: NeuralParameters | None = None
    pid: Annotated[tuple[float, float, float] | None, Range(0.0, 1e6)] = None

    def __post_init__(self) -> None:
        """Check that there is exactly one kind of drive."""
        super().__post_init__()
        if bool(self.left and self.right) == bool(self.omni) or bool(self.left) != bool(self.right):
            raise ValueError("name either joints of left and right wheels, or joints of omni wheels")
        if self.omni and self.motion_model is not None:
            raise ValueError("motion_model: needs wheels on the left and on the right, not omni wheels")
