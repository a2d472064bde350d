"""The content of a robot's YAML file, put together from what a foreign file says of sensors and motors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from simspark_ros.configuration.names import as_word
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.parts.bodies import BodyJoint, unique

CYCLE_RATE = 50.0
"""Cycles a second of the standard worlds, by which rates of sensors become intervals."""


class Devices:
    """Collects perceptors, effectors and touch links; names are made unique within a kind."""

    def __init__(self) -> None:
        self.touch_links: list[str] = []
        self._perceptors: list[dict[str, Any]] = []
        self._names: dict[str, set[str]] = {}

    def perceptor(self, kind: str, name: str, link: str = "", **parameters: Any) -> None:
        """Add a perceptor on a link or frame."""
        name = unique(as_word(name) or kind, self._names.setdefault(kind, set()))
        self._perceptors.append({"kind": kind, "name": name, "link": link, "parameters": parameters})

    def has(self, kind: str, link: str) -> bool:
        """Whether there is a perceptor of that kind on a link."""
        return any(entry["kind"] == kind and entry["link"] == link for entry in self._perceptors)

    def touch(self, link: str) -> None:
        """Have the contacts of a link measured."""
        if link not in self.touch_links:
            self.touch_links.append(link)

    def imu(self, name: str, link: str) -> None:
        """Add a gyroscope and an accelerometer."""
        self.perceptor("gyroscope", name, link)
        self.perceptor("accelerometer", name, link)

    def document(self, path: Path, joints: Iterable[BodyJoint]) -> dict[str, Any]:
        """What the robot's YAML file would say; a base without any sensor of motion gets one, as that of plain URDF.

        Args:
            path: of the foreign file, for messages.
            joints: of the robot.
        """
        moving = [joint for joint in joints if joint.kind is not JointKind.FIXED]
        perceptors = list(self._perceptors)
        if not self._names.keys() & {"gyroscope", "accelerometer"}:
            perceptors = [{"kind": "gyroscope"}, {"kind": "accelerometer"}, *perceptors]
        if moving:
            perceptors.append({"kind": "hinge_joint", "joints": [joint.name for joint in moving]})
        words: set[str] = set()
        motors = {joint.name: unique(as_word(joint.name), words) for joint in moving if joint.has_motor}
        effectors = [{"kind": "hinge", "joints": motors}] if motors else []
        touched = [{"link": link} for link in self.touch_links]
        return {"model": str(path), "perceptors": perceptors, "effectors": effectors, "touch_links": touched}


def interval(rate: float) -> int:
    """Cycles between two readings of a sensor with a rate in Hz; 0 = as often as possible."""
    return 1 if rate <= 0.0 else min(10_000, max(1, round(CYCLE_RATE / rate)))
