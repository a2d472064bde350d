"""Keep the goal."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.senses import SEEN
from simspark_learning.tasks.base import Judgement, Observation, bounded, is_in_goal_mouth
from simspark_learning.tasks.wheels import DrivingTask
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.players.geometry import Point, crossing

FROM = (3.0, 6.0)
"""Least and greatest distance of shots from the goal, m."""

OUT = 0.4
"""Distance of the keeper from its goal line, m."""

SIGHTS = ("B", "G1L", "G2L")
"""Things that the keeper looks for: the ball and the tops of the posts of its goal, the left one first."""

SLOW = 0.2
"""Speed towards the goal below which a ball is no danger any more, m/s."""


class GoalkeeperTask(DrivingTask):
    """Stop shots at the left goal.

    Reward: -1 for a goal, 1 for a shot that does not get in; for each action a little less the farther the robot is
    from where the ball will cross the line on which it stands. An episode is one shot.

    Args:
        observation: see `Task`.
        speed: speed of the fastest shots, m/s.
    """

    name = "goalkeeper"
    world: ClassVar[str] = "msl"
    one_world: ClassVar[bool] = False
    longest: ClassVar[int] = 150
    sensors: ClassVar[Collection[str]] = ("gyroscope", "odometry", "restricted_vision")

    def __init__(self, observation: Observation = "truth", speed: float = 4.0) -> None:
        super().__init__(observation)
        self._speed = bounded(1.0, 15.0, speed, "goalkeeper: speed")

    def bind(self, batch: RobotBatch) -> None:
        """Take the sizes of field and goal."""
        super().bind(batch)
        self._field = field = batch.arena.world.settings.field
        self._line, self._half = -field.length / 2.0, field.goal_width / 2.0
        self._radius = batch.arena.world.settings.ball.radius
        self._before: Array = np.zeros(SEEN)

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Stand in the middle of the goal, and let a ball come."""
        self.stand_at(0, self._line + OUT, random.uniform(-0.5, 0.5) * self._half, 0.0)
        distance, bearing = random.uniform(*FROM), random.uniform(-0.8, 0.8)
        start = np.array([self._line + distance * np.cos(bearing), distance * np.sin(bearing)])
        inside = self._half - self._radius
        way = np.array([self._line, random.uniform(-inside, inside)]) - start
        speed = random.uniform(0.6, 1.0) * self._speed
        vx, vy = (speed * way / np.linalg.norm(way)).tolist()
        self._batch.arena.place_ball(float(start[0]), float(start[1]), (vx, vy, 0.0))
        self._before = np.zeros(SEEN)

    def act(self, actions: Array, random: np.random.Generator) -> None:
        """Command the velocities, and keep the sight of the ball."""
        self._before = self._seen[0]
        super().act(actions, random)

    def observe(self) -> Array:
        """(1, 9): own place, heading, the ball's place and velocity, and where it will cross the robot's line.

        The own place is from the middle of the goal, m, the heading cosine and sine, the ball's place and velocity in
        own axes, m and m/s, the crossing from the own place, m.

        `percepts` (1, 22): `felt`, then four numbers (`Senses.seen`) for each of: the ball, the ball at the last
        action, the left and the right post of the own goal.
        """
        if self.observation == "percepts":
            seen = self._seen
            return np.array([np.concatenate([self.felt[0], seen[0], self._before, *seen[1:]])])
        batch, ball = self._batch, self._batch.arena.ball
        x, y, _ = batch.position[0]
        forward = batch.rotation[0, :2, 0]
        velocity = (ball.velocity @ batch.rotation[0])[:2]
        place = self.seen_from(ball.position[None, :2])[0]
        parts = [[x - self._line, y], forward, place, velocity, [self._crossing - y]]
        return np.array([np.concatenate(parts)])

    def judge(self) -> Judgement:
        """See the class."""
        ball = self._batch.arena.ball
        is_in = ball.position[0] < self._line - self._radius
        goal = is_in and is_in_goal_mouth(self._field, ball.position)
        stopped = is_in or ball.velocity[0] > -SLOW
        missing = abs(self._batch.position[0, 1] - np.clip(self._crossing, -self._half, self._half))
        reward = -1.0 if goal else 1.0 if stopped else -0.02 * missing
        return Judgement(np.array([reward]), np.array([goal or stopped]), np.array([stopped and not goal]))

    @property
    def _seen(self) -> Array:
        """(3, 4) sights of `SIGHTS`, see `Senses.seen`."""
        return self._batch.senses.seen(0, SIGHTS)

    @property
    def _crossing(self) -> float:
        """Y where the ball will cross the line on which the robot stands, m; its own y if it goes away."""
        ball = self._batch.arena.ball
        (x, y, _), (vx, vy, _) = ball.position.tolist(), ball.velocity.tolist()
        found = crossing(float(self._batch.position[0, 0]), Point(x, y), Point(vx, vy), SLOW)
        return y if found is None else found[1]
