"""Wheels effector: moves a robot on two rows of driven wheels at a velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.effectors.base import effector
from simspark_ros.effectors.walk import TWIST, command_velocity
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

_LENGTH = Range(0.001, 100.0)


@dataclass(frozen=True)
class WheelParameters(Checked):
    """Parameters in YAML.

    Attributes:
        left, right: joints of the wheels on each side; they roll forward in their positive direction.
        radius: of the wheels, m.
        track: distance of the two rows, m.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    radius: Annotated[float, _LENGTH]
    track: Annotated[float, _LENGTH]


@effector("wheels", topic=TWIST)
def wheels(world: World, robot: Robot, parameters: WheelParameters, forward: float, left: float, turn: float) -> None:
    """Roll at a velocity, m/s and rad/s, until the next command or the timeout; wheels do not go to the left.

    Refused for the robot of an agent.
    """
    command_velocity("wheels", world, robot, forward, 0.0, turn)
