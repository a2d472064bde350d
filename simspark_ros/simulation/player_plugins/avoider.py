"""A player that drives about and hits nothing, by ranges alone: any sensors that give distances in known directions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Range
from simspark_ros.sensors.container import NoSensorError
from simspark_ros.simulation.player_plugins.player import PlayerBody, PlayerOptions, PlayerPlugin
from simspark_ros.soccer.world import SoccerWorld

_DIRECTIONS = np.radians(np.arange(-90.0, 91.0, 10.0))
_IN_THE_WAY = math.radians(25.0)
"""Angle on either side in which something is in the way of a robot that drives in a direction."""
_FAR = 3.0
"""Distance beyond which nothing is in the way, m."""
_DETOUR = 0.5
"""Extra free way, m, for which a direction is chosen although it is one radian farther from the wanted direction."""


@dataclass(frozen=True)
class AvoiderOptions(PlayerOptions):
    """Options.

    Attributes:
        sensors: type of the sensors to use; empty = all with distances in known directions.
        speed: speed where nothing is near, m/s.
        turn: fastest turn, rad/s.
        distance: distance to keep from things, measured at the sensors, m.
        wander: random drift of the wanted direction, rad by root of seconds.
    """

    sensors: str = ""
    speed: Annotated[float, Range(0.01, 10.0, "m/s")] = 0.5
    turn: Annotated[float, Range(0.01, 10.0, "rad/s")] = 1.5
    distance: Annotated[float, Range(0.05, 5.0, "m")] = 0.5
    wander: Annotated[float, Range(0.0, 10.0)] = 0.3


class AvoiderPlayer(PlayerPlugin):
    """Turns toward the freest direction near the wanted one, and slows down where things are near."""

    options = AvoiderOptions
    settings: AvoiderOptions

    def __init__(self, body: PlayerBody, world: SoccerWorld, settings: AvoiderOptions) -> None:
        super().__init__(body, world, settings)
        found = body.sensors.find(type=settings.sensors)
        self._ranges = [one for one in found if len(one.bearings) and one.feature.quantity == "distance"]
        if not self._ranges:
            raise NoSensorError(f"robot '{body.name}' has no sensor of ranges of type '{settings.sensors or 'any'}'")
        self._wish = 0.0

    def sense_and_act(self) -> None:
        """Look at all ranges, and drive."""
        self.body.sensors.update(*self._ranges)
        if any(one.stamp is None for one in self._ranges):
            return
        stray = self.settings.wander * math.sqrt(self.body.cycle_time)
        self._wish = float(np.clip(self._wish + stray * self.body.random.standard_normal(), -1.0, 1.0))
        forward, turn = self._way()
        self.body.move(forward, 0.0, turn)

    def _way(self) -> tuple[float, float]:
        """Speed forward, m/s, and turn, rad/s."""
        settings = self.settings
        bearings = np.concatenate([one.bearings for one in self._ranges])
        free = np.clip(np.concatenate([one.values for one in self._ranges]), 0.0, _FAR)
        beside = np.abs(bearings - _DIRECTIONS[:, None]) < _IN_THE_WAY
        ways = np.where(beside, free, np.inf).min(axis=1)
        # (directions,) free way in each, the least of all beams beside it; a direction that no beam covers is not free.
        ways[~beside.any(axis=1)] = 0.0
        best = int(np.argmax(ways - _DETOUR * np.abs(_DIRECTIONS - self._wish)))
        ahead = float(ways[len(ways) // 2])
        turn = float(np.clip(2.0 * _DIRECTIONS[best], -settings.turn, settings.turn))
        if ways[best] < settings.distance:
            return 0.0, settings.turn
        return settings.speed * min(max(ahead - settings.distance, 0.0), 1.0), turn
