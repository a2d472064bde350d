"""A sensor, an actuator and a drive by ARCHITECTURE.md: class or function, line in a registry, file of a robot."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simspark_ros.effectors import EFFECTORS, CommandRejectedError, CommandTopic, effector
from simspark_ros.motion.drive import Drive
from simspark_ros.motion.interface import Triple, Walk
from simspark_ros.perceptors.base import Mount, Perceptor, Topic
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

CRAWLER = "based_on: differential\neffectors: [{kind: crawl}]\n"
ROBOT = "based_on: nao\nmore_perceptors: [{kind: alt, name: belly}]\nmore_effectors: [{kind: hop}]\n"


class Altimeter(Perceptor):
    """Height of the torso, m."""

    columns = ("height",)
    message, message_values = "(ALT (n {name}) (h {}))", ("height",)
    topics = (Topic("std_msgs/msg/Float64", "alt/{name}", {"data": "height"}),)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        self._rows, self._places = np.array([(mount.row, mount.start) for mount in mounts], int).reshape(-1, 2).T

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        values[self._places] = world.engine.state.position[self._rows, 2]


@effector("hop", topic=CommandTopic("std_msgs/msg/Float64", fields={"speed": "data"}))
def hop(world: World, robot: Robot, speed: float) -> None:
    """Throw the robot upward, m/s."""
    if speed < 0:
        raise CommandRejectedError("hop: speed must not be negative")
    world.engine.set_velocity(robot.handle, (0.0, 0.0, speed), (0.0, 0.0, 0.0))


class Crawl(Drive):
    """Both wheels turn alike."""

    joints = np.array([0, 1])
    is_standing = False

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        return np.full(2, command.forward / 0.0975 if command else 0.0)

    def motion(self, turns: Array) -> Array:
        return np.array([0.0975 * turns.mean(), 0.0, 0.0])


def register() -> None:
    """The lines in the registries."""
    EFFECTORS["hop"], PERCEPTORS["alt"] = hop, Altimeter


def hopper(folder: Path) -> Path:
    """The robot's file."""
    path = folder / "hopper.yaml"
    path.write_text(ROBOT)
    return path
