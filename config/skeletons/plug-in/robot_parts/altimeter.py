"""A sensor: the height of the link that carries it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from simspark_ros.plugins import Array, BoolArray, Checked, Error, Mount, Perceptor, Range, Topic, World, parameters


@dataclass(frozen=True)
class AltimeterParameters(Checked):
    """In the robot's file. noise: standard deviation, m."""

    noise: Annotated[float, Range(0.0, 1.0, "m"), Error()] = 0.0


class Altimeter(Perceptor):
    """Height of a link's centre of mass above the ground, m."""

    columns = ("height",)
    options = AltimeterParameters
    needs_link = True
    # What classic agents read: (ALT (n belly) (h 0.11))
    message, message_values = "(ALT (n {name}) (h {}))", ("height",)
    # What ROS gets: <robot>/altitude/belly
    topics = (Topic("sensor_msgs/msg/Range", "altitude/{name}", {"range": "height"}, constants={"max_range": 100.0}),)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Robots have come or gone: look up where links are read and values are written, for all robots at once."""
        self._links = world.engine.select_links([(mount.robot.handle, mount.spec.link) for mount in mounts])
        self._places = np.array([mount.start for mount in mounts])
        self._noise = np.array([parameters(AltimeterParameters, mount).noise for mount in mounts])

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Write the readings of this cycle."""
        positions, _ = world.engine.link_poses(self._links)
        values[self._places] = positions[:, 2] + self._noise * self.random.standard_normal(len(self._noise))
