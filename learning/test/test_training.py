import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspark_learning.episodes import Step
from simspark_learning.evolution import DEVIATION, Evolution
from simspark_learning.learner import Curve, TrainingProgress
from simspark_learning.policy import BodyPolicy, Policy
from simspark_learning.settings import LearnSettings
from simspark_learning.training import train
from simspark_learning.worlds import Wish
from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.engine import Array


class Follow:
    """Episodes of ten actions, the better the nearer each action is to a weighted sum of what is observed."""

    count, observation_size, action_size = 8, 2, 1

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._done = 0

    def begin(self, seed: int) -> Array:
        self._random = np.random.default_rng(seed)
        return self._observe()

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        self._done += 1
        reward = -np.abs(actions[:, 0] - self._observed @ [0.6, -0.3])
        over = np.full(self.count, self._done % 10 == 0)
        step = Step(self._observed, reward, np.zeros(self.count, np.bool_), over, reward > -0.1)
        return step, self._observe()

    def close(self) -> None:
        pass

    def _observe(self) -> Array:
        self._observed = self._random.standard_normal((self.count, 2))
        return self._observed


def evolved(steps: int) -> tuple[Policy, list[TrainingProgress]]:
    told: list[TrainingProgress] = []
    learner = Evolution(Follow(), LearnSettings("drive", steps=steps, robots=8), Wish("drive"))
    learner.learn(Curve(told.append))
    return learner.policy(), told


def test_a_strategy_in_numpy_finds_what_is_rewarded_and_the_same_with_equal_settings():
    policy, told = evolved(20_000)
    observed = np.random.default_rng(5).standard_normal((50, 2))
    off = policy.act(observed)[:, 0] - np.clip(observed @ [0.6, -0.3], -1.0, 1.0)
    # It wanders about the best policy by less than the deviation of its tries.
    assert np.abs(off).mean() < DEVIATION
    assert told[-1].reward > told[0].reward + 1.0 and told[-1].length == 10
    (first, _), (second, _) = evolved(1000), evolved(1000)
    assert (first.layers[0][0] == second.layers[0][0]).all() and first.layers[0][0].any()


def test_training_needs_no_further_package_and_writes_policy_and_curve(tmp_path: Path, monkeypatch) -> None:
    for package in ("matplotlib", "matplotlib.figure", "stable_baselines3", "torch"):
        monkeypatch.setitem(sys.modules, package, None)
    settings = LearnSettings("drive", tmp_path / "new", steps=200, robots=2, observation="truth")
    policy = train(settings)
    read = Policy.load(settings.folder / "policy.npz")
    assert (read.task, read.observation) == ("drive", "truth") and read.mean == pytest.approx(policy.mean)
    assert (settings.folder / "curve.csv").read_text().startswith("steps,seconds,reward")
    with pytest.raises(UserError, match=r"needs the package 'stable-baselines3'.*whl/cpu; --method es needs none"):
        train(replace(settings, method="ppo"))


@pytest.mark.slow
def test_a_short_training_writes_a_policy_that_acts_as_the_trained_one_and_its_curve(tmp_path: Path) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO

    told: list[TrainingProgress] = []
    # Each robot acts 32 times before an update: one is enough.
    folder = tmp_path / "new" / "folder"
    settings = LearnSettings("stand", folder, method="ppo", steps=600, robots=256, options=("push=0.2",))
    policy = train(settings, told.append)
    read = Policy.load(settings.folder / "policy.npz")
    model = PPO.load(settings.folder / "model.zip", device="cpu")
    observations = np.random.default_rng(1).standard_normal((5, 36))
    normalized = np.clip((observations - policy.mean) / policy.deviation, -10.0, 10.0)
    # Single precision.
    assert read.act(observations) == pytest.approx(model.predict(normalized, deterministic=True)[0], abs=1e-4)
    assert (read.observation, read.options) == ("percepts", {"push": 0.2})
    BodyPolicy(read)
    rows = list(csv.DictReader((settings.folder / "curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [progress.steps for progress in told] == [8192]
    assert (settings.folder / "curve.png").stat().st_size > 1000
