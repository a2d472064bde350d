"""Episodes of a task for N robots in one world, the core of all kinds of environments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.tasks.base import Task
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import Array, BoolArray, IntArray


@dataclass(frozen=True)
class Step:
    """Result of an action, for each of N robots.

    Attributes:
        observation: (N, O) observations after the action.
        reward: (N,) rewards for the action.
        terminated: (N,) whether the episode has ended by itself.
        truncated: (N,) whether its time is over.
        success: (N,) whether the task is fulfilled now.
    """

    observation: Array
    reward: Array
    terminated: BoolArray
    truncated: BoolArray
    success: BoolArray

    @property
    def over(self) -> BoolArray:
        """(N,) whether the episode is over, for either reason."""
        return self.terminated | self.truncated


def bounded(actions: Array) -> Array:
    """Actions cut to the range from -1 to 1.

    Raises:
        ValueError: one is no number, so that a policy that has diverged does not look like a quiet one.
    """
    if np.isnan(actions).any():
        raise ValueError("an action is not a number (NaN): the policy has diverged")
    cut: Array = np.minimum(np.maximum(actions, -1.0), 1.0)
    return cut


class Episodes:
    """Runs a task; all that happens after `begin` follows from its seed and the actions, bit by bit.

    Args:
        task: the task to run.
        count: number of robots, N.
        robot: the robot's name; empty = the task's robot.
        settings: settings of `Arena`; engine and world are the task's unless they are given.

    Raises:
        ConfigurationError: the task allows one robot only, or the robot does not fit it.
    """

    def __init__(self, task: Task, count: int = 1, robot: str = "", **settings: Any) -> None:
        if count > 1 and not task.one_world:
            raise ConfigurationError(
                f"task '{task.name}': {count} robots cannot do it in one world, since a world has one ball; make more "
                "worlds"
            )
        sensors = task.sensors if task.observation == "percepts" else ()
        given = {"engine": task.engine, "world": task.world, "referee": False, **task.limits, **settings}
        self.task = task
        self.batch = RobotBatch(robot or task.robot, count, task.spacing, sensors, task.opponents, **given)
        self._random = np.random.default_rng(self.batch.arena.seed)
        self._done: IntArray = np.zeros(count, np.int64)
        self.count, self.action_size = count, task.actions
        try:
            self.task.bind(self.batch)
            self.observation_size = self.begin(self.batch.arena.seed).shape[1]
        except BaseException:
            self.close()
            raise

    def begin(self, seed: int) -> Array:
        """Begin all episodes in a new world; returns the observations (N, O)."""
        self.batch.reset(seed)
        self._random = np.random.default_rng(seed)
        self.task.bind(self.batch)
        return self.restart(np.arange(self.batch.count))

    def restart(self, who: IntArray) -> Array:
        """Begin the episodes of some robots, by number, in the same world; returns the observations of all (N, O)."""
        self.task.begin(who, self._random)
        self._done[who] = 0
        return self.task.observe()

    def step(self, actions: Array) -> Step:
        """Act (N, A), as `bounded`, and return the result."""
        task = self.task
        task.act(bounded(actions), self._random)
        self.batch.step(task.cycles)
        self._done += 1
        judged = task.judge()
        truncated = (self._done >= task.longest) & ~judged.over
        return Step(task.observe(), judged.reward, judged.over, truncated, judged.success)

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        """The same, and robots whose episodes are over begin the next ones.

        Returns:
            The result, with the last observations of these episodes; and the observations (N, O) to go on from.
        """
        step = self.step(actions)
        ended = np.flatnonzero(step.over)
        return step, self.restart(ended) if len(ended) else step.observation

    def render(self, width: int = 640, height: int = 480) -> Any:
        """A picture (height, width, 3) of the first robot, red, green, blue."""
        x, y, _ = self.batch.position[0]
        x, y = x + self.batch.places[0, 0], y + self.batch.places[0, 1]
        return self.batch.arena.render((x - 1.2, y - 1.8, 1.0), (x, y, 0.25), width=width, height=height)

    def close(self) -> None:
        """Free the engine."""
        self.batch.close()
