"""Names and numbers over players."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.watching.broadcast.bodies import BodyFrames
from simspark_ros.watching.broadcast.scene_recognition import SceneObjects, SceneRobot

ABOVE = 0.16
"""Height of a label above the centre of a robot's highest part, m."""


def label_of(robot: SceneRobot) -> str:
    """The number of a player, the name of any other robot; nothing over objects."""
    if robot.described is not None and robot.described.is_object:
        return ""
    return str(robot.unum) if robot.side and robot.unum else robot.name


def labelled(objects: SceneObjects) -> list[tuple[int, str]]:
    """Index and text of each robot with a label."""
    return [(number, text) for number, robot in enumerate(objects.robots) if (text := label_of(robot))]


def label_places(bodies: BodyFrames, positions: Array) -> Array:
    """Places (R, 3) of the robots' labels, m, by the positions of all bodies."""
    places = positions[bodies.torsos].copy()
    if len(places):
        places[:, 2] = np.maximum.reduceat(positions[: bodies.link_count, 2], bodies.torsos) + ABOVE
    return places
