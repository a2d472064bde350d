"""Presets of the planar engine (`config/physics/planar`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import SurfaceMaterial
from simspark_ros.physics.surfaces import BOUNCE_SPEED, Material, SurfaceKinds

_PART = Range(0.0, 1.0)


@dataclass(frozen=True)
class PlanarSettings(Checked):
    """One preset. Restitution and stickiness of a contact are the products of its two surfaces' numbers."""

    cycle_time: Annotated[float, Range(0.0005, 0.1)]
    time_resolution: Annotated[float, Range(1e-12, 1e-3)]
    max_impacts: Annotated[int, Range(1, 100_000)]
    ground_distance: Annotated[float, Range(0.0, 1.0)]
    ground_friction: Annotated[float, Range(0.0, 100.0)]
    robot_restitution: Annotated[float, _PART]
    robot_stickiness: Annotated[float, _PART]
    ball_restitution: Annotated[float, _PART]
    ball_stickiness: Annotated[float, _PART]
    box_restitution: Annotated[float, _PART]
    box_stickiness: Annotated[float, _PART]
    bounce_speed: Annotated[float, Range(0.0, 10.0)]
    ghost_depth: Annotated[float, Range(0.0, 1.0)]
    max_speed: Annotated[float, Range(10.0, 1000.0)]
    max_ball_speed: Annotated[float, Range(20.0, 1000.0)]
    max_distance: Annotated[float, Range(50.0, 1000.0)]


@dataclass(frozen=True)
class ImpactLaw:
    """Law of the impacts of two surfaces; see `kernels.planar.impact`.

    Attributes:
        restitution: speed after an impact over the speed before, 0 to 1.
        stickiness: 0 slides without friction, 1 ends the sliding.
        bounce_speed: speed below which impacts do not rebound, m/s.
    """

    restitution: float
    stickiness: float
    bounce_speed: float = 0.0


class PlanarSurfaces:
    """The kinds of surfaces of a world, and the laws of their impacts."""

    def __init__(self, settings: PlanarSettings) -> None:
        self._settings, self._kinds = settings, SurfaceKinds()
        self._laws: dict[tuple[int, int], ImpactLaw] = {}

    def number(self, material: Material, own: SurfaceMaterial | None = None) -> int:
        """The number of a kind, see `SurfaceKinds`."""
        return self._kinds.number(material, own)

    def law(self, one: int, other: int) -> ImpactLaw:
        """The law of two surfaces by their numbers; the friction of materials is their stickiness, 1 at most."""
        pair = one, other
        if pair not in self._laws:
            own = self._kinds.between(one, other)
            if own is not None:
                self._laws[pair] = ImpactLaw(own.restitution, min(own.friction, 1.0), BOUNCE_SPEED)
            else:
                a, b = self._preset(one), self._preset(other)
                self._laws[pair] = ImpactLaw(a[0] * b[0], a[1] * b[1], self._settings.bounce_speed)
        return self._laws[pair]

    def _preset(self, number: int) -> tuple[float, float]:
        settings, material = self._settings, self._kinds.known[number][0]
        if material is Material.BALL:
            return settings.ball_restitution, settings.ball_stickiness
        if material is Material.BOX:
            return settings.box_restitution, settings.box_stickiness
        return settings.robot_restitution, settings.robot_stickiness
