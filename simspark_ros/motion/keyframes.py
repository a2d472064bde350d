"""Sequences of postures: named joint angles, each reached in its time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range

MIRRORED = ("aj2", "aj3", "aj4", "lj2", "lj6")
"""Joints with opposite signs of their angles on both sides in a symmetric posture."""


@dataclass(frozen=True)
class Keyframe(Checked):
    """A posture, and the time to get there.

    Attributes:
        seconds: time from the posture before, s.
        joints_deg: angles in degrees, by joint. A name without a side, like `lj3`, stands for both sides: the left
            joint gets the value, the right joint its mirror image. A full name, like `rlj3`, is that joint alone.
            Joints without a name here stay as they were.
    """

    seconds: Annotated[float, Range(0.0)]
    joints_deg: Mapping[str, float]


def angles_of(keyframe: Keyframe, joints: Sequence[str]) -> dict[int, float]:
    """Angles of a keyframe: index in `joints` -> rad. Joints that this robot lacks, such as toes, are left out."""
    angles: dict[int, float] = {}
    for index, joint in enumerate(joints):
        if joint in keyframe.joints_deg:
            angles[index] = math.radians(keyframe.joints_deg[joint])
        elif joint[1:] in keyframe.joints_deg:
            sign = -1.0 if joint[0] == "r" and joint[1:] in MIRRORED else 1.0
            angles[index] = sign * math.radians(keyframe.joints_deg[joint[1:]])
    return angles


def mirrored(keyframe: Keyframe) -> Keyframe:
    """The same posture seen in a mirror: left and right exchanged."""
    other = {"l": "r", "r": "l"}
    swapped = {}
    for joint, angle in keyframe.joints_deg.items():
        if joint[0] in other and joint[1:3] in ("aj", "lj"):
            swapped[other[joint[0]] + joint[1:]] = -angle if joint[1:] in MIRRORED else angle
        else:
            swapped[joint] = angle
    return Keyframe(keyframe.seconds, swapped)


class Playback:
    """Plays keyframes one after the other, with constant speed from each to the next.

    Args:
        keyframes: postures to play.
        joints: names of the robot's joints.
        start: angles of the joints now, rad.
        pace: factor by which to play faster than written.
    """

    def __init__(
        self, keyframes: Sequence[Keyframe], joints: Sequence[str], start: Sequence[float], pace: float = 1.0
    ) -> None:
        self._frames = [(frame.seconds / pace, angles_of(frame, joints)) for frame in keyframes]
        self._from = list(start)
        self._next = 0
        self._passed = 0.0

    @property
    def done(self) -> bool:
        """Whether the last posture has been reached."""
        return self._next >= len(self._frames)

    def targets(self, seconds: float) -> list[float]:
        """Advance by a cycle of that length; angles of all joints, rad."""
        self._passed += seconds
        while not self.done and self._passed >= self._frames[self._next][0]:
            duration, angles = self._frames[self._next]
            for index, angle in angles.items():
                self._from[index] = angle
            self._passed -= duration
            self._next += 1
        targets = list(self._from)
        if not self.done:
            duration, angles = self._frames[self._next]
            share = self._passed / duration
            for index, angle in angles.items():
                targets[index] += share * (angle - targets[index])
        return targets
