"""Surfaces as on the classic server, in ODE's terms, and the mixing of two surfaces in contact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, NamedTuple, TypeVar

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import Link, SurfaceMaterial

BOUNCE_SPEED = 0.1
"""Greatest speed of an impact without rebound on surfaces with a `SurfaceMaterial`, m/s."""

SOFT_UP_TO = 50.0
"""Mass of a robot up to which the softness of the presets' contacts suits it, kg: heavier ones would sink in."""

_Default = TypeVar("_Default", float, None)


class Material(IntEnum):
    """Material of a shape."""

    ROBOT = 0
    GROUND = 1
    BALL = 2
    BOX = 3


class ContactSurface(NamedTuple):
    """A material's values for its contacts; None leaves a value to the other material."""

    erp: float | None = None
    cfm: float | None = None
    slip: float | None = None
    bounce: float | None = None
    bounce_speed: float | None = None


@dataclass(frozen=True)
class SurfaceSettings(Checked):
    """Settings of all materials, as part of an engine's preset."""

    robot_erp: Annotated[float, Range(0.0, 1.0)]
    robot_cfm: Annotated[float, Range(0.0, 1.0)]
    robot_slip: Annotated[float, Range(0.0, 10.0)]
    ground_erp: Annotated[float, Range(0.0, 1.0)]
    ground_slip: Annotated[float, Range(0.0, 10.0)]
    ball_erp: Annotated[float, Range(0.0, 1.0)]
    ball_cfm: Annotated[float, Range(0.0, 1.0)]
    ball_slip: Annotated[float, Range(0.0, 10.0)]
    ball_bounce: Annotated[float, Range(0.0, 1.0)]
    ball_bounce_speed: Annotated[float, Range(0.0, 10.0)]
    box_bounce: Annotated[float, Range(0.0, 1.0)]
    box_bounce_speed: Annotated[float, Range(0.0, 10.0)]

    @property
    def surfaces(self) -> tuple[ContactSurface, ...]:
        """Surface of each `Material`."""
        return (
            ContactSurface(self.robot_erp, self.robot_cfm, self.robot_slip),
            ContactSurface(self.ground_erp, None, self.ground_slip),
            ContactSurface(self.ball_erp, self.ball_cfm, self.ball_slip, self.ball_bounce, self.ball_bounce_speed),
            ContactSurface(bounce=self.box_bounce, bounce_speed=self.box_bounce_speed),
        )


def hardness_of(mass: float) -> float:
    """Factor on the hardness of contacts of a robot of a mass, kg; a power of two, so that there are few kinds."""
    return 2.0 ** max(0, math.ceil(math.log2(mass / SOFT_UP_TO)))


def material_of(link: Link, hardness: float) -> SurfaceMaterial | None:
    """Surface of a link of a robot with that `hardness_of` its mass; None for the engine's preset.

    The slip of presets, a velocity per force, suits light robots. Heavy robots would creep down slopes and under the
    push of an arm on the ground, so they have Coulomb's friction.
    """
    return link.material or (SurfaceMaterial() if hardness > 1.0 else None)


def mixed(one: float | None, other: float | None, default: _Default) -> float | _Default:
    """The mean if both surfaces set a value, else the only value, else the default."""
    values = [value for value in (one, other) if value is not None]
    return sum(values) / len(values) if values else default


def in_contact(one: SurfaceMaterial | None, other: SurfaceMaterial | None) -> SurfaceMaterial | None:
    """Friction and restitution between two surfaces; None, for the engine's preset, if neither has a material."""
    if one is None and other is None:
        return None
    a, b = one or SurfaceMaterial(), other or SurfaceMaterial()
    return SurfaceMaterial(a.friction * b.friction, a.restitution * b.restitution)


class SurfaceKinds:
    """Numbers the kinds of surfaces of a world: members of `Material` first, then kinds that differ from the preset.

    Attributes:
        known: each kind's `Material`, own material and hardness, see `hardness_of`, by number.
    """

    def __init__(self) -> None:
        self.known: list[tuple[Material, SurfaceMaterial | None, float]] = [(one, None, 1.0) for one in Material]

    def number(self, material: Material, own: SurfaceMaterial | None, hardness: float = 1.0) -> int:
        """The number of a kind, which may be new."""
        kind = material, own, hardness
        if kind not in self.known:
            self.known.append(kind)
        return self.known.index(kind)

    def between(self, one: int, other: int) -> SurfaceMaterial | None:
        """As `in_contact`, by numbers; contacts of the ball always follow the preset."""
        (first, a, _), (second, b, _) = self.known[one], self.known[other]
        return None if Material.BALL in (first, second) else in_contact(a, b)

    def hardness(self, one: int, other: int) -> float:
        """The hardness of a contact, by the numbers of its surfaces."""
        return max(self.known[one][2], self.known[other][2])
