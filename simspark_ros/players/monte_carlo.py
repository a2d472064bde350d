"""Monte Carlo localization on a container of sensors: a cloud of poses that moves with the odometry and is weighed.

"Robust Monte Carlo localization for mobile robots" (Thrun, Fox, Burgard, Dellaert, 2001), and Augmented MCL of
"Probabilistic Robotics" (Thrun, Burgard, Fox, 2005, section 8.3.3): where measurements fit worse than before, poses are
drawn anew, so that a robot that was carried away finds itself again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simspark_ros.motion.models.gaussian import MotionModel

Array = NDArray[np.float64]

_LEAST = 1e-300


@dataclass(frozen=True)
class MonteCarloSettings:
    """Numbers of the filter.

    Attributes:
        count: number of poses.
        distance_noise, heading_noise, turn_noise: deviations of odometry after 1 m (m, rad) and after one turn (rad).
        jitter: noise of each pose at each resampling, m, and rad; keeps copies apart.
        slow, fast: shares by which two means of the measurements' probability follow: when a robot was carried away,
            the fast mean falls first, and poses anywhere are tried.
        effective: share of the number of poses; if their effective number is below, poses are drawn anew.
    """

    count: int = 2000
    distance_noise: float = 0.05
    heading_noise: float = 0.08
    turn_noise: float = 0.15
    jitter: tuple[float, float] = (0.01, 0.01)
    slow: float = 0.02
    fast: float = 0.2
    effective: float = 0.5


@dataclass(frozen=True)
class Estimate:
    """The believed pose of a robot.

    Attributes:
        pose: (3,) believed x and y, m, and heading, rad.
        spread: root mean square distance of the cloud from it, m.
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
        self._slow = self._fast = 0.0
        self._weighed = False

    def move(self, forward: float, left: float, turn: float) -> None:
        """Follow the robot's movement, in the axes that it has in the middle of the way: m, rad."""
        if self.motion is not None:
            c, s = math.cos(turn / 2.0), math.sin(turn / 2.0)
            move = np.array([c * forward - s * left, s * forward + c * left, turn])
            self.poses = self.motion.sample(self.poses, move, self._random)
            return
        settings, count = self._settings, len(self.poses)
        way = math.sqrt(math.hypot(forward, left))
        noise = self._random.standard_normal((4, count))
        forwards = forward + settings.distance_noise * way * noise[0]
        lefts = left + settings.distance_noise * way * noise[1]
        per_turn = settings.turn_noise * math.sqrt(abs(turn) / (2.0 * math.pi))
        turns = turn + settings.heading_noise * way * noise[2] + per_turn * noise[3]
        middle = self.poses[:, 2] + turns / 2.0
        c, s = np.cos(middle), np.sin(middle)
        self.poses[:, 0] += c * forwards - s * lefts
        self.poses[:, 1] += s * forwards + c * lefts
        self.poses[:, 2] += turns

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
        likely = np.maximum(np.where(known, likely, likely[known].min()), _LEAST)
        self.weights = self.weights * likely
        self.weights /= self.weights.sum()
        # Mean log probability of a measurement over the weighted poses: poses that were just drawn say nothing.
        fit = float(self.weights @ np.log(likely)) / max(measurements, 1)
        settings = self._settings
        self._slow += (fit - self._slow) * (settings.slow if self._weighed else 1.0)
        self._fast += (fit - self._fast) * (settings.fast if self._weighed else 1.0)
        self._weighed = True
        if 1.0 / (self.weights**2).sum() < settings.effective * len(self.poses):
            self._draw()

    def estimate(self) -> Estimate:
        """The weighted mean of the poses."""
        x, y = self.weights @ self.poses[:, :2]
        heading = math.atan2(self.weights @ np.sin(self.poses[:, 2]), self.weights @ np.cos(self.poses[:, 2]))
        away = ((self.poses[:, :2] - (x, y)) ** 2).sum(axis=1)
        return Estimate(np.array([x, y, heading]), math.sqrt(self.weights @ away))

    def _draw(self) -> None:
        """Low variance resampling, with some poses anywhere if the measurements fit worse than they did."""
        count, settings = len(self.poses), self._settings
        steps = (self._random.random() + np.arange(count)) / count
        chosen = np.minimum(np.cumsum(self.weights).searchsorted(steps), count - 1)
        self.poses = self.poses[chosen]
        noise = self._random.standard_normal((count, 3))
        self.poses += noise * [settings.jitter[0], settings.jitter[0], settings.jitter[1]]
        share = 1.0 - min(math.exp(self._fast - self._slow), 1.0)
        fresh = int(share * count)
        if fresh:
            which = self._random.permutation(count)[:fresh]
            self.poses[which] = self._anywhere(fresh)
        self.weights = np.full(count, 1.0 / count)

    def _anywhere(self, count: int) -> Array:
        places = self._random.uniform(self._lower, self._upper, (count, 2))
        return np.column_stack((places, self._random.uniform(-math.pi, math.pi, count)))
