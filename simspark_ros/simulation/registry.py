"""All sensors and actuators: built-in ones by name, plug-ins by entry points (docs/how_to/plugins.md)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from simspark_ros.configuration.entry_points import Group
from simspark_ros.effectors import EFFECTORS, Effector
from simspark_ros.effectors.create import LEAVE
from simspark_ros.perceptors.agent_state import AgentStatePerceptor
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.perceptors.camera import CameraPerceptor
from simspark_ros.perceptors.detection.detections import DetectionPerceptor
from simspark_ros.perceptors.force_torque import ForceTorquePerceptor
from simspark_ros.perceptors.ground_truth import FrameOrientationPerceptor, FramePositionPerceptor, GroundTruthPerceptor
from simspark_ros.perceptors.inertial import AccelerometerPerceptor, GyroscopePerceptor, MagnetometerPerceptor
from simspark_ros.perceptors.joints import HingeJointPerceptor, UniversalJointPerceptor
from simspark_ros.perceptors.laser_objects import LaserObjectsPerceptor
from simspark_ros.perceptors.lola import LolaPerceptor
from simspark_ros.perceptors.odometry import OdometryPerceptor
from simspark_ros.perceptors.rays import LaserPerceptor, RangePerceptor
from simspark_ros.perceptors.touch import ForceResistancePerceptor, TouchPerceptor
from simspark_ros.perceptors.vision import RestrictedVisionPerceptor
from simspark_ros.simulation.velocity.drives import DRIVE_GROUP, DRIVES, effectors_of
from simspark_ros.worlds.errors import CommandRejectedError

PERCEPTORS: dict[str, type[Perceptor]] = {
    "accelerometer": AccelerometerPerceptor,
    "agent_state": AgentStatePerceptor,
    "camera": CameraPerceptor,
    "force_resistance": ForceResistancePerceptor,
    "frame_orientation": FrameOrientationPerceptor,
    "frame_position": FramePositionPerceptor,
    "game_state": Perceptor,
    "gyroscope": GyroscopePerceptor,
    "hear": Perceptor,
    "hinge_joint": HingeJointPerceptor,
    "restricted_vision": RestrictedVisionPerceptor,
    "time": Perceptor,
    "touch": TouchPerceptor,
    "universal_joint": UniversalJointPerceptor,
    "lola": LolaPerceptor,
    "laser": LaserPerceptor,
    "range": RangePerceptor,
    "magnetometer": MagnetometerPerceptor,
    "force_torque": ForceTorquePerceptor,
    "detections": DetectionPerceptor,
    "ground_truth": GroundTruthPerceptor,
    "odometry": OdometryPerceptor,
    "laser_objects": LaserObjectsPerceptor,
}
"""Built-in perceptors by the kind that robots' files name."""

PERCEPTOR_GROUP = Group("simspark_ros.perceptors", Perceptor, built_in=PERCEPTORS)
EFFECTOR_GROUP = Group(
    "simspark_ros.effectors", Effector, instances=True, built_in=EFFECTORS, reserved=(LEAVE, *DRIVES), own_name="kind"
)


def perceptor_types() -> dict[str, type[Perceptor]]:
    """All perceptors by kind."""
    return PERCEPTOR_GROUP.parts()


def known_effectors() -> dict[str, Effector[Any]]:
    """All effectors by kind, including drives."""
    return {**isolated(EFFECTOR_GROUP.parts()), **effectors_of(DRIVE_GROUP.parts())}


def isolated(effectors: Mapping[str, Effector[Any]]) -> dict[str, Effector[Any]]:
    """The effectors by kind, whose exceptions become refusals of the command, logged the first time."""

    def fails(kind: str, error: Exception) -> CommandRejectedError:
        return CommandRejectedError(EFFECTOR_GROUP.fails(kind, error, "its command is refused"))

    return {kind: effector.with_errors(partial(fails, kind)) for kind, effector in effectors.items()}
