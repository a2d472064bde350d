"""Learns by an evolution strategy, in numpy alone: tries policies around a mean, and goes on from the better ones.

It is a (mu/mu_w, lambda) strategy with a falling deviation ("The CMA Evolution Strategy: A Tutorial", Hansen, 2016,
without its adaptation). A policy is linear: an action is a weighted sum of normalized observations, and a constant.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simspark_learning.learner import Curve, Ended
from simspark_learning.policy import CLIP, Policy
from simspark_learning.settings import LearnSettings
from simspark_learning.worlds import RunningEpisodes, Wish
from simspark_ros.physics.engine import Array, IntArray

FEWEST = 32
"""Fewest tries between two updates; with more robots each robot makes one."""

DEVIATION = 0.25
"""First standard deviation of a tried policy's actions from the mean's; larger ones make humanoids fall at once."""

LAST = 0.2
"""Share of `DEVIATION` that is left at the end of the training, so that the mean settles."""

_LEAST_DEVIATION = 1e-2
"""Least standard deviation of an observation; smaller ones would make noise of constants."""


class Evolution:
    """The strategy at work; see `Learner`.

    Attributes:
        mean: (A, O + 1) weights of the policy, the constants last.
    """

    def __init__(self, running: RunningEpisodes, settings: LearnSettings, wish: Wish) -> None:
        self._running, self._settings, self._wish = running, settings, wish
        self._random = np.random.default_rng(settings.seed)
        self.mean: Array = np.zeros((running.action_size, running.observation_size + 1))
        # Number, sum and sum of squares of the observations so far.
        self._count = 0
        self._sums = np.zeros((2, running.observation_size))

    def learn(self, curve: Curve) -> None:
        """Learn until all robots together have made the actions of the settings."""
        running, count = self._running, self._running.count
        observed, steps, last = running.begin(self._settings.seed), 0, self._settings.steps
        tries: Array = self._vary(count, 0.0)
        rewards: Array = np.zeros(count)
        lengths: IntArray = np.zeros(count, np.int64)
        done: list[tuple[float, Array]] = []
        ended: list[Ended] = []
        while steps < last:
            self._observe(observed)
            step, observed = running.step_on(np.einsum("nao,no->na", tries, self._normalized(observed)))
            steps, rewards, lengths = steps + count, rewards + step.reward, lengths + 1
            who: IntArray = np.flatnonzero(step.over)
            if not len(who):
                continue
            for robot in who.tolist():
                done.append((float(rewards[robot]), tries[robot].copy()))
                ended.append((float(rewards[robot]), int(lengths[robot]), bool(step.success[robot])))
            rewards[who] = lengths[who] = 0
            if len(done) >= max(FEWEST, count):
                self.mean = recombined(done)
                curve.note(steps, ended)
                done, ended = [], []
            tries[who] = self._vary(len(who), steps / last)

    def policy(self) -> Policy:
        """The policy of the mean."""
        mean, deviation = self._statistics()
        layers = [(self.mean[:, :-1], self.mean[:, -1])]
        return Policy(self._wish.task, self._wish.observation, mean, deviation, layers, self._wish.options)

    def save(self, folder: Path) -> None:
        """Write nothing more."""

    def _vary(self, count: int, done: float) -> Array:
        """Tries (N, A, O + 1) around the mean, with a share of the training done."""
        deviation = DEVIATION * (1.0 - (1.0 - LAST) * done) / np.sqrt(self.mean.shape[1])
        tries: Array = self.mean + deviation * self._random.standard_normal((count, *self.mean.shape))
        return tries

    def _observe(self, observed: Array) -> None:
        self._count += len(observed)
        self._sums += [observed.sum(axis=0), (observed**2).sum(axis=0)]

    def _statistics(self) -> tuple[Array, Array]:
        """Mean and standard deviation (O,) of all observations so far."""
        mean, square = self._sums / max(self._count, 1)
        return mean, np.sqrt(np.maximum(square - mean**2, _LEAST_DEVIATION**2))

    def _normalized(self, observed: Array) -> Array:
        """(N, O + 1) observations as the policy takes them, and ones for the constants."""
        mean, deviation = self._statistics()
        values = np.clip((observed - mean) / deviation, -CLIP, CLIP)
        return np.column_stack([values, np.ones(len(values))])


def recombined(done: list[tuple[float, Array]]) -> Array:
    """The weighted mean of the better half of tries with their rewards; the best ones count most."""
    half = max(len(done) // 2, 1)
    better = sorted(done, key=lambda one: -one[0])[:half]
    weights = np.log(half + 0.5) - np.log(np.arange(1, half + 1))
    mean: Array = np.tensordot(weights / weights.sum(), np.array([tried for _, tried in better]), 1)
    return mean
