"""Effectors of a camera on a pan-tilt unit: turn it, look at a point, search for a thing and follow it.

High-level sensors take commands ("A Simulation Environment for Middle-size Robots with Multi-level Abstraction",
section 5.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.errors import shown, suggestion
from simspark_ros.configuration.schema import Range
from simspark_ros.effectors.base import CommandTopic, JointParameters, effector
from simspark_ros.effectors.signature import Degrees
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import Gaze, World

BALL = "ball"


@dataclass(frozen=True)
class GazeParameters(JointParameters):
    """Parameters in YAML.

    Attributes:
        pan, tilt: joints of the unit, about z and then about y; empty = the view turns as by `pantilt`.
        view_deg: field of view in which a search finds its thing.
    """

    pan: str = ""
    tilt: str = ""
    view_deg: Annotated[float, Range(1.0, 360.0, "degrees")] = 40.0

    def __post_init__(self) -> None:
        """Check that there are both joints, or none."""
        super().__post_init__()
        if bool(self.pan) != bool(self.tilt):
            raise ValueError("name both joints, pan and tilt, or neither")

    @property
    def named_joints(self) -> tuple[str, ...]:
        """The joints of the unit."""
        return tuple(filter(None, (self.pan, self.tilt)))

    def gaze(self) -> Gaze:
        """A gaze without a target."""
        return Gaze(self.pan, self.tilt, math.radians(self.view_deg) / 2.0)


@effector("turn_camera", topic=CommandTopic("simspark_ros/msg/PanTilt"), for_agents=False)
def turn_camera(world: World, robot: Robot, parameters: GazeParameters, pan: float, tilt: float) -> None:
    """Turn a camera, to the left and up, rad, as fast and as far as its joints can."""
    _set(world, robot, parameters).angles = (pan, tilt)


@effector("look_at", topic=CommandTopic("geometry_msgs/msg/Point"), for_agents=False)
def look_at(world: World, robot: Robot, parameters: GazeParameters, x: float, y: float, z: float) -> None:
    """Keep a point of the world, m, in the middle of the picture while the robot moves."""
    _set(world, robot, parameters).point = (x, y, z)


@effector("search_for", topic=CommandTopic("std_msgs/msg/String", fields={"thing": "data"}), for_agents=False)
def search_for(world: World, robot: Robot, parameters: GazeParameters, thing: str) -> None:
    """Look around until the ball (`ball`), a robot or a mark of the field, by its name, is in view, and follow it."""
    robots = [other.name for other in world.robots.values() if other.name and other is not robot]
    names = [*[BALL] * (world.scene.ball is not None), *world.marks, *robots]
    if thing not in names:
        raise CommandRejectedError(f"search_for: unknown object {shown(thing)}; {suggestion(thing, names)}")
    _set(world, robot, parameters).thing = thing


def _set(world: World, robot: Robot, parameters: GazeParameters) -> Gaze:
    gaze = world.gazes[robot.handle] = parameters.gaze()
    return gaze


@effector("pantilt", topic=CommandTopic("simspark_ros/msg/PanTilt"), for_agents=False)
def pantilt(world: World, robot: Robot, pan: Degrees, tilt: Degrees) -> None:
    """Turn the view relative to the body that carries the camera, positive left and up, rad.

    The view turns at once and stays. It pans to any angle; tilt is clamped to 90 degrees up and down.
    """
    robot.pan_tilt = (math.remainder(pan, 2 * math.pi), min(max(tilt, -math.pi / 2), math.pi / 2))
