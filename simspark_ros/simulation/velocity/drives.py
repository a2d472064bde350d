"""All drives: wheels and gaits of this package, and drives of other distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.effectors import EFFECTORS, Effector
from simspark_ros.effectors.walk import velocity_effector
from simspark_ros.motion.adapted import Walker
from simspark_ros.motion.drive import Drive
from simspark_ros.motion.wheels.synchro_drive import KIND as SYNCHRO
from simspark_ros.motion.wheels.synchro_drive import SynchroDrive
from simspark_ros.motion.wheels.wheel_drive import KIND as WHEELS
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.robots.description import RobotDescription

DRIVE_GROUP = Group("simspark_ros.drives", Drive, reserved=EFFECTORS)

BUILT_IN: Mapping[str, Callable[[RobotDescription, float], Drive]] = {WHEELS: WheelDrive, SYNCHRO: SynchroDrive}
"""Drives of this package by the kind of effector in robots' files; they take a robot and the length of a cycle, s."""

DriveTypes = Mapping[str, type[Drive]]
"""Classes of drives, by the kind of effector in robots' files."""


def effectors_of(drives: DriveTypes) -> dict[str, Effector[Any]]:
    """The effectors by which drives are commanded, by kind."""
    return {kind: velocity_effector(kind, drive.options) for kind, drive in drives.items()}


def make_drive(drives: DriveTypes, description: RobotDescription, cycle: float) -> Drive | None:
    """The drive of a robot; another distribution's drive wins over this package's; None if it has no drive.

    Raises:
        ConfigurationError: the drive refuses the robot.
    """
    for spec in description.effectors:
        if spec.kind in drives:
            drive, place = drives[spec.kind], description.place(spec)
            parameters = build(drive.options, dict(spec.parameters), place)
            try:
                made = drive(description, parameters, cycle)
                _check(made, len(description.model.joints))
            # Any code may run there.
            except Exception as error:
                raise ConfigurationError(f"{place}: {type(error).__name__}: {error}") from error
            return made
    kinds = [spec.kind for spec in description.effectors if spec.kind in BUILT_IN]
    return BUILT_IN[kinds[0]](description, cycle) if kinds else None


def make_mover(drives: DriveTypes, description: RobotDescription, cycle: float) -> Drive | Walker:
    """The mover of a robot: its drive, or its gait."""
    return make_drive(drives, description, cycle) or Walker(description, cycle)


def _check(drive: Drive, joints: int) -> None:
    """Raise ValueError if a plug-in's attributes or odometry are unusable for a model with `joints` joints."""
    given = np.asarray(drive.joints)
    is_array = isinstance(drive.joints, np.ndarray) and given.ndim == 1
    if not is_array or not np.issubdtype(given.dtype, np.integer) or len(set(given.tolist())) < len(given):
        raise ValueError(f"joints: {drive.joints!r}; they must be a (K,) array of whole numbers, each once")
    if given.size and not 0 <= given.min() <= given.max() < joints:
        raise ValueError(f"joints: {given}; the robot's model has joints 0 to {joints - 1}")
    middle = np.asarray(drive.middle, float)
    if middle.shape != (3,) or not np.isfinite(middle).all():
        raise ValueError(f"middle: {middle}; it must be (3,) numbers, m")
    still = np.asarray(drive.motion(np.zeros(len(given))), float)
    if still.shape != (3,) or not np.isfinite(still).all():
        raise ValueError(f"motion of joints at rest: {still}; it must be (3,) numbers: forward, left, turn")
