"""Policies that nobody has trained."""

import numpy as np

from simspark_learning.policy import Policy


def random_policy(task: str = "walk", observation: str = "percepts", size: int = 37, **options: float | str) -> Policy:
    random = np.random.default_rng(3)
    layers = [(0.3 * random.standard_normal((8, size)), np.zeros(8)), (random.standard_normal((10, 8)), np.ones(10))]
    return Policy(task, observation, random.standard_normal(size), np.ones(size), layers, options)
