"""All drives: wheels of this package, and drives of other distributions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simspark_ros.configuration.entry_points import Group
from simspark_ros.effectors import EFFECTORS, Effector
from simspark_ros.effectors.walk import velocity_effector
from simspark_ros.motion.drive import Drive
from simspark_ros.motion.wheels.synchro_drive import KIND as SYNCHRO
from simspark_ros.motion.wheels.synchro_drive import SynchroDrive
from simspark_ros.motion.wheels.wheel_drive import KIND as WHEELS
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.robots.description import RobotDescription

DRIVES: dict[str, type[Drive]] = {WHEELS: WheelDrive, SYNCHRO: SynchroDrive}
"""Built-in drives by the kind of effector in robots' files."""

DRIVE_GROUP = Group("simspark_ros.drives", Drive, built_in=DRIVES, reserved=EFFECTORS)

DriveTypes = Mapping[str, type[Drive]]
"""Classes of drives, by the kind of effector in robots' files."""


def effectors_of(drives: DriveTypes) -> dict[str, Effector[Any]]:
    """The effectors by which drives are commanded, by kind."""
    return {kind: velocity_effector(kind, drive.options) for kind, drive in drives.items()}


def kind_of_drive(drives: DriveTypes, description: RobotDescription) -> str:
    """The kind of a robot's drive; another distribution's drive wins over a built-in one; empty if it has none."""
    kinds = [spec.kind for spec in description.effectors if spec.kind in drives]
    return next((kind for kind in kinds if kind not in DRIVES), "".join(kinds[:1]))


def make_drive(drives: DriveTypes, description: RobotDescription, cycle: float) -> Drive | None:
    """The drive of a robot for cycles of that length, s; None if it has none.

    Raises:
        ConfigurationError: the drive refuses the robot.
    """
    kind = kind_of_drive(drives, description)
    return drives[kind].of(description, kind, cycle) if kind else None
