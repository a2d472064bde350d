"""RLlib learns to drive on the workers of a Ray cluster (pip install 'simspark_learning[training,ray]' 'ray[rllib]').

python examples/ray_rllib.py                            # two workers on this machine
python examples/ray_rllib.py --address HOST:6379        # on a cluster whose machines have this package
"""

from __future__ import annotations

import argparse
from typing import Any

try:
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.tune.registry import register_env
except ImportError as error:
    raise SystemExit(f"{error}: needs pip install 'simspark_learning[training,ray]' 'ray[rllib]'") from None

from simspark_learning.environments import SimulatedEnv
from simspark_matches.cluster import Cluster


def main() -> None:
    """Train, and print how episodes went after each update."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", default="", help="of a cluster; empty = this machine")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--updates", type=int, default=5)
    parser.add_argument("--task", default="drive")
    options = parser.parse_args()
    register_env("simspark_ros", lambda settings: SimulatedEnv(**settings))
    config = (
        PPOConfig()
        .environment("simspark_ros", env_config={"task": options.task})
        # A busy machine takes its time.
        .env_runners(num_env_runners=options.workers, num_envs_per_env_runner=8, sample_timeout_s=600.0)
        .training(train_batch_size=4000, minibatch_size=500, num_epochs=8, lr=3e-4, gamma=0.98)
        .debugging(seed=1)
    )
    # So small a network gains nothing by threads, which wait for each other on a busy machine.
    torch.set_num_threads(1)
    with Cluster(options.address):
        algorithm: Any = config.build_algo()
        for update in range(options.updates):
            found = algorithm.train()["env_runners"]
            steps, reward = found["num_env_steps_sampled_lifetime"], found["episode_return_mean"]
            print(f"update {update + 1}: {steps:.0f} actions, reward of an episode {reward:.2f}", flush=True)
        algorithm.stop()


if __name__ == "__main__":
    main()
