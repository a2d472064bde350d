"""Recorded driving: a robot's poses, velocities and commands."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simspark_ros.configuration.errors import UserError
from simspark_ros.motion.models.displacements import displacements
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.robots.columns import read_columns

COLUMNS = ("time", "x", "y", "theta", "v_t", "v_r", "set_v_t", "set_v_r")

FEWEST = 100
"""Fewest samples of a log from which a model can be learned."""


@dataclass(frozen=True)
class DriveLog:
    """T samples at equal intervals.

    Attributes:
        times: (T,) times, s.
        poses: (T, 3) place, m, and heading, rad, in a fixed frame.
        velocities: (T, 2) velocity forward, m/s, and turn rate, rad/s.
        commands: (T, 2) commanded velocity forward, m/s, and turn rate, rad/s.
    """

    times: Array
    poses: Array
    velocities: Array
    commands: Array

    @property
    def interval(self) -> float:
        """Time from one sample to the next, s."""
        return round(float(np.median(np.diff(self.times))), 6)

    @property
    def displacements(self) -> Array:
        """(T - 1, 3) motion forward and left, m, and turn, rad, to the next sample, in the robot's axes."""
        return displacements(self.poses[:-1], self.poses[1:])

    def part(self, begin: float, end: float) -> DriveLog:
        """The samples between two shares of the log, 0 to 1."""
        some = slice(round(begin * len(self.times)), round(end * len(self.times)))
        return DriveLog(self.times[some], self.poses[some], self.velocities[some], self.commands[some])

    def save(self, path: Path) -> None:
        """Write the log as CSV; an OSError if that fails."""
        rows = np.column_stack((self.times, self.poses, self.velocities, self.commands))
        with path.open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(COLUMNS)
            lines.writerows([[f"{value:.6f}" for value in row] for row in rows.tolist()])


def read_drive_log(path: Path) -> DriveLog:
    """Read a CSV file whose first line names `COLUMNS`, in any order, in SI units.

    Raises:
        UserError: the file cannot be read, lacks a column, is too short, or its samples are not at equal intervals.
    """
    columns = read_columns(path, COLUMNS, COLUMNS, FEWEST)
    steps = np.diff(columns["time"])
    # Stamps are often rounded to a millisecond.
    uneven = np.flatnonzero(np.abs(steps - np.median(steps)) > 0.1 * np.median(steps) + 1e-3)
    if len(uneven):
        step = steps[uneven[0]]
        raise UserError(
            f"{path}: sample {uneven[0] + 2} comes {step:g} s after the one before, but others come "
            f"after {steps[0]:g} s"
        )
    groups = (("x", "y", "theta"), ("v_t", "v_r"), ("set_v_t", "set_v_r"))
    return DriveLog(columns["time"], *(np.column_stack([columns[name] for name in names]) for names in groups))
