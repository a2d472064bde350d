"""Names and numbers over players, and numbers on robots: digits of seven segments, on the back and on the chest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import Vector
from simspark_ros.rendering.drawing.meshes import Colour, Mesh
from simspark_watching.broadcast.bodies import BodyFrames
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRobot

INK: Colour = (0.97, 0.97, 0.97, 1.0)

_HEIGHT, _WIDTH, _BAR, _GAP = 0.08, 0.042, 0.013, 0.014
_THICKNESS = 0.004

# Bars by the usual letters: a top, b upper right, c lower right, d bottom, e lower left, f upper left, g middle.
_LIT = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg")
_UP, _ASIDE = (_HEIGHT - _BAR) / 2.0, (_WIDTH - _BAR) / 2.0
_SEGMENTS = {
    "a": (0.0, _UP, _WIDTH, _BAR),
    "b": (_ASIDE, _UP / 2.0, _BAR, _HEIGHT / 2.0),
    "c": (_ASIDE, -_UP / 2.0, _BAR, _HEIGHT / 2.0),
    "d": (0.0, -_UP, _WIDTH, _BAR),
    "e": (-_ASIDE, -_UP / 2.0, _BAR, _HEIGHT / 2.0),
    "f": (-_ASIDE, _UP / 2.0, _BAR, _HEIGHT / 2.0),
    "g": (0.0, 0.0, _WIDTH, _BAR),
}


@dataclass(frozen=True)
class DigitSegment:
    """One segment of a digit: centre and full edge lengths in the frame of the body, m."""

    centre: Vector
    size: Vector


def segments(number: int, body: Mesh) -> list[DigitSegment]:
    """Return the segments of a number (at least 0) on both sides of a body, x forward, y left, z up."""
    low, high = body.vertices.min(0).tolist(), body.vertices.max(0).tolist()
    middle, text = (low[2] + high[2]) / 2.0, str(number)
    found: list[DigitSegment] = []
    for sign, x in ((1.0, high[0]), (-1.0, low[0])):
        for place, digit in enumerate(text):
            # To the right as one reads it: -y on the back, +y on the chest.
            aside = (place - (len(text) - 1) / 2.0) * (_WIDTH + _GAP)
            for letter in _LIT[int(digit)]:
                across, up, width, height = _SEGMENTS[letter]
                found.append(DigitSegment((x, sign * (aside + across), middle + up), (_THICKNESS, width, height)))
    return found


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
