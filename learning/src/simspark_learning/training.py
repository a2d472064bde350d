"""Trains a policy with Stable-Baselines3's PPO, and draws its progress."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simspark_learning.policy import CLIP, Policy
from simspark_learning.settings import LearnSettings
from simspark_learning.tasks import TASKS
from simspark_learning.worlds import Host, RunningEpisodes, Wish, make_episodes
from simspark_ros.clients.cluster import Cluster
from simspark_ros.configuration.errors import MissingPackageError, UserError
from simspark_ros.physics.engine import Array

try:
    import torch
    from gymnasium import spaces
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv, VecNormalize
except ImportError as error:
    raise MissingPackageError(
        f"training needs the package 'stable-baselines3': {error}; install it with pip install "
        "'simspark_learning[training]'"
    ) from error

HIDDEN = (128, 128)
"""Sizes of the hidden layers."""

LOG_DEVIATION = -1.5
"""Natural logarithm of the deviation with which actions are tried at first; larger ones make humanoids fall at once."""

SMOOTH_LOG_DEVIATION = -2.6
"""The logarithm for the weights of noise that depends on the state."""

POLICY_FILE, MODEL_FILE, CURVE_FILE, PICTURE_FILE = "policy.npz", "model.zip", "curve.csv", "curve.png"


@dataclass(frozen=True)
class TrainingProgress:
    """The state of a training after a rollout.

    Attributes:
        steps: number of actions of all robots so far.
        seconds: real time since the start, s.
        reward: mean reward of the episodes that ended in this rollout; NaN if none has.
        length: mean length of these episodes, actions.
        success: share of these episodes that ended with the task fulfilled.
    """

    steps: int
    seconds: float
    reward: float
    length: float
    success: float


def train(settings: LearnSettings, report: Callable[[TrainingProgress], object] = lambda progress: None) -> Policy:
    """Train a policy and write it, Stable-Baselines3's model, and the curve as table and picture, to a folder.

    Equal settings give equal policies on one machine. `report` is called after each rollout. An interrupt ends the
    training; the policy learned until then is kept, also if a process with worlds ends.

    Raises:
        UserError: the task cannot be made, the folder cannot be written, or a process or cluster has failed.
    """
    with ExitStack() as stack:
        host = None
        if settings.ray is not None:
            cluster = stack.enter_context(Cluster(settings.ray))
            if settings.processes > cluster.cores:
                raise UserError(f"--processes {settings.processes}: the Ray cluster has {cluster.cores} cores")
            host = cluster.host
        return _train(settings, host, report)


def _train(settings: LearnSettings, host: Host | None, report: Callable[[TrainingProgress], object]) -> Policy:
    wish = _wish(settings)
    running = make_episodes(wish, settings.robots, settings.processes, host)
    robots = _Robots(running, settings.seed)
    try:
        output = settings.folder
        _make(output)
        torch.set_num_threads(1)
        normalized = VecNormalize(robots, clip_obs=CLIP)
        model, curve = _learner(normalized, settings), _Curve(report)
        try:
            with suppress(KeyboardInterrupt):
                model.learn(settings.steps, curve)
        finally:
            policy = _exported(model, normalized, wish)
            policy.save(output / POLICY_FILE)
            model.save(output / MODEL_FILE)
            _write_curve(curve.rows, output, wish.task)
    finally:
        robots.close()
    return policy


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


def _learner(robots: Any, settings: LearnSettings) -> Any:
    rollout = max(settings.rollout // settings.robots, 32)
    return PPO(
        "MlpPolicy",
        robots,
        n_steps=rollout,
        batch_size=max(rollout * settings.robots // 8, 2),
        n_epochs=8,
        learning_rate=3e-4,
        gamma=0.98,
        target_kl=0.02,
        use_sde=settings.smooth,
        policy_kwargs={
            "net_arch": list(HIDDEN),
            "log_std_init": SMOOTH_LOG_DEVIATION if settings.smooth else LOG_DEVIATION,
        },
        seed=settings.seed,
        device="cpu",
    )


class _Robots(VecEnv):
    """Episodes in the form that Stable-Baselines3 wants."""

    def __init__(self, running: RunningEpisodes, seed: int) -> None:
        self._running, self._seed = running, seed
        self._actions: Array = np.zeros((running.count, running.action_size))
        self._returns: Array = np.zeros(running.count)
        self._lengths = np.zeros(running.count, np.int64)
        super().__init__(
            running.count,
            spaces.Box(-np.inf, np.inf, (running.observation_size,), np.float32),
            spaces.Box(-1.0, 1.0, (running.action_size,), np.float32),
        )

    def reset(self) -> Any:
        return self._running.begin(self._seed).astype(np.float32)

    def step_async(self, actions: Any) -> None:
        self._actions = np.asarray(actions, float)

    def step_wait(self) -> Any:
        step, observed = self._running.step_on(self._actions)
        self._returns += step.reward
        self._lengths += 1
        infos: list[dict[str, Any]] = [{"success": success} for success in step.success.tolist()]
        for number in np.flatnonzero(step.over).tolist():
            infos[number] |= {
                "episode": {"r": float(self._returns[number]), "l": int(self._lengths[number])},
                "terminal_observation": step.observation[number].astype(np.float32),
                "TimeLimit.truncated": bool(step.truncated[number]),
            }
            self._returns[number] = self._lengths[number] = 0
        return observed.astype(np.float32), step.reward.astype(np.float32), step.over, infos

    def close(self) -> None:
        self._running.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **options: Any) -> list[Any]:
        raise NotImplementedError(method_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


class _Curve(BaseCallback):
    """Notes the results of episodes in each rollout."""

    def __init__(self, report: Callable[[TrainingProgress], object]) -> None:
        super().__init__()
        self.rows: list[TrainingProgress] = []
        self._report = report
        self._began = time.monotonic()
        self._ended: list[tuple[float, int, bool]] = []

    def _on_step(self) -> bool:
        over = [info for info in self.locals["infos"] if "episode" in info]
        self._ended += [(info["episode"]["r"], info["episode"]["l"], info["success"]) for info in over]
        return True

    def _on_rollout_end(self) -> None:
        reward, length, success = np.mean(self._ended, axis=0).tolist() if self._ended else (np.nan,) * 3
        self.rows.append(TrainingProgress(self.num_timesteps, time.monotonic() - self._began, reward, length, success))
        self._report(self.rows[-1])
        self._ended = []


def _exported(model: Any, normalized: Any, wish: Wish) -> Policy:
    """The policy's mean action as a network in numpy."""
    linear = [layer for layer in model.policy.mlp_extractor.policy_net if isinstance(layer, torch.nn.Linear)]
    layers = [
        (layer.weight.detach().numpy().astype(float), layer.bias.detach().numpy().astype(float))
        for layer in (*linear, model.policy.action_net)
    ]
    statistics = normalized.obs_rms
    deviation = np.sqrt(statistics.var + normalized.epsilon)
    return Policy(wish.task, wish.observation, statistics.mean, deviation, layers, wish.options)


def _write_curve(rows: list[TrainingProgress], output: Path, task: str) -> None:
    names = list(TrainingProgress.__dataclass_fields__)
    with (output / CURVE_FILE).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([getattr(row, name) for name in names] for row in rows)
    from matplotlib.figure import Figure

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
