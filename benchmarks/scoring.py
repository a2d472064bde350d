"""How often a policy of `simspark learn score` scores against each policy of the goalkeeper.

    python benchmarks/scoring.py learn-score/policy.npz --tries 50

A try is an episode of the task, of eight seconds at most; all goalkeepers get the same beginnings. The policy acts
without noise.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_learning.policy import Policy
from simspark_learning.worlds import Wish

GOALKEEPERS = ("random", "pattern", "block", "intercept", "mixed")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--tries", type=int, default=50)
    options = parser.parse_args()
    policy = Policy.load(options.policy)
    print("| goalkeeper | goals | out | neither |\n|---|---|---|---|")
    for name in GOALKEEPERS:
        wish = Wish(policy.task, policy.observation, {**policy.options, "opponents": f"goalkeeper?policy={name}"})
        goals, out = played(policy, wish, options.tries)
        parts = (100.0 * count / options.tries for count in (goals, out, options.tries - goals - out))
        print(f"| {name} | " + " | ".join(f"{part:.0f} %" for part in parts) + " |", flush=True)


def played(policy: Policy, wish: Wish, tries: int) -> tuple[int, int]:
    """How many tries end with a goal, and how many with the ball elsewhere outside of the field."""
    episodes = wish.episodes(1)
    goals = out = 0
    try:
        for number in range(tries):
            observed, is_over = episodes.begin(1000 + number), False
            while not is_over:
                step = episodes.step(policy.act(observed))
                observed, is_over = step.observation, bool(step.over[0])
            goals += int(step.success[0])
            out += int(step.terminated[0] and not step.success[0])
    finally:
        episodes.close()
    return goals, out


if __name__ == "__main__":
    main()
