"""Trains a policy, and draws its progress."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from simspark_learning.policy import Policy
from simspark_learning.settings import LearnSettings
from simspark_learning.tasks import TASKS
from simspark_learning.worlds import Host, RunningEpisodes, Wish, make_episodes
from simspark_ros.clients.cluster import Cluster
from simspark_ros.configuration.errors import UserError

POLICY_FILE, CURVE_FILE, PICTURE_FILE = "policy.npz", "curve.csv", "curve.png"


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


class Learner(Protocol):
    """A method of learning at work."""

    def learn(self, curve: Curve) -> None:
        """Learn to the end of the training."""

    def policy(self) -> Policy:
        """The policy learned so far."""

    def save(self, folder: Path) -> None:
        """Write what the method has beside the policy."""


def train(settings: LearnSettings, report: Callable[[TrainingProgress], object] = lambda progress: None) -> Policy:
    """Train a policy and write it, and the curve as table and, with Matplotlib, as picture, to a folder.

    Equal settings give equal policies on one machine. `report` is called after each update. An interrupt ends the
    training; the policy learned until then is kept, also if a process with worlds ends.

    Raises:
        UserError: the task cannot be made, the folder cannot be written, a package is missing, or a process or cluster
            has failed.
    """
    with ExitStack() as stack:
        host = None
        if settings.ray is not None:
            cluster = stack.enter_context(Cluster(settings.ray))
            if settings.processes > cluster.cores:
                raise UserError(f"--processes {settings.processes}: the Ray cluster has {cluster.cores} cores")
            host = cluster.host
        return _train(settings, host, Curve(report))


def _train(settings: LearnSettings, host: Host | None, curve: Curve) -> Policy:
    wish, make = _wish(settings), _method(settings)
    running = make_episodes(wish, settings.robots, settings.processes, host)
    try:
        _make(settings.folder)
        learner = make(running, settings, wish)
        try:
            with suppress(KeyboardInterrupt):
                learner.learn(curve)
        finally:
            policy = learner.policy()
            policy.save(settings.folder / POLICY_FILE)
            learner.save(settings.folder)
            _write_curve(curve.rows, settings.folder, wish.task)
    finally:
        running.close()
    return policy


def _method(settings: LearnSettings) -> Callable[[RunningEpisodes, LearnSettings, Wish], Learner]:
    if settings.method == "ppo":
        from simspark_learning.ppo import Ppo

        return Ppo
    from simspark_learning.evolution import Evolution

    return Evolution


def _wish(settings: LearnSettings) -> Wish:
    observation = settings.observation
    if not observation:
        known = TASKS[settings.task].observations if settings.task in TASKS else ()
        observation = "percepts" if "percepts" in known else "truth"
    return Wish(settings.task, observation, settings.task_options)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}; choose another folder with --output") from None


def _write_curve(rows: list[TrainingProgress], output: Path, task: str) -> None:
    names = list(TrainingProgress.__dataclass_fields__)
    with (output / CURVE_FILE).open("w", newline="") as file:
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
    figure.savefig(output / PICTURE_FILE)
