"""Robots that have left but stay in their Bullet world, to be used again for robots of an equal model.

Bullet keeps 20 to 30 kB of a removed body until its world ends, and never frees the matrices of the direct solver of a
world that ended: 15 to 25 MB after a pile of robots. A body that is used again costs neither.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from simspark_ros.physics.bullet.robot import BulletRobot
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.model import ZERO, ArticulatedModel, Vector

MOST_SPARE = 11
"""Most spare robots: a team that leaves and comes back. A spare robot takes a sixth of the time of a playing one."""

_MOST_SOUND = 32
"""Most models known to be sound: more than leave and come again at a time."""


class SpareRobots:
    """The spare robots of one world, at rest high above the playing robots and apart from each other.

    They are not asleep, as Bullet wakes a body only after the next step.

    Attributes:
        removed: robots that were taken out of the world.
    """

    def __init__(self, settings: BulletSettings, gravity: Vector) -> None:
        self.removed = 0
        # Velocity that gravity brings to zero in a step, m/s.
        self._leap: Vector = tuple(0.0 - part * settings.step_time for part in gravity)  # type: ignore[assignment]
        # Distance from the origin within which all playing robots stay, m.
        self._spacing = settings.max_distance
        # Robots by their place, a number of spacings above the ground, the oldest first.
        self._robots: dict[int, BulletRobot] = {}

    @property
    def is_needed(self) -> bool:
        """Whether there are spare robots to hold."""
        return bool(self._robots)

    @property
    def robots(self) -> list[BulletRobot]:
        """All spare robots."""
        return list(self._robots.values())

    def keep(self, robot: BulletRobot) -> None:
        """Make a robot that leaves a spare one; remove the oldest if there are too many then."""
        place = next(place for place in count(2) if place not in self._robots)
        self._robots[place] = robot
        robot.set_aside()
        robot.place((0.0, 0.0, place * self._spacing), (0.0, 0.0, 0.0, 1.0), [0.0] * len(robot.joints))
        if len(self._robots) > MOST_SPARE:
            self.remove(self._robots.pop(next(iter(self._robots))))

    def take(self, model: ArticulatedModel) -> BulletRobot | None:
        """Take a spare robot of an equal model into use; None if there is none."""
        for place, robot in reversed(self._robots.items()):
            if robot.model is model or (hash(robot.model) == hash(model) and robot.model == model):
                return self._robots.pop(place)
        return None

    def remove(self, robot: BulletRobot) -> None:
        """Take a robot that is no spare one out of the world."""
        robot.remove()
        self.removed += 1

    def before_step(self) -> None:
        """Hold all spare robots against gravity for one Bullet step."""
        for robot in self._robots.values():
            robot.set_velocity(self._leap, ZERO)


class SoundModels:
    """Models whose robots came out of a step with sound numbers: robots of other models do not become spare.

    With a weak set the simulation would depend on who else holds a model, and how long.
    """

    def __init__(self) -> None:
        self._sound: dict[ArticulatedModel, None] = {}
        self._untried: dict[int, ArticulatedModel] = {}

    def __contains__(self, model: ArticulatedModel) -> bool:
        return model in self._sound

    def add(self, handle: int, model: ArticulatedModel) -> None:
        """A robot has come."""
        if model not in self._sound:
            self._untried[handle] = model

    def drop(self, handle: int) -> None:
        """A robot has gone."""
        self._untried.pop(handle, None)

    def look(self, recovered: Collection[int]) -> None:
        """A step is over; recovered: handles of the robots that had to be put back."""
        if not self._untried:
            return
        for handle in [handle for handle in self._untried if handle not in recovered]:
            self._sound[self._untried.pop(handle)] = None
        while len(self._sound) > _MOST_SOUND:
            del self._sound[next(iter(self._sound))]
