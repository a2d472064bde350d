from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from simspark_learning.policy import BodyPolicy, Policy
from simspark_learning.settings import LearnSettings

pytest.importorskip("stable_baselines3")

pytestmark = pytest.mark.slow


def test_a_short_training_writes_a_policy_that_acts_as_the_trained_one_and_its_curve(tmp_path: Path) -> None:
    from stable_baselines3 import PPO

    from simspark_learning.training import TrainingProgress, train

    told: list[TrainingProgress] = []
    # Each robot acts 32 times before an update: one is enough.
    settings = LearnSettings("stand", tmp_path / "new" / "folder", steps=600, robots=256, options=("push=0.2",))
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
