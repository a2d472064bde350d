"""Kick the ball to a place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.opponents import Opponent, listed
from simspark_learning.tasks.base import Judgement, Observation, bounded, is_in_goal_mouth
from simspark_learning.tasks.body import NOISE, BodyTask
from simspark_ros.physics.engine import Array, IntArray

BALL = (0.19, -0.055)
"""Place of the ball, before the right foot: forward and left of the robot, m."""

SPREAD = 0.015
"""Spread of the ball's place on each axis, m."""

NEAR = 0.5
"""Distance from its target at which the ball has arrived, m."""


class KickTask(BodyTask):
    """Kick the ball to a target a few metres ahead, within three seconds.

    Reward: ten times the way that the ball has come nearer to the target, m, and a little for each action after which
    the robot stands. It ends with a fall, or when the ball arrives. `percepts` has the place where it was last seen.

    With opponents the target lies in the right goal. The episode ends when the ball is over the goal line, and the
    ball has arrived if it is between the posts and below the crossbar.

    Args:
        observation: see `Task`.
        distance: distance of the target, m.
        opening: angle of the sector in which targets lie, rad; with opponents they lie between the posts, too.
        opponents: one, or several; the first one begins in the goal, others between goal and ball. See `Opponent`.
    """

    name = "kick"
    world: ClassVar[str] = "soccer"
    one_world: ClassVar[bool] = False
    longest: ClassVar[int] = 75
    reach: ClassVar[float] = 0.8
    sensors: ClassVar[Collection[str]] = ("gyroscope", "accelerometer", "restricted_vision")

    def __init__(
        self,
        observation: Observation = "truth",
        distance: float = 3.0,
        opening: float = 0.5,
        opponents: Opponent | Sequence[Opponent] = (),
    ) -> None:
        super().__init__(observation)
        self.opponents = listed(opponents)
        self._distance = bounded(0.5, 10.0, distance, "kick: distance")
        self._opening = bounded(0.0, np.pi, opening, "kick: opening")
        self._target: Array = np.zeros(2)
        self._seen: Array = np.zeros(3)
        self._was = 0.0

    def bind(self, batch: RobotBatch) -> None:
        """Find the joints, and the goal if there are opponents."""
        super().bind(batch)
        if self.opponents:
            self._field = field = batch.arena.world.settings.field
            self._half = field.goal_width / 2.0
            batch.places[0] = field.length / 2.0 - self._distance, 0.0

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Stand before the ball, and choose a target."""
        for number in who.tolist():
            self.stand_up(number, 0.0, random.normal(0.0, NOISE / 3.0, len(self._batch.joints)))
        x, y = (BALL + random.uniform(-SPREAD, SPREAD, 2)).tolist()
        self._batch.arena.place_ball(*(self._batch.places[0] + (x, y)).tolist())
        direction = random.uniform(-0.5, 0.5) * self._opening
        self._target = self._distance * np.array([np.cos(direction), np.sin(direction)])
        if self.opponents:
            self._target = np.array([self._distance, np.clip(self._target[1], -self._half, self._half)])
            self._batch.opponents.begin_before_goal(self._batch.arena.ball.position[:2], random)
        self._was = self._far
        self._ball_was_seen_at((x, y))

    def goal(self) -> Array:
        """Target and ball in the robot's axes: (1, 7), or (1, 5) with the polar place where the ball was last seen.

        Then opponents: two numbers for the place of each in the robot's axes, m, or four, `Senses.seen`.
        """
        here, turn = self._batch.position[0], self._batch.rotation[0]
        target = (np.append(self._target, 0.0) - here) @ turn
        if self.observation == "percepts":
            self._look()
            seen = self._batch.senses.seen(0, self._batch.opponents.names).ravel()
            return np.array([[*target[:2] / self._distance, *self._seen, *seen]])
        ball = self._batch.arena.ball
        place, velocity = (self._ball - here) @ turn, ball.velocity @ turn
        others = self._batch.opponents.seen_from(self._batch.arena["robot_0"])
        return np.array([[*target[:2] / self._distance, *place, *velocity[:2], *others]])

    def judge(self) -> Judgement:
        """See the class."""
        standing = self.is_standing
        far = self._far
        reward = 10.0 * (self._was - far) + 0.02 * standing - 0.02 * (self._last**2).mean(axis=1)
        self._was = far
        ball = self._ball
        is_done = ball[0] > self._distance if self.opponents else far < NEAR
        is_there = is_done and (not self.opponents or is_in_goal_mouth(self._field, ball))
        return Judgement(reward, ~standing | is_done, np.array([is_there]))

    @property
    def _ball(self) -> Array:
        """(3,) place of the ball, from the robot's place, m."""
        ball: Array = self._batch.arena.ball.position - np.append(self._batch.places[0], 0.0)
        return ball

    @property
    def _far(self) -> float:
        """Distance of the ball from its target, m."""
        return float(np.linalg.norm(self._ball[:2] - self._target))

    def _look(self) -> None:
        is_in_view, *place = self._batch.senses.seen(0, ("B",))[0]
        if is_in_view:
            self._seen = _polar(np.array(place))

    def _ball_was_seen_at(self, place: tuple[float, float]) -> None:
        """Know where the ball is before it was seen, as a robot that has walked to it does."""
        eye = self._batch.arena["robot_0"].link_pose("head")[0]
        self._seen = _polar(np.array([*(self._batch.places[0] + place), 0.04]) - eye)


def _polar(place: Array) -> Array:
    """Distance (m), azimuth and elevation (rad) of a place (3,), m."""
    x, y, z = place
    flat = np.hypot(x, y)
    return np.array([np.hypot(flat, z), np.arctan2(y, x), np.arctan2(z, flat)])
