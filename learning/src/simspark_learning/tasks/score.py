"""Score against a goalkeeper."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import ClassVar

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.opponents import Opponent, listed
from simspark_learning.senses import SEEN
from simspark_learning.tasks.base import Judgement, Observation, bounded, is_in_goal_mouth
from simspark_learning.tasks.wheels import DrivingTask
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors.ball.handling import KIND as BALL_HANDLING
from simspark_ros.effectors.ball.kick import KIND as KICKER
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.soccer.world import SoccerRobot
from simspark_ros.worlds.errors import CommandRejectedError

FROM, BEARING = (2.5, 4.5), 0.8
"""Distances of the ball from the goal at the start, m, and its bearing to either side, rad."""

BEHIND = (0.6, 1.2)
"""Least and greatest distance of the robot behind the ball, m."""

SIGHTS = ("B", "G1R", "G2R")
"""Things that the robot looks for besides opponents: the ball and the tops of the goal's posts, the left one first."""

WAY = 0.3
"""Reward for each metre by which the robot is nearer to the ball, or the ball to the goal, than ever in the episode."""


class ScoreTask(DrivingTask):
    """Bring the ball into the right goal, which opponents keep, within eight seconds.

    It is the counterpart of `GoalkeeperTask`. A fourth number of the action above 0 shoots, if the ball lies at the
    kicker; robots with ball handling take the ball along.

    Reward: 1 for a goal, -1 for a ball that leaves the field elsewhere, both of which end the episode; `WAY`.

    Args:
        observation: see `Task`.
        speed: speed of the robot's shots, m/s.
        opponents: one, or several; the first one begins in the goal, others between goal and ball. See `Opponent`.
    """

    name = "score"
    robot: ClassVar[str] = "msl"
    world: ClassVar[str] = "msl"
    one_world: ClassVar[bool] = False
    longest: ClassVar[int] = 200
    sensors: ClassVar[Collection[str]] = ("gyroscope", "restricted_vision")

    def __init__(
        self,
        observation: Observation = "truth",
        speed: float = 4.0,
        opponents: Opponent | Sequence[Opponent] = "goalkeeper?policy=block",
    ) -> None:
        super().__init__(observation)
        self._speed = bounded(0.5, 10.0, speed, "score: speed")
        self.opponents = listed(opponents)

    @property
    def actions(self) -> int:
        """Forward, left, turn, and whether to shoot."""
        return 4

    def bind(self, batch: RobotBatch) -> None:
        """Take the sizes of the field."""
        super().bind(batch)
        if not batch.description.has_effector(KICKER):
            robot = batch.description.name
            raise ConfigurationError(
                f"task '{self.name}': robot '{robot}' has no {KICKER}; take a robot that has one, e.g. msl"
            )
        self._field = field = batch.arena.world.settings.field
        self._line, self._edge = field.length / 2.0, field.width / 2.0
        self._looked_for = (*SIGHTS, *batch.opponents.names)
        self._before: Array = np.zeros(SEEN)
        self._nearest: Array = np.zeros(2)

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Lay the ball before the goal, and stand behind it."""
        goal = np.array([self._line, 0.0])
        direction = np.pi + random.uniform(-BEARING, BEARING)
        ball = goal + random.uniform(*FROM) * np.array([np.cos(direction), np.sin(direction)])
        direction += random.uniform(-0.5, 0.5)
        x, y = (ball + random.uniform(*BEHIND) * np.array([np.cos(direction), np.sin(direction)])).tolist()
        self.stand_at(0, x, y, direction - np.pi + random.uniform(-0.5, 0.5))
        self._batch.arena.place_ball(*ball.tolist())
        self._batch.opponents.begin_before_goal(ball, random)
        if self._batch.description.has_effector(BALL_HANDLING):
            self._command(BALL_HANDLING, True)
        self._before, self._nearest = np.zeros(SEEN), self._far

    def act(self, actions: Array, random: np.random.Generator) -> None:
        """Drive, shoot, and keep the sight of the ball."""
        self._before = self._seen[0]
        super().act(actions[:, :3], random)
        if actions[0, 3] > 0.0:
            # The kicker may be charging, or the ball be elsewhere.
            with suppress(CommandRejectedError):
                self._command(KICKER, self._speed, 0.0)

    def observe(self) -> Array:
        """(1, 8 + 2 K): own place, heading, the ball's place and velocity, places of K opponents.

        The own place is from the middle of the goal, m, the heading cosine and sine, the rest in own axes, m and m/s.

        `percepts` (1, 19 + 4 K): gyroscope, rad/s, then four numbers (`Senses.seen`) for each of: the ball, the ball at
        the last action, the left and the right post of the opponents' goal, opponents.
        """
        batch = self._batch
        if self.observation == "percepts":
            seen = self._seen
            turn = batch.senses.sensed("gyroscope", 3)[0]
            return np.array([np.concatenate([turn, seen[0], self._before, *seen[1:]])])
        x, y, _ = batch.position[0]
        ball = batch.arena.ball
        place, velocity = self.seen_from(ball.position[None, :2])[0], (ball.velocity @ batch.rotation[0])[:2]
        others = batch.opponents.seen_from(batch.arena["robot_0"])
        return np.array([[x - self._line, y, *batch.rotation[0, :2, 0], *place, *velocity, *others]])

    def judge(self) -> Judgement:
        """See the class."""
        ball = self._batch.arena.ball.position
        out = abs(ball[0]) > self._line or abs(ball[1]) > self._edge
        goal = ball[0] > self._line and is_in_goal_mouth(self._field, ball)
        nearest = np.minimum(self._nearest, self._far)
        reward = WAY * float((self._nearest - nearest).sum()) + (1.0 if goal else -1.0 if out else 0.0)
        self._nearest = nearest
        return Judgement(np.array([reward]), np.array([out]), np.array([goal]))

    @property
    def _seen(self) -> Array:
        """(3 + K, 4) sights of the things that the robot looks for, see `Senses.seen`."""
        return self._batch.senses.seen(0, self._looked_for)

    @property
    def _far(self) -> Array:
        """(2,) distances of the robot from the ball, and of the ball from the goal, m."""
        ball = self._batch.arena.ball.position[:2]
        away = ball - [self._batch.arena["robot_0"].position[:2], (self._line, 0.0)]
        return np.array(np.linalg.norm(away, axis=1))

    def _command(self, kind: str, *arguments: float | bool) -> None:
        """Use an effector of the robot."""
        arena = self._batch.arena
        robot: SoccerRobot = arena.entity("robot_0")
        arena.effectors[kind].act(arena.world, robot, arguments)
