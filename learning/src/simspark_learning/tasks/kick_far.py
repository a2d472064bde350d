"""Kick a ball that lies ready as hard as possible: a motion of key frames, and learned corrections of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from simspark_learning.batch import RobotBatch
from simspark_learning.tasks.base import Judgement, Observation, bounded
from simspark_learning.tasks.body import NAO, NOISE, BodyTask
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.robots.object_settings import ObjectSettings
from simspark_ros.robots.objects import object_description

BALL, SPREAD = (0.175, -0.05), 0.01
"""Place of the ball, before the right foot, forward and left of the robot, and its spread on each axis, m."""

RADIUS, MASS = 0.042, 0.026
"""Radius and mass of the 3D league's ball, m and kg. It is an object: a world has only one ball of the game."""

ACTION = 0.04
"""Time of an action, s."""

STANCE = (-1.1, 32.7, -70.4, 40.7, 1.1, 1.1, 32.7, -70.4, 40.7, -1.1)
ON_LEFT = (-19.1, 30.2, -60.3, 35.0, 19.2, -17.2, 28.7, -62.4, 36.2, 17.2)
DRAWN_BACK = (-19.1, 30.2, -60.3, 35.0, 19.2, -20.2, 3.5, -75.4, 66.6, 20.3)
SWUNG = (-19.1, 30.2, -60.3, 35.0, 19.2, -20.1, 69.7, -53.7, -5.9, 20.5)
"""Angles of the legs in the demonstration team's kick, left one first, degrees."""

KEY_FRAMES = (
    (0.0, STANCE),
    (0.4, STANCE),
    (0.75, ON_LEFT),
    (0.95, DRAWN_BACK),
    (1.27, SWUNG),
    (1.37, SWUNG),
    (1.62, ON_LEFT),
    (1.97, STANCE),
)
"""Times of the legs' poses, s; the swing takes twice as long as in the team's hardest kick.

The robot first stands until it has come to rest, so that it begins alike in training and after any other motion.
"""

IN_AIR = (0.75, 1.62)
"""Times between which the right foot is off the ground, s."""

REACH = np.array([0.04, 0.04, 0.04, 0.04, 0.04, 0.08, 0.45, 0.45, 0.3, 0.08])
"""Angle that an action of 1 adds to each joint, rad: little in the leg that carries the robot."""

FALL = 2.0
"""Cost of a fall."""


class KickFarTask(BodyTask):
    """Kick the ball as hard as possible straight ahead, and stay on the feet; 2.2 seconds.

    Actions are added to the key frames of a slow kick while the foot is in the air. The robot does not see the ball,
    which lies where it has to; observations have the share of time that has passed, 0 to 1, besides the body.

    Reward: the ball's fastest speed ahead less its speed to the side, m/s, in the action that makes it; less 2 for a
    fall, which ends the episode, and a little for large actions.

    Args:
        observation: see `Task`.
        speed: speed of the ball for a success, m/s.
    """

    name = "kick_far"
    limits: ClassVar[Mapping[str, int]] = MappingProxyType(
        dict.fromkeys(("world_joints", "world_links", "world_colliding"), 4000)
    )
    spacing: ClassVar[float] = 8.0
    longest: ClassVar[int] = 55
    once: ClassVar[bool] = True
    bodies = (replace(NAO, pose={**NAO.pose, **dict(zip(NAO.moved, np.radians(STANCE).tolist(), strict=True))}),)

    def __init__(self, observation: Observation = "truth", speed: float = 2.5) -> None:
        super().__init__(observation)
        self._wanted_speed = bounded(0.1, 10.0, speed, "kick_far: speed")
        self._fastest: Array = np.zeros(1)
        self._balls: list[int] = []
        self._rows: IntArray

    def bind(self, batch: RobotBatch) -> None:
        """Find the joints, and the balls, which come again with a new world."""
        super().bind(batch)
        names = [f"ball_{number}" for number in range(batch.count)]
        there = {robot.name for robot in batch.arena.robots}
        for name, (x, y) in zip(names, batch.places.tolist(), strict=True):
            if name not in there:
                thing = object_description(name, ObjectSettings(sphere=RADIUS, mass=MASS))
                # Robots and things are added at some distance.
                batch.arena.add(thing, name=name, position=(x + 1.0, y, RADIUS))
        self._balls = [batch.arena.entity(name).handle for name in names]
        state = batch.arena.world.engine.state
        self._rows = np.array([state.row(handle) for handle in self._balls], np.int64)
        self._fastest = np.zeros(batch.count)

    def begin(self, who: IntArray, random: np.random.Generator) -> None:
        """Stand before the ball."""
        batch = self._batch
        for number in who.tolist():
            self.stand_up(number, 0.0, random.normal(0.0, NOISE / 3.0, len(batch.joints)))
            x, y = (batch.places[number] + BALL + random.uniform(-SPREAD, SPREAD, 2)).tolist()
            batch.arena.world.engine.place_robot(self._balls[number], (x, y, RADIUS), (0.0, 0.0, 0.0, 1.0))
        self._fastest[who] = 0.0

    def targets(self, step: IntArray, actions: Array) -> Array:
        """The key frames, with straight ways between them, and actions while the foot is in the air."""
        times, angles = zip(*KEY_FRAMES, strict=True)
        now = ACTION * (step + 1.0)
        frames = np.radians(np.stack([np.interp(now, times, column) for column in np.array(angles).T], axis=1))
        in_air = (now > IN_AIR[0]) & (now < IN_AIR[1])
        targets: Array = frames + in_air[:, None] * REACH * actions
        return targets

    def wanted_at(self, step: IntArray) -> Array:
        """(N, 1) the share of the time that has passed."""
        return np.minimum(step[:, None] / self.longest, 1.0)

    def judge(self) -> Judgement:
        """See the class."""
        standing = self.is_standing
        ahead, left, _ = self._batch.arena.world.engine.state.linear_velocity[self._rows].T
        faster = np.maximum(ahead - np.abs(left) - self._fastest, 0.0)
        self._fastest += faster
        reward = faster - FALL * ~standing - 0.02 * (self._last**2).mean(axis=1)
        return Judgement(reward, ~standing, standing & (self._fastest >= self._wanted_speed))
