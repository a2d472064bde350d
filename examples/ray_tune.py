"""Tune trains with several seeds on a Ray cluster (pip install 'simspark_learning[training,ray]' 'ray[tune]').

python examples/ray_tune.py                             # two trainings at a time on this machine
python examples/ray_tune.py --address HOST:6379         # on a cluster whose machines have this package

Each training gives what `simspark learn TASK --method ppo --observation truth --seed N` gives on one machine, bit by
bit.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path
from typing import Any

try:
    from ray import tune
except ImportError as error:
    raise SystemExit(f"{error}: needs pip install 'simspark_learning[training,ray]' 'ray[tune]'") from None

from simspark_learning.settings import LearnSettings
from simspark_matches.cluster import Cluster


def learn(chosen: dict[str, Any]) -> None:
    """Train on a worker, tell Tune how each rollout went, and at the end what the policy is."""
    from simspark_learning.learner import TrainingProgress
    from simspark_learning.training import POLICY_FILE, train

    told: dict[str, Any] = {}

    def report(progress: TrainingProgress) -> None:
        told.update(actions=progress.steps, reward=progress.reward, success=progress.success)
        tune.report(told)

    with tempfile.TemporaryDirectory() as folder:
        train(LearnSettings(output=Path(folder), **chosen), report)
        policy = (Path(folder) / POLICY_FILE).read_bytes()
    tune.report({**told, "policy": hashlib.sha256(policy).hexdigest()[:16]})


def main() -> None:
    """Train with some seeds, and print what came of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", default="", help="of a cluster; empty = this machine")
    parser.add_argument("--task", default="drive")
    parser.add_argument("--steps", type=int, default=16384)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    fixed = {"task": options.task, "method": "ppo", "observation": "truth", "steps": options.steps, "robots": 8}
    space = {**fixed, "seed": tune.grid_search(options.seeds)}
    with Cluster(options.address):
        results = tune.Tuner(learn, param_space=space, run_config=tune.RunConfig(verbose=0)).fit()
    for result in results:
        seed, told = result.config["seed"], result.metrics
        print(f"seed {seed}: {result.error or 'reward {reward:.2f}, policy {policy}'.format(**told)}")


if __name__ == "__main__":
    main()
