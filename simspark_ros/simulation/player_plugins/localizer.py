"""A player that drives about by its ranges and finds out its pose by Monte Carlo localization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Range
from simspark_ros.motion.models.gaussian import MotionModel
from simspark_ros.physics.geometry.transforms import Array, way_between
from simspark_ros.players.monte_carlo import MonteCarloLocalization, MonteCarloSettings
from simspark_ros.sensors.container import SensorContainer
from simspark_ros.sensors.perceptual_model import PerceptualModel
from simspark_ros.simulation.drawings import Drawing
from simspark_ros.simulation.player_plugins.avoider import AvoiderOptions, AvoiderPlayer
from simspark_ros.simulation.player_plugins.player import PlayerBody
from simspark_ros.soccer.world import SoccerWorld

SHOWN = 1000
"""Number of poses of the cloud that are drawn; poses have no order, so the first ones do."""


@dataclass(frozen=True)
class LocalizerOptions(AvoiderOptions):
    """Options.

    Attributes:
        poses: number of poses in the cloud.
        interval: cycles between two measurements that weigh the poses.
        beyond: distance beyond the lines of the field at which it may be, m.
    """

    poses: Annotated[int, Range(10, 10_000)] = 2000
    interval: Annotated[int, Range(1, 1000, "cycles")] = 10
    beyond: Annotated[float, Range(-100.0, 100.0, "m")] = 0.5


class LocalizerPlayer(AvoiderPlayer):
    """Moves the cloud with the odometry and weighs each pose by the values that sensors have learned to expect there.

    Attributes:
        cloud: the possible poses and their weights.
    """

    options = LocalizerOptions
    settings: LocalizerOptions

    def __init__(self, body: PlayerBody, world: SoccerWorld, settings: LocalizerOptions) -> None:
        super().__init__(body, world, settings)
        field = world.settings.field
        corner = field.length / 2.0 + settings.beyond, field.width / 2.0 + settings.beyond
        self.cloud = MonteCarloLocalization(
            (-corner[0], -corner[1]), corner, body.random, MonteCarloSettings(count=settings.poses)
        )
        self.learn({})
        self._odometry = body.sensors.get(feature="odometry_pose")
        self._before: Array | None = None
        self._weighed = 0.0
        # Expectations that were learned elsewhere may not fit this robot.
        self._models = dict(body.models)
        self._learned = body.sensors.expect(self._models)

    def learn(self, models: Mapping[str, PerceptualModel], motion: MotionModel | None = None) -> None:
        """Take the expectations that a mapper has learned, by feature, and the model by which poses move in a cycle.

        Without `motion`, poses move by the motion model of the robot's drive, or by fixed noise if it has none.
        """
        self.body.models.update(models)
        self.cloud.motion = motion or (self.body.drive.motion_model if self.body.drive else None)

    def sense_and_act(self) -> None:
        """Drive, and follow."""
        super().sense_and_act()
        sensors = self.body.sensors
        if self._models != self.body.models:
            self._models = dict(self.body.models)
            self._learned = sensors.expect(self._models)
        sensors.update(self._odometry, *self._learned)
        if self._odometry.stamp is None:
            return
        pose = self._odometry.values
        if self._before is not None:
            self.cloud.move(*way_between(self._before, pose))
        self._before = pose
        due = self._weighed + (self.settings.interval - 0.5) * self.body.cycle_time
        if self._learned and self.body.time > due:
            self._weighed = self.body.time
            count = sum(int(np.isfinite(one.values).sum()) for one in self._learned)
            self.cloud.weigh(SensorContainer(self._learned).get_probability, count)
            if self.body.drawings.is_wanted:
                self.body.draw("particles", Drawing.of_poses(self.cloud.poses[:SHOWN]))
