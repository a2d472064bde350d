"""A player that visits all poses of a grid without noise, so that its sensors learn the values to expect at each.

"A Plugin-Based Architecture for Simulation in the F2000 League", section 5.2: the sensor expectation model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Range
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions, upright
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.robots.body.kinematics import standing_point
from simspark_ros.sensors.perceptual_model import DEVIATIONS, PerceptualModel, PoseGrid, evenly_spread
from simspark_ros.simulation.player_plugins.player import PlayerBody, PlayerOptions, PlayerPlugin
from simspark_ros.soccer.world import SoccerWorld

MOST_NUMBERS = 20_000_000
"""Most numbers to learn, of all features at all poses: 160 MB."""

FEATURES = "pole_distance,pole_angle,goal_distance,goal_angle"


@dataclass(frozen=True)
class MapperOptions(PlayerOptions):
    """Options.

    Attributes:
        features: features to learn, separated by commas; each has distances or angles.
        step: distance between two places, m.
        headings: number of headings at each place.
        most: most values of a feature that count, evenly spread; 0 = all. Neighbouring beams of a scanner say the
            same, and are no independent measurements.
        distance_sigma: standard deviation of distances to expect, m, with the errors of interpolation in the grid.
        beyond: distance that it goes beyond the lines of the field, m.
    """

    features: str = FEATURES
    step: Annotated[float, Range(0.01, 10.0, "m")] = 0.5
    headings: Annotated[int, Range(1, 360)] = 12
    most: Annotated[int, Range(0, 100_000)] = 0
    distance_sigma: Annotated[float, Range(0.001, 100.0, "m")] = DEVIATIONS["distance"]
    beyond: Annotated[float, Range(-100.0, 100.0, "m")] = 0.5


class MapperPlayer(PlayerPlugin):
    """Moves its robot from pose to pose, and has finished once it was at every pose.

    Attributes:
        grid: the grid of poses to visit.
    """

    options = MapperOptions
    settings: MapperOptions
    uses_world = True

    def __init__(self, body: PlayerBody, world: SoccerWorld, settings: MapperOptions) -> None:
        super().__init__(body, world, settings)
        field, beyond = world.settings.field, settings.beyond
        corner = field.length / 2.0 + beyond, field.width / 2.0 + beyond
        self.grid = PoseGrid((-corner[0], -corner[1]), corner, settings.step, settings.headings)
        self._data = [body.sensors.get(feature=name.strip()) for name in settings.features.split(",")]
        most = settings.most
        counts = [len(evenly_spread(len(data.feature.columns), most)) for data in self._data]
        numbers = math.prod(self.grid.shape) * sum(counts)
        if numbers > MOST_NUMBERS:
            raise ValueError(f"it would learn {numbers} numbers; at most {MOST_NUMBERS} are allowed: use larger steps")
        self._poses = self.grid.poses()
        self._next = 0
        for data in self._data:
            sigma = settings.distance_sigma if data.feature.quantity == "distance" else None
            data.perceptual_model = PerceptualModel(data.feature, self.grid, sigma, most=most)
        body.make_exact(self._data)

    @property
    def models(self) -> dict[str, PerceptualModel]:
        """The learned expectations, by feature."""
        return {one.feature.name: one.perceptual_model for one in self._data if one.perceptual_model is not None}

    @property
    def done(self) -> float:
        """Share of the grid's poses that it has visited, 0 to 1."""
        return self._next / len(self._poses)

    def sense_and_act(self) -> None:
        """Learn at the pose of the last cycle, and go to the next."""
        sensors, robot = self.body.sensors, self.body.robot
        if any(one.stamp != self.body.time for one in self._data):
            sensors.update(*self._data)
            return
        if self._next:
            sensors.learn_probability(self._poses[self._next - 1])
        if self._next == len(self._poses):
            self.body.models.update(self.models)
            self.finished = True
            return
        x, y, heading = self._poses[self._next].tolist()
        self._next += 1
        sensors.update(*self._data)
        turn = upright(heading)
        rotation = rotations_from_quaternions(np.array([turn]))[0]
        place = (x, y, 0.0) - product(rotation, standing_point(robot.description.model, robot.description.spawn_height))
        px, py, pz = place.tolist()
        self.world.engine.place_robot(robot.handle, (px, py, pz), turn)
