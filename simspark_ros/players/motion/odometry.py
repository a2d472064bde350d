"""Where a robot has come to on its feet, from what it senses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from simspark_ros.physics.geometry.kinematics import LinkChains
from simspark_ros.physics.geometry.transforms import Array, Transform
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.players.motion.interface import Triple
from simspark_ros.players.motion.tilt import TiltEstimator

CORRECTION = 1.0
"""How fast the accelerometer corrects the tilt, 1/s."""

_UPRIGHT = 0.1
"""Horizontal part of the torso's forward axis below which its heading is not known."""


class LegOdometer:
    """Adds up the motion of the base link over the feet that bear it; starts at the origin, on flat ground.

    A foot is taken to stand still where the ground presses on it, and between two feet the one that bears more counts
    more. The gyroscope gives the heading, and with the accelerometer the tilt. Slipping feet and being carried are not
    noticed, and there the estimate drifts away (G. Roston, E. Krotkov, "Dead Reckoning Navigation for Walking Robots",
    IROS 1992).

    Args:
        model: of the robot.
        feet: links on which the ground presses, L of them.

    Attributes:
        pose: of the base link's frame in the frame in which it started, m.
        linear, angular: its velocity in its own axes, m/s and rad/s.
    """

    def __init__(self, model: ArticulatedModel, feet: Sequence[str]) -> None:
        self._chains = LinkChains(model, feet)
        self._contacts = np.array([[*model.link(name).centre, 1.0] for name in feet])
        self._centres = self._contacts[:, :3].copy()
        self._tilt = TiltEstimator(CORRECTION)
        self._yaw = 0.0
        self._before: Array | None = None
        self.pose = Transform()
        self.linear: Array = np.zeros(3)
        self.angular: Array = np.zeros(3)

    def pause(self) -> None:
        """Go on from here although the robot may have moved: the readings between the last and the next are missing."""
        self._before = None

    def update(
        self, angles: Array, gyro: Triple, accelerometer: Triple, points: Array, forces: Array, seconds: float
    ) -> None:
        """Take in the readings at the end of a cycle.

        Args:
            angles: (J,) of all joints, rad or m.
            gyro: angular velocity in the base link's axes, rad/s.
            accelerometer: specific force in the base link's axes, m/s2.
            points: (L, 3) where the ground presses on the feet, from their centres of mass in their axes, m.
            forces: (L, 3) of the ground in the feet's axes, N; 0 without contact.
            seconds: length of the cycle.
        """
        self._tilt.update(gyro, accelerometer, seconds)
        if self._before is not None:
            self._yaw += seconds * sum(rate * share for rate, share in zip(gyro, self._tilt.up, strict=True))
        rotation = self._rotation()
        # Feet in the axes of the start, around the base link's origin.
        feet = self._chains.at(angles)
        feet[:, :3] = rotation @ feet[:, :3]
        self._contacts[:, :3] = points + self._centres
        contacts = self._contacts[..., None]
        loads = np.maximum((feet[:, 2, None, :3] @ forces[..., None])[:, 0, 0], 0.0)
        load = float(loads.sum())
        position: Array = self.pose.position
        moved = np.zeros(3)
        if load > 0.0:
            weights = loads / load
            here = weights @ (feet @ contacts)[:, :3, 0]
            if self._before is not None:
                moved = weights @ (self._before @ contacts)[:, :3, 0] - here
            moved[2] = -here[2] - position[2]
        self.pose = Transform(rotation, position + moved)
        if self._before is None:
            moved = np.zeros(3)
        self.linear, self.angular = moved @ rotation / seconds, np.array(gyro)
        self._before = feet

    def _rotation(self) -> Array:
        """Base link's axes as columns, in the frame of the start: heading and tilt."""
        ux, uy, uz = self._tilt.up
        # The torso's forward axis without its part along `up`, and the direction to the left of both.
        length = math.sqrt(max(0.0, 1.0 - ux * ux))
        if length < _UPRIGHT:
            return self.pose.rotation
        forward = (length, -ux * uy / length, -ux * uz / length)
        left = (0.0, uz / length, -uy / length)
        c, s = math.cos(self._yaw), math.sin(self._yaw)
        return np.array(
            (
                [c * f - s * k for f, k in zip(forward, left, strict=True)],
                [s * f + c * k for f, k in zip(forward, left, strict=True)],
                (ux, uy, uz),
            )
        )
