"""Trains a policy, and draws its progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from simspark_learning.learner import Curve, Learner, TrainingProgress
from simspark_learning.policy import Policy
from simspark_learning.settings import LearnSettings
from simspark_learning.tasks import TASKS
from simspark_learning.worlds import Host, RunningEpisodes, Wish, make_episodes
from simspark_ros.configuration.errors import MissingPackageError, UserError

POLICY_FILE = "policy.npz"


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
            try:
                from simspark_matches.cluster import Cluster
            except ImportError as error:
                remedy = "pip install './matches[ray]' './learning[ray]'"
                raise MissingPackageError(f"--ray needs simspark_matches: {error}; install it with {remedy}") from error

            cluster = stack.enter_context(Cluster(settings.ray))
            if settings.processes > cluster.cores:
                raise UserError(
                    f"--processes {settings.processes}: the Ray cluster has only {cluster.cores} cores; give "
                    "fewer processes"
                )
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
            curve.write(settings.folder, wish.task)
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
