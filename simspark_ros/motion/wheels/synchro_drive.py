"""A synchro drive: all wheels are turned together about the vertical, and the body with them, and roll together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError, Range
from simspark_ros.motion.wheels.ramped_drive import RampedDrive, axes_of, joints_of, wheels_of
from simspark_ros.motion.wheels.wheel_parameters import RampParameters
from simspark_ros.robots.description import RobotDescription

KIND = "synchro"

_ALONG = 0.999
"""Least part of a unit vector along the direction that it must have."""


@dataclass(frozen=True, kw_only=True)
class SynchroParameters(RampParameters):
    """Parameters in YAML.

    Attributes:
        steering: joint that turns a wheel about the vertical in the lower base; in the model, the joints of the other
            wheels and of the body `mimic` it.
        rolling: joints of wheels that roll along the body's x axis.
        radius: radius of the wheels, m.
    """

    steering: str
    rolling: tuple[str, ...]
    radius: Annotated[float, Range(0.001, 100.0)]


class SynchroDrive(RampedDrive):
    """Speeds of the joint that steers and of the wheels. See `WheelDrive` for arguments and errors."""

    options = SynchroParameters

    def __init__(self, description: RobotDescription, parameters: SynchroParameters, cycle: float) -> None:
        model = description.model
        joints = joints_of(model, (parameters.steering, *parameters.rolling))
        upward = float(axes_of(model, joints[:1])[0, 2])
        if abs(upward) < _ALONG:
            raise ConfigurationError(f"steering: joint '{parameters.steering}' must turn about the vertical")
        forward = wheels_of(model, joints[1:])[1][:, 0]
        # NaN for a wheel on a tilted axle.
        if not len(forward) or not (np.abs(forward) > _ALONG).all():
            raise ConfigurationError("rolling: must name wheels that roll along the body's x axis")
        none = np.zeros(len(forward))
        matrix = np.vstack(([0.0, 0.0, np.sign(upward)], np.stack((np.sign(forward), none, none), 1)))
        super().__init__(description, parameters, cycle, joints, matrix, np.array([1.0, *(none + parameters.radius)]))
