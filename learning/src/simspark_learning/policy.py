"""A trained policy in numpy alone, as a file and at work; the packages that trained it need not be installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from simspark_learning.tasks import TASKS
from simspark_learning.tasks.base import Task
from simspark_learning.tasks.body import BodyTask, perceived
from simspark_ros.configuration.archives import archive, write_archive
from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.engine import Array
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.types.parameters import name_and_type

LARGEST = 64 * 1024 * 1024
"""Largest file, bytes; policies of ours have less than a thousandth."""

CLIP = 10.0
"""Limit to which observations are cut, standard deviations."""

READY = 0.1
"""Largest error of a joint of a robot that has taken its pose, rad."""


class PolicyError(UserError):
    """A file is no policy, or one that cannot be used here; the message says why."""


@dataclass(frozen=True)
class Policy:
    """A network of layers with tanh between them, from observations to actions.

    Attributes:
        task: task that the policy was trained for; `observation` and `options` come from the environment.
        mean, deviation: (O,) mean and standard deviation of the observations in training.
        layers: weights (out, in) and biases (out,) of each layer.
    """

    task: str
    observation: str
    mean: Array
    deviation: Array
    layers: Sequence[tuple[Array, Array]]
    options: Mapping[str, Any] = field(default_factory=dict)

    def act(self, observations: Array) -> Array:
        """Actions (N, A), from -1 to 1, for observations (N, O)."""
        values = np.clip((observations - self.mean) / self.deviation, -CLIP, CLIP)
        for number, (weights, biases) in enumerate(self.layers):
            values = (np.tanh(values) if number else values) @ weights.T + biases
        actions: Array = np.clip(values, -1.0, 1.0)
        return actions

    def save(self, path: Path) -> None:
        """Write it to a file, a numpy archive."""
        about = {"task": self.task, "observation": self.observation, "options": dict(self.options)}
        arrays = {"mean": self.mean, "deviation": self.deviation}
        for number, (weights, biases) in enumerate(self.layers):
            arrays |= {f"w{number}": weights, f"b{number}": biases}
        write_archive(path, about, arrays, PolicyError)

    @classmethod
    def load(cls, path: Path) -> Policy:
        """Read a file.

        Raises:
            PolicyError: the file has no policy.
        """
        with archive(path, "policy of `simspark learn`", LARGEST, PolicyError) as (about, arrays):
            count = sum(name.startswith("w") for name in arrays)
            layers = [(_numbers(arrays[f"w{n}"]), _numbers(arrays[f"b{n}"])) for n in range(count)]
            policy = cls(
                str(about["task"]),
                str(about["observation"]),
                _numbers(arrays["mean"]),
                _numbers(arrays["deviation"]),
                layers,
                dict(about["options"]),
            )
            # Sizes fit, or this fails.
            policy.act(policy.mean[None])
        return policy


class BodyPolicy:
    """A policy at work on a robot known by its sensors alone: answers readings with positions of joints.

    If the task is a single motion, the robot first takes its pose, moves once, and then holds the pose.

    Attributes:
        joints: joints whose angles it needs.
        cycles: cycles of the simulation between two answers.

    Raises:
        PolicyError: the policy observes more than sensors tell, or is not made for a body.
    """

    def __init__(self, policy: Policy) -> None:
        kind = TASKS.get(policy.task)
        if kind is None or not _is_blind(kind):
            able = ", ".join(name for name, one in TASKS.items() if _is_blind(one))
            raise PolicyError(f"a policy for '{policy.task}' needs more than joints and IMU; take one for {able}")
        if policy.observation != "percepts":
            problem = f"the policy observes '{policy.observation}', and the robot's sensors do not tell that"
            raise PolicyError(f"{problem}; train one with --observation percepts")
        options = {name: value for name, value in policy.options.items() if name in kind.options()}
        self._policy, self._task = policy, kind("percepts", **options)
        if robot := str(policy.options.get("robot", "")):
            self._task.fit([joint.name for joint in load_robot(*name_and_type(robot)).model.joints])
        body = self._task.body
        self.joints, self.cycles = body.moved, kind.cycles
        self._pose = np.array([body.pose.get(name, 0.0) for name in body.moved])
        self._last = np.zeros(len(self.joints))
        self._before = self._pose.copy()
        self._step = np.zeros(1, np.int64)

    def answer(self, angles: Array, gyroscope: Array, force: Array) -> dict[str, float]:
        """Positions of joints, rad, by their names.

        Args:
            angles: (J,) angles of `joints`, rad.
            gyroscope: (3,) angular velocity of the base in its axes, rad/s.
            force: (3,) reading of the base's accelerometer, m/s2.
        """
        task = self._task
        if task.once and self._holds_pose(angles):
            return {**task.body.pose}
        rows = (angles, self._before, gyroscope, force, self._last, task.wanted_at(self._step)[0])
        observed = perceived(*(np.array(row, float)[None] for row in rows))
        self._before, self._last = angles, self._policy.act(observed)[0]
        positions = task.targets(self._step, self._last[None])[0]
        self._step += 1
        return {**task.body.pose, **dict(zip(self.joints, positions.tolist(), strict=True))}

    def _holds_pose(self, angles: Array) -> bool:
        """Whether the only motion is over, or has to wait until the robot has taken its first pose."""
        step = int(self._step[0])
        return step >= self._task.longest or (step == 0 and bool(np.abs(angles - self._pose).max() > READY))


def _numbers(values: Any) -> Array:
    numbers = np.asarray(values, float)
    if not np.isfinite(numbers).all():
        raise ValueError("a number is not finite")
    return numbers


def _is_blind(kind: type[Task]) -> TypeGuard[type[BodyTask]]:
    """Whether the policies of a task need no more than joints and inertial unit."""
    return issubclass(kind, BodyTask) and "restricted_vision" not in kind.sensors
