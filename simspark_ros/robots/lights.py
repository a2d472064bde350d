"""Lights of the Nao (`simspark_ros.robots.lola.DEVICES`): their places on the body, and their state as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import Vector
from simspark_ros.robots.lola import DEVICES

LIGHTS = ("Chest", "LEar", "REar", "LEye", "REye", "LFoot", "RFoot", "Skull")
"""Devices that are lights."""

_BLUE = ("LEar", "REar", "Skull")
_TINT = (0.2, 0.4, 1.0)
"""Colour of devices that have only an intensity."""

LIGHTS_LENGTH = 2 * sum(DEVICES[device] for device in LIGHTS)
"""Number of characters of a state as text."""


@dataclass(frozen=True)
class LightRing(Checked):
    """Places of the lights of a device on a robot: a point, or a ring around it.

    Attributes:
        device: one of `LIGHTS`.
        link: link that carries the lights.
        at: middle of the ring, in the frame of the link, m.
        ring: radius of the ring, m.
        facing: axis of the ring.
        first_deg, step_deg: angle of the first light, and from each light to the next, degrees, counter-clockwise as
            seen along the axis from outside; 0 is up, or forward if the axis is z.
    """

    device: Literal["Chest", "LEar", "REar", "LEye", "REye", "LFoot", "RFoot", "Skull"]
    link: str
    at: Vector
    ring: Annotated[float, Range(0.0, 10.0)] = 0.0
    facing: Literal["x", "y", "z"] = "x"
    first_deg: float = 0.0
    step_deg: float = 0.0

    @property
    def count(self) -> int:
        """Number of lights."""
        return DEVICES[self.device] // (1 if self.device in _BLUE else 3)

    def places(self) -> list[Vector]:
        """Place of each light, in the frame of the link, m."""
        return [self._place(math.radians(self.first_deg + self.step_deg * index)) for index in range(self.count)]

    def _place(self, angle: float) -> Vector:
        x, y, z = self.at
        cos, sin = self.ring * math.cos(angle), self.ring * math.sin(angle)
        return {"x": (x, y - sin, z + cos), "y": (x + sin, y, z + cos), "z": (x + cos, y + sin, z)}[self.facing]


def lights_text(devices: Mapping[str, tuple[float, ...]]) -> str:
    """All lights as two hexadecimal digits each, in the order of `LIGHTS`; empty if no light was ever commanded."""
    states = tuple(devices.get(device) for device in LIGHTS)
    return _text(states) if any(states) else ""


@lru_cache(maxsize=64)
def _text(states: tuple[tuple[float, ...] | None, ...]) -> str:
    """As `lights_text`, kept: the text is needed in every cycle, but lights seldom change."""
    values = [
        value for device, state in zip(LIGHTS, states, strict=True) for value in state or (0.0,) * DEVICES[device]
    ]
    return bytes(round(255.0 * min(max(value, 0.0), 1.0)) for value in values).hex()


def colours_of(text: str, device: str) -> list[Vector]:
    """Red, green, blue of each light of a device, 0 to 1, from a text of `lights_text`."""
    start = sum(DEVICES[other] for other in LIGHTS[: LIGHTS.index(device)])
    values = [byte / 255.0 for byte in bytes.fromhex(text)[start : start + DEVICES[device]]]
    if device in _BLUE:
        red, green, blue = _TINT
        return [(red * value, green * value, blue * value) for value in values]
    count = len(values) // 3
    return list(zip(values[:count], values[count : 2 * count], values[2 * count :], strict=True))
