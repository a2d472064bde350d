"""Learns with Stable-Baselines3's PPO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simspark_learning.learner import Curve, Ended
from simspark_learning.policy import CLIP, Policy
from simspark_learning.settings import LearnSettings
from simspark_learning.worlds import RunningEpisodes, Wish
from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.physics.engine import Array

try:
    import torch
    from gymnasium import spaces
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv, VecNormalize
except ImportError as error:
    raise MissingPackageError(
        f"PPO needs the package 'stable-baselines3': {error}; pip install 'simspark_learning[training]' brings it, "
        "with 2 GB of CUDA unless PyTorch was installed from its own index whl/cpu; --method es needs none"
    ) from error

HIDDEN = (128, 128)
"""Sizes of the hidden layers."""

LOG_DEVIATION = -1.5
"""Natural logarithm of the deviation with which actions are tried at first; larger ones make humanoids fall at once."""

SMOOTH_LOG_DEVIATION = -2.6
"""The logarithm for the weights of noise that depends on the state."""

MODEL_FILE = "model.zip"


class Ppo:
    """PPO at work; see `Learner`."""

    def __init__(self, running: RunningEpisodes, settings: LearnSettings, wish: Wish) -> None:
        torch.set_num_threads(1)
        self._steps, self._wish = settings.steps, wish
        self._normalized = VecNormalize(_Robots(running, settings.seed), clip_obs=CLIP)
        self._model = _learner(self._normalized, settings)

    def learn(self, curve: Curve) -> None:
        """Learn for the actions of the settings."""
        self._model.learn(self._steps, _Callback(curve))

    def policy(self) -> Policy:
        """The mean action as a network in numpy."""
        return _exported(self._model, self._normalized, self._wish)

    def save(self, folder: Path) -> None:
        """Write Stable-Baselines3's model."""
        self._model.save(folder / MODEL_FILE)


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


class _Callback(BaseCallback):
    """Notes the results of episodes in each rollout."""

    def __init__(self, curve: Curve) -> None:
        super().__init__()
        self._curve = curve
        self._ended: list[Ended] = []

    def _on_step(self) -> bool:
        over = [info for info in self.locals["infos"] if "episode" in info]
        self._ended += [(info["episode"]["r"], info["episode"]["l"], info["success"]) for info in over]
        return True

    def _on_rollout_end(self) -> None:
        self._curve.note(self.num_timesteps, self._ended)
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
