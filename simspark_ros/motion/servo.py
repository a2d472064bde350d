"""From wanted joint angles to commanded joint speeds."""

from __future__ import annotations

from collections.abc import Sequence

from simspark_ros.physics.model import ArticulatedModel

STOP_MARGIN = 0.02
"""Margin of targets from a joint's stops, rad: at the stop itself commands are ignored (user manual, "HingeJoint
Effector"), and motors overshoot a little."""


class JointServo:
    """Aims at the angle one cycle ahead, as commands show two cycles after the readings that they answer.

    The reading is first carried forward by the last commanded speed, which is on its way; then the motor gets the speed
    that would take the joint to its target in one cycle.
    """

    def __init__(self, model: ArticulatedModel) -> None:
        self._limits = [
            (joint.lower + STOP_MARGIN, joint.upper - STOP_MARGIN, joint.max_velocity) for joint in model.joints
        ]
        self._last = [0.0] * len(model.joints)

    def reset(self) -> None:
        """Forget the last command."""
        self._last = [0.0] * len(self._last)

    def within(self, targets: Sequence[float]) -> list[float]:
        """The targets (rad), kept from the joints' stops."""
        return [min(max(target, lower), upper) for target, (lower, upper, _) in zip(targets, self._limits, strict=True)]

    def speeds(self, angles: Sequence[float], targets: Sequence[float], seconds: float, gain: float) -> list[float]:
        """Speeds (rad/s) toward the targets (rad) that cover `gain` of the way in a cycle of that length, s."""
        speeds = []
        for angle, target, last, (lower, upper, limit) in zip(angles, targets, self._last, self._limits, strict=True):
            wanted = lower if target < lower else upper if target > upper else target
            speed = gain * (wanted - (angle + last * seconds)) / seconds
            speeds.append(-limit if speed < -limit else limit if speed > limit else speed)
        self._last = speeds
        return speeds
