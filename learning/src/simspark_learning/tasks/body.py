"""Tasks of a humanoid's body: actions move its joints around a pose, by its servos."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.tasks.base import Observation, Task
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.geometry.kinematics import standing_height

STANDARD_GRAVITY = 9.80665
"""m/s2"""

KNEES_BENT: Mapping[str, float] = MappingProxyType(
    {
        **{f"{side}aj1": -1.6 for side in "lr"},
        **{"laj2": 0.2, "raj2": -0.2, "laj4": -0.8, "raj4": 0.8},
        **{f"{side}lj{joint}": angle for side in "lr" for joint, angle in ((3, 0.5), (4, -0.9), (5, 0.45))},
    }
)
"""Pose of the Nao around which it stands and walks, rad; other joints are at zero."""

FALLEN = 0.6
"""Share of the standing height, and cosine of the tilt, below which a robot has fallen."""

NOISE = 0.03
"""Noise of the pose at the start of an episode on the feet, rad."""

LEGS = tuple(f"{side}lj{joint}" for side in "lr" for joint in (2, 3, 4, 5, 6))
"""Joints of the Nao's legs except the hips' common yaw."""


@dataclass(frozen=True)
class TaskBody:
    """A humanoid as tasks know it; those of a task have equally many moved joints.

    Attributes:
        moved: joints that actions move.
        pose: positions around which they are moved, rad; joints that are not named are at zero.
        lying: height of the base's centre above the ground from which a lying robot falls, m.
    """

    moved: tuple[str, ...]
    pose: Mapping[str, float]
    lying: float


NAO = TaskBody(LEGS, KNEES_BENT, 0.12)
_SIDES = ("Left", "Right")
_T1_LEG = {"Hip_Roll": 0.0, "Hip_Pitch": -0.25, "Knee_Pitch": 0.5, "Ankle_Pitch": -0.25, "Ankle_Roll": 0.0}
T1 = TaskBody(
    tuple(f"{side}_{joint}" for side in _SIDES for joint in _T1_LEG),
    MappingProxyType(
        {
            **{f"{side}_{joint}": angle for side in _SIDES for joint, angle in _T1_LEG.items()},
            **{"Left_Shoulder_Roll": -1.3, "Right_Shoulder_Roll": 1.3, "Left_Elbow_Yaw": -0.6, "Right_Elbow_Yaw": 0.6},
        }
    ),
    0.2,
)
"""The league's robot since 2026, with arms that hang down."""


class BodyTask(Task):
    """Base of tasks of a humanoid's body.

    The observation `percepts` is known by ROS topics of any humanoid with an inertial unit: angles of the moved joints
    now and at the last action (their sensors have no errors), gyroscope, accelerometer, the last action, and the task's
    own part. `truth` has velocities of the joints, and height, attitude and velocities of the base instead.

    Attributes:
        bodies: bodies that can have the task.
        body: body of the robot, one of `bodies`.
        reach: angle that an action of 1 adds to a joint's pose, rad.
        once: whether the task is one motion, after which the robot holds its pose.
    """

    sensors: ClassVar[Collection[str]] = ("gyroscope", "accelerometer")
    bodies: ClassVar[tuple[TaskBody, ...]] = (NAO,)
    reach: ClassVar[float] = 0.5
    once: ClassVar[bool] = False

    def __init__(self, observation: Observation = "truth") -> None:
        super().__init__(observation)
        self._batch: RobotBatch
        self._middle: Array
        self._take(self.bodies[0])
        self._last: Array
        self._before: Array
        self._step: IntArray

    @property
    def actions(self) -> int:
        """One for each moved joint."""
        return len(self.body.moved)

    def fit(self, joints: Iterable[str]) -> str:
        """Take the body that a robot has by its joints; returns the name of a joint that it lacks, empty if none."""
        lacking = [[name for name in (*body.moved, *body.pose) if name not in joints] for body in self.bodies]
        for body, missing in zip(self.bodies, lacking, strict=True):
            if not missing:
                self._take(body)
                return ""
        return lacking[0][0]

    def _take(self, body: TaskBody) -> None:
        self.body = body
        self._middle = np.array([body.pose.get(name, 0.0) for name in body.moved])

    def bind(self, batch: RobotBatch) -> None:
        """Find the joints; a ConfigurationError if the robot lacks one."""
        if missing := self.fit(batch.joints):
            others = ", or the T1's" if T1 in self.bodies else ""
            raise ConfigurationError(
                f"task '{self.name}': robot '{batch.description.name}' has no joint '{missing}'; take a robot with "
                f"the Nao's joints{others}"
            )
        self._batch = batch
        self._index: IntArray = np.array([batch.joints.index(name) for name in self.body.moved])
        lower, upper = batch.joint_limits
        self._rest: Array = np.clip([self.body.pose.get(name, 0.0) for name in batch.joints], lower, upper)
        pose = dict(zip(batch.joints, self._rest.tolist(), strict=True))
        self._standing = standing_height(batch.description.model, pose)
        self._last = np.zeros((batch.count, self.actions))
        self._before = np.tile(self._rest[self._index], (batch.count, 1))
        self._step = np.zeros(batch.count, np.int64)

    def act(self, actions: Array, random: np.random.Generator) -> None:
        """Move the joints to their targets, which the actions change."""
        self._before = self._angles()
        self._last = actions
        self._batch.command_positions(self._index, self.targets(self._step, actions))
        self._step += 1

    def observe(self) -> Array:
        """(N, O): see the class."""
        batch, angles = self._batch, self._angles()
        if self.observation == "percepts":
            gyro, force = batch.senses.sensed("gyroscope", 3), batch.senses.sensed("accelerometer", 3)
            return perceived(angles, self._before, gyro, force, self._last, self.goal())
        motion, speeds = batch.motion, 0.1 * batch.velocities_of(self._index)
        # Height, then the vertical in own axes and both velocities.
        body = motion[:, 2:3], motion[:, 9:]
        return np.concatenate([angles, speeds, *body, self._last, self.goal()], axis=1)

    def targets(self, step: IntArray, actions: Array) -> Array:
        """Angles (N, K) of the moved joints, rad, by actions (N, K) in steps (N,) of an episode: around their pose."""
        return self._middle + self.reach * actions

    def wanted_at(self, step: IntArray) -> Array:
        """(N, W) the task's wishes in steps (N,) of an episode, which `goal` adds to the observation; none here."""
        return np.zeros((len(step), 0))

    def goal(self) -> Array:
        """(N, G) the task's own part of the observation."""
        return self.wanted_at(self._step)

    def stand_up(self, number: int, yaw: float, noise: Array) -> None:
        """Put a robot on its feet in its pose, with noise (J,) on its joints, rad."""
        self._batch.put(number, np.array([0.0, 0.0, self._standing]), np.array([0.0, 0.0, yaw]), self._rest + noise)
        self._forget(number)

    def _forget(self, number: int) -> None:
        self._last[number], self._step[number] = 0.0, 0
        self._before[number] = self._rest[self._index]

    def _angles(self) -> Array:
        return self._batch.positions_of(self._index)

    @property
    def is_standing(self) -> BoolArray:
        """(N,) whether the robots have not fallen."""
        return self._posture[1]

    @property
    def _posture(self) -> tuple[Array, BoolArray]:
        """(N,) cosine of the angle between the base's axis and the vertical, and whether the robots have not fallen."""
        motion = self._batch.motion
        # The height is 1 where the robot stands in its pose.
        upright, height = motion[:, 11], motion[:, 2] / self._standing
        return upright, (height > FALLEN) & (upright > FALLEN)

    @property
    def _upright(self) -> Array:
        """(N,) cosine of the angle between the base's axis and the vertical."""
        return self._posture[0]

    @property
    def _height(self) -> Array:
        """(N,) height of the base, 1 where it stands in its pose."""
        return self._batch.motion[:, 2] / self._standing


def perceived(angles: Array, before: Array, gyroscope: Array, force: Array, last: Array, goal: Array) -> Array:
    """The observation `percepts` (N, O) of its parts, rad, rad/s and m/s2, see `BodyTask`; force in units of g."""
    return np.concatenate([angles, before, gyroscope, force / STANDARD_GRAVITY, last, goal], axis=1)
