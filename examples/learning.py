"""An environment of Gymnasium, and a policy written by hand instead of learned (pip install ./learning).

python examples/learning.py          # `simspark learn drive` finds a better one
"""

import gymnasium
import numpy as np

NAME = "simspark_learning.environments:simspark_ros/Drive-v0"


def main() -> None:
    """Drive towards three targets, one after the other."""
    env = gymnasium.make(NAME)
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            forward, left = observation[:2]
            observation, reward, terminated, truncated, info = env.step(np.array([forward, left, 0.0], np.float32))
            total, over = total + float(reward), terminated or truncated
        print(f"target {seed}: reward {total:.2f}, {'arrived' if info['success'] else 'too late'}")
    env.close()


if __name__ == "__main__":
    main()
