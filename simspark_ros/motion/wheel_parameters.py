"""What a robot's file says of its driven wheels: the parameters of the effector `wheels`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.motion.models.neural import NeuralParameters

_LENGTH = Range(0.001, 100.0)
_ACCELERATION = Range(0.001, math.inf)


@dataclass(frozen=True)
class WheelParameters(Checked):
    """Parameters in YAML: either `left`, `right` and `track`, or `omni`.

    Attributes:
        radius: of the wheels, m.
        left, right: joints of the wheels in two rows; they roll forward in their positive direction.
        track: distance of the two rows, m.
        omni: joints of wheels with rollers; where they are and how they roll is in the model.
        max_acceleration: of the robot by velocity commands, m/s2.
        max_turn_acceleration: rad/s2.
        motion_model: of a robot with two rows, after which its velocity follows the commanded one, instead of by limits
            of acceleration.
        pid: gains by which the torque of each wheel follows its speed: N m per rad/s, per rad, and per rad/s2; None =
            wheels have the speed that they are commanded, as far as their motors' torque goes.
    """

    radius: Annotated[float, _LENGTH]
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    track: Annotated[float, _LENGTH] = 1.0
    omni: tuple[str, ...] = ()
    max_acceleration: Annotated[float, _ACCELERATION] = math.inf
    max_turn_acceleration: Annotated[float, _ACCELERATION] = math.inf
    motion_model: NeuralParameters | None = None
    pid: Annotated[tuple[float, float, float] | None, Range(0.0, 1e6)] = None

    def __post_init__(self) -> None:
        """Check that there is one kind of drive."""
        super().__post_init__()
        if bool(self.left and self.right) == bool(self.omni) or bool(self.left) != bool(self.right):
            raise ValueError("name either the joints of wheels on the left and on the right, or those of omni wheels")
        if self.omni and self.motion_model is not None:
            raise ValueError("motion_model: is of robots with wheels on the left and on the right, not on omni wheels")
