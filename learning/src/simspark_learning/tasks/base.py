"""The base of all tasks, for any number of robots at once."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.opponents import Opponent
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.soccer.field import Field

Observation = Literal["truth", "percepts"]
"""Source of a policy's observations: the simulator's own state, or the robot's sensors."""


@dataclass(frozen=True)
class Judgement:
    """Worth of the last action, for each of N robots.

    Attributes:
        reward: (N,) rewards for the action.
        over: (N,) whether the episode has ended by itself: the robot has fallen, or the task is done.
        success: (N,) whether the task is fulfilled now.
    """

    reward: Array
    over: BoolArray
    success: BoolArray


class Task(ABC):
    """One task. It keeps its memory of the robots in arrays of N rows.

    Attributes:
        name: name of the task.
        robot, world, engine: names of the robot, world and engine that it is meant for; others may be chosen.
        one_world: whether many robots can have it in one world; tasks with a ball cannot, as there is one ball.
        limits: limits of the world, as settings of `Arena`, large enough for robots and their things.
        spacing: distance between robots of one world, m.
        cycles: cycles of the simulation in which an action holds.
        longest: most actions in an episode.
        actions: count of numbers in an action, each from -1 to 1.
        observations: sources of observations that a policy can have.
        sensors: kinds of sensors for the observation `percepts`.
        opponents: players against the robot.
    """

    name: ClassVar[str]
    robot: ClassVar[str] = "nao"
    world: ClassVar[str] = "empty"
    engine: ClassVar[str] = "mujoco"
    one_world: ClassVar[bool] = True
    limits: ClassVar[Mapping[str, int]] = MappingProxyType({})
    spacing: ClassVar[float] = 3.0
    cycles: ClassVar[int] = 2
    longest: ClassVar[int]
    observations: ClassVar[tuple[Observation, ...]] = ("truth", "percepts")
    sensors: ClassVar[Collection[str]] = ()
    opponents: tuple[Opponent, ...] = ()

    def __init__(self, observation: Observation = "truth") -> None:
        if observation not in self.observations:
            raise ConfigurationError(
                f"task '{self.name}': observation '{observation}' is not available; use one of: "
                f"{', '.join(self.observations)}"
            )
        self.observation = observation

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Names of the arguments besides the observation."""
        return tuple(inspect.signature(cls).parameters)[1:]

    @property
    @abstractmethod
    def actions(self) -> int:
        """Numbers in an action."""

    @abstractmethod
    def bind(self, batch: RobotBatch) -> None:
        """Prepare for a batch, whose world has just been made."""

    @abstractmethod
    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Put robots, given by number, at the start of an episode."""

    @abstractmethod
    def act(self, actions: Array, random: np.random.Generator) -> None:
        """Command all robots by (N, A) actions from -1 to 1; chance may interfere."""

    @abstractmethod
    def observe(self) -> Array:
        """(N, O) observations."""

    @abstractmethod
    def judge(self) -> Judgement:
        """Rewards and ends after the last action."""


def is_in_goal_mouth(field: Field, place: Array) -> bool:
    """Whether a place (3,), m, is between the posts of a goal and below its crossbar, before or behind its line."""
    return bool(abs(place[1]) < field.goal_width / 2.0 and place[2] < field.goal_height)


def bounded(low: float, high: float, value: float, where: str) -> float:
    """A number of a task within its limits, else a ConfigurationError."""
    if not low <= value <= high:
        raise ConfigurationError(f"{where}: must be from {low:g} to {high:g}, not {value:g}")
    return value
