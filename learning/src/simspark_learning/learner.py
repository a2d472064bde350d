"""A method of learning, and the progress of a training."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from simspark_learning.policy import Policy

CURVE_FILE, PICTURE_FILE = "curve.csv", "curve.png"


@dataclass(frozen=True)
class TrainingProgress:
    """The state of a training after an update of the policy.

    Attributes:
        steps: number of actions of all robots so far.
        seconds: real time since the start, s.
        reward: mean reward of the episodes that ended since the last update; NaN if none has.
        length: mean length of these episodes, actions.
        success: share of these episodes that ended with the task fulfilled.
    """

    steps: int
    seconds: float
    reward: float
    length: float
    success: float


Ended = tuple[float, int, bool]
"""An episode that has ended: its reward, its length in actions, and whether it fulfilled the task."""


class Curve:
    """Notes the episodes between two updates, and reports their means after each update."""

    def __init__(self, report: Callable[[TrainingProgress], object]) -> None:
        self.rows: list[TrainingProgress] = []
        self._report = report
        self._began = time.monotonic()

    def note(self, steps: int, ended: Sequence[Ended]) -> None:
        """Note an update after a number of actions, and the episodes since the last one."""
        reward, length, success = np.mean(ended, axis=0).tolist() if ended else (np.nan,) * 3
        self.rows.append(TrainingProgress(steps, time.monotonic() - self._began, reward, length, success))
        self._report(self.rows[-1])

    def write(self, folder: Path, task: str) -> None:
        """Write a table and, with Matplotlib, a picture to a folder."""
        rows = self.rows
        names = list(TrainingProgress.__dataclass_fields__)
        with (folder / CURVE_FILE).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([getattr(row, name) for name in names] for row in rows)
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return

        figure = Figure(figsize=(9.0, 4.5), dpi=80, layout="constrained")
        axes = figure.subplots(1, 2)
        steps = [row.steps for row in rows]
        axes[0].plot(steps, [row.reward for row in rows])
        axes[0].set(xlabel="actions", ylabel="reward of an episode", title=task)
        axes[1].plot(steps, [row.success for row in rows])
        axes[1].set(xlabel="actions", ylabel="episodes that end with success", ylim=(0.0, 1.0))
        for one in axes:
            one.grid(alpha=0.3)
        figure.savefig(folder / PICTURE_FILE)


class Learner(Protocol):
    """A method of learning at work."""

    def learn(self, curve: Curve) -> None:
        """Learn to the end of the training."""

    def policy(self) -> Policy:
        """The policy learned so far."""

    def save(self, folder: Path) -> None:
        """Write what the method has beside the policy."""
