"""The settings of the ODE engine; `config/physics/ode/reference.yaml` says what each number does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Range
from simspark_ros.physics.model import SurfaceMaterial
from simspark_ros.physics.ode.library import (
    MODE_BOUNCE,
    MODE_COULOMB,
    MODE_SLIP,
    MODE_SOFT_CFM,
    MODE_SOFT_ERP,
    SurfaceParameters,
)
from simspark_ros.physics.surfaces import BOUNCE_SPEED, ContactSurface, SurfaceKinds, SurfaceSettings, mixed


@dataclass(frozen=True)
class OdeSettings(SurfaceSettings):
    """One preset. The ranges say what the engine can compute with, not what is wise."""

    cycle_time: Annotated[float, Range(0.0005, 0.1)]
    substeps: Annotated[int, Range(1, 100)]
    world_erp: Annotated[float, Range(0.0, 1.0)]
    world_cfm: Annotated[float, Range(1e-10, 1.0)]
    surface_layer: Annotated[float, Range(0.0, 0.1)]
    auto_disable: Annotated[int, Range(0, 1)]
    contacts_per_pair: Annotated[int, Range(1, 16)]
    joint_cfm: Annotated[float, Range(0.0, 1.0)]
    stop_erp: Annotated[float, Range(0.0, 1.0)]
    stop_cfm: Annotated[float, Range(0.0, 1.0)]
    stop_bounce: Annotated[float, Range(0.0, 1.0)]
    fudge_factor: Annotated[float, Range(0.0, 1.0)]
    ghost_depth: Annotated[float, Range(0.0, 1.0)]
    pile_size: Annotated[float, Range(1.0, 10_000.0)]
    max_speed: Annotated[float, Range(10.0, 1000.0)]
    max_ball_speed: Annotated[float, Range(20.0, 1000.0)]
    max_distance: Annotated[float, Range(50.0, 1000.0)]
    max_failures: Annotated[int, Range(0, 10_000)]
    threads: Annotated[int, Range(1, 2)]

    @property
    def step_time(self) -> float:
        """Length of one of ODE's steps, s."""
        return self.cycle_time / self.substeps


def surface_table(settings: OdeSettings, kinds: SurfaceKinds) -> list[list[SurfaceParameters]]:
    """ODE's parameters of contacts between all kinds of surfaces, by their two numbers."""
    presets, numbers = settings.surfaces, range(len(kinds.known))

    def parameters(one: int, other: int) -> SurfaceParameters:
        own = kinds.between(one, other)
        if own is not None:
            surface = _own_parameters(own)
        else:
            surface = _parameters(presets[kinds.known[one][0]], presets[kinds.known[other][0]])
        hardness = kinds.hardness(one, other)
        if hardness > 1.0:
            cfm = surface.soft_cfm if surface.mode & MODE_SOFT_CFM else settings.world_cfm
            surface.mode |= MODE_SOFT_CFM
            surface.soft_cfm = cfm / hardness
        return surface

    return [[parameters(one, other) for other in numbers] for one in numbers]


def _own_parameters(material: SurfaceMaterial) -> SurfaceParameters:
    """Parameters with Coulomb's friction, in each of two directions by itself."""
    surface = SurfaceParameters(mode=MODE_COULOMB | MODE_BOUNCE, mu=material.friction)
    surface.bounce, surface.bounce_velocity = material.restitution, BOUNCE_SPEED
    return surface


def _parameters(a: ContactSurface, b: ContactSurface) -> SurfaceParameters:
    """Parameters of a preset's surfaces; friction is infinite."""
    surface = SurfaceParameters(mode=0, mu=math.inf)
    erp, cfm, slip = mixed(a.erp, b.erp, None), mixed(a.cfm, b.cfm, None), mixed(a.slip, b.slip, None)
    bounce, bounce_speed = mixed(a.bounce, b.bounce, None), mixed(a.bounce_speed, b.bounce_speed, None)
    if erp is not None:
        surface.mode |= MODE_SOFT_ERP
        surface.soft_erp = erp
    if cfm is not None:
        surface.mode |= MODE_SOFT_CFM
        surface.soft_cfm = cfm
    if slip is not None:
        surface.mode |= MODE_SLIP
        surface.slip1 = surface.slip2 = slip
    if bounce is not None and bounce_speed is not None:
        surface.mode |= MODE_BOUNCE
        surface.bounce, surface.bounce_velocity = bounce, bounce_speed
    return surface
