"""Monte Carlo localization on a container of sensors: a cloud of poses that moves with the odometry and is weighed.

"Robust Monte Carlo localization for mobile robots" (Thrun, Fox, Burgard, Dellaert, 2001), and Augmented MCL of
"Probabilistic Robotics" (Thrun, Burgard, Fox, 2005, section 8.3.3): where measurements fit worse than before, poses are
drawn anew, so that a robot that was carried away finds itself again. Measurements that few poses survive count by a
power below 1, else the cloud settles beside the robot: section 6.3.4 there, with the power chosen by the effective
number of poses (Jasra, Stephens, Doucet, Tsagaris, "Inference for Lévy-driven stochastic volatility models via adaptive
sequential Monte Carlo", 2011).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.motion.models.displacements import displaced
from simspark_ros.motion.models.gaussian import MotionModel

Array = NDArray[np.float64]

_LEAST = 1e-300
# Powers by which measurements are tempered, one after the other, until this share of the poses is left.
_POWERS, _LEFT = 0.8 ** np.arange(40), 0.5
# Number of poses around which the estimate looks for the most others, and the distance within which these are, m.
_CANDIDATES, _NEAR = 20, 0.5


@dataclass(frozen=True)
class MonteCarloSettings:
    """Numbers of the filter.

    Attributes:
        count: number of poses.
        distance_noise, heading_noise, turn_noise: deviations of odometry after 1 m (m, rad) and after one turn (rad).
        jitter: noise of each pose at each resampling, m, and rad; keeps copies apart.
        slow, fast: shares by which two means of the measurements' probability follow: when a robot was carried away,
            the fast mean falls first, and poses anywhere are tried.
        effective: share of the number of poses; poses are drawn anew where measurements would leave fewer effective
            ones, and such measurements are tempered until they leave this share, or half.
    """

    count: int = 2000
    distance_noise: float = 0.05
    heading_noise: float = 0.08
    turn_noise: float = 0.15
    jitter: tuple[float, float] = (0.01, 0.01)
    slow: float = 0.02
    fast: float = 0.2
    effective: float = 0.5


class Estimate(NamedTuple):
    """The believed pose of a robot.

    Attributes:
        pose: (3,) believed x and y, m, and heading, rad.
        spread: root mean square distance of the whole cloud from it, m.
    """

    pose: Array
    spread: float


class MonteCarloLocalization:
    """The cloud of poses.

    Args:
        lower, upper: corners of the area, m.
        random: source of all randomness.
        motion: model of the motion, for displacements as long as the learned ones; None = the noise of `settings`.

    Attributes:
        poses: (N, 3) x and y, m, and heading, rad, of each pose in the cloud.
        weights: (N,) weights of the poses, with sum 1.
        motion: model of the motion, which may be replaced.
    """

    def __init__(
        self,
        lower: tuple[float, float],
        upper: tuple[float, float],
        random: np.random.Generator,
        settings: MonteCarloSettings = MonteCarloSettings(),
        motion: MotionModel | None = None,
    ) -> None:
        self.motion = motion
        self._lower, self._upper, self._random, self._settings = np.array(lower), np.array(upper), random, settings
        self.poses = self._anywhere(settings.count)
        self.weights = np.full(settings.count, 1.0 / settings.count)
        self._fits: Array = np.full(2, np.nan)

    def move(self, forward: float, left: float, turn: float) -> None:
        """Follow the robot's movement, in the axes that it has in the middle of the way: m, rad."""
        if self.motion is not None:
            way = displaced(np.array([[0.0, 0.0, turn / 2.0]]), np.array([[forward, left, turn / 2.0]]))
            self.poses = self.motion.sample(self.poses, way[0], self._random)
            return
        # Variances, not deviations, grow with the way: the number of cycles that it takes must not matter.
        settings, root = self._settings, math.sqrt(math.hypot(forward, left))
        per_turn = settings.turn_noise * math.sqrt(abs(turn) / (2.0 * math.pi))
        aside, around = settings.distance_noise * root, math.hypot(settings.heading_noise * root, per_turn)
        moves = [forward, left, turn] + self._random.standard_normal(self.poses.shape) * [aside, aside, around]
        half = moves * [0.0, 0.0, 0.5]
        self.poses = displaced(self.poses + half, moves - half)

    def weigh(self, probability: Callable[[Array], Array], measurements: int = 1) -> None:
        """Weigh the poses by the newest measurements, and draw them anew if few of them are left.

        Args:
            probability: function from poses (N, 3) to the measurements' probability there (N,); -1 = unknown.
            measurements: number of measurements in that probability, which is their product.
        """
        likely = probability(self.poses)
        known = likely >= 0.0
        if not known.any():
            return
        # A pose about which the measurements say nothing must not gain by that: it counts as the worst known pose.
        fits = np.log(np.maximum(np.where(known, likely, likely[known].min()), _LEAST))
        before, settings = self.weights, self._settings
        for power in _POWERS:
            # Relative to the best fit, or all of the exponentials might be 0.
            self.weights = before * np.exp(power * (fits - fits.max()))
            self.weights /= self.weights.sum()
            left = 1.0 / (self.weights**2).sum() / len(self.poses)
            if left >= min(settings.effective, _LEFT):
                break
        # Mean log probability of a measurement over the weighted poses: poses that were just drawn say nothing.
        fit = float(self.weights @ fits) / max(measurements, 1)
        followed = self._fits + (fit - self._fits) * [settings.slow, settings.fast]
        self._fits = np.where(np.isnan(followed), fit, followed)
        if power < 1.0 or left < settings.effective:
            self._draw()

    def estimate(self) -> Estimate:
        """The weighted mean of the poses where most are: others may be at places that look alike."""
        candidates = self.poses[:: max(len(self.poses) // _CANDIDATES, 1)]
        off = self.poses - candidates[:, None]
        near = ((off[..., :2] ** 2).sum(axis=2) < _NEAR**2) & (np.cos(off[..., 2]) > 0.5)
        weights = self.weights * near[(near @ self.weights).argmax()]
        # Headings just left and right of backward have forward as their mean, but not their cosines and sines.
        x, y, c, s = (
            weights @ np.c_[self.poses[:, :2], np.cos(self.poses[:, 2]), np.sin(self.poses[:, 2])] / weights.sum()
        )
        away = ((self.poses[:, :2] - (x, y)) ** 2).sum(axis=1)
        return Estimate(np.array([x, y, math.atan2(s, c)]), math.sqrt(self.weights @ away))

    def _draw(self) -> None:
        """Low variance resampling, with some poses anywhere if the measurements fit worse than they did."""
        count, jitter = len(self.poses), self._settings.jitter
        steps = (self._random.random() + np.arange(count)) / count
        # Rounded, the sum of all weights may stay below the last step.
        chosen = np.minimum(np.cumsum(self.weights).searchsorted(steps), count - 1)
        self.poses = self.poses[chosen] + self._random.standard_normal((count, 3)) * [jitter[0], *jitter]
        slow, fast = self._fits
        # Fits are logarithms: this is the ratio of the fast mean to the slow one.
        fresh = int((1.0 - min(math.exp(fast - slow), 1.0)) * count)
        self.poses[self._random.permutation(count)[:fresh]] = self._anywhere(fresh)
        self.weights = np.full(count, 1.0 / count)

    def _anywhere(self, count: int) -> Array:
        places = self._random.uniform(self._lower, self._upper, (count, 2))
        return np.column_stack((places, self._random.uniform(-math.pi, math.pi, count)))
