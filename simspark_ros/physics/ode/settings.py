"""The settings of the ODE engine and the surface of every pair of materials.

`config/physics/ode/reference.yaml` says where each number comes from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.ode.library import MODE_BOUNCE, MODE_SLIP, MODE_SOFT_CFM, MODE_SOFT_ERP, SurfaceParameters


@dataclass(frozen=True)
class OdeSettings(Checked):
    """One preset. Ranges are those the engine can work with, not those that are wise.

    Attributes:
        cycle_time: simulated time per cycle = one ODE step, s.
        world_erp: part of an error that joints take back per step.
        world_cfm: softness of joints, 1/(N s) * step.
        surface_layer: contacts may be this deep without being pushed apart, m.
        auto_disable: 1: resting robots sleep and cost nothing; 0: never.
        contacts_per_pair: largest number of contacts between two shapes.
        joint_cfm: softness of the joints' motors.
        stop_erp: part of an overshoot that a stop takes back per step.
        stop_cfm: softness of stops.
        stop_bounce: part of its speed a joint keeps at a stop.
        fudge_factor: how a motor starts from a stop, see ODE's manual.
        robot_erp, robot_cfm, robot_slip: surface of robots.
        ground_erp, ground_slip: surface of the ground.
        ball_erp, ball_cfm, ball_slip: surface of the ball.
        ball_bounce, ball_bounce_speed: part of its speed that the ball keeps, and the least speed for it, m/s.
        box_bounce, box_bounce_speed: the same for static boxes.
        ghost_depth: robots put deeper than this into each other pass through each other until they are apart, m.
        pile_budget: bound of the sum of cubes of the sizes of groups of robots that touch.
        max_speed: a body of a robot faster than this is absurd, m/s.
        max_ball_speed: a faster ball is slowed down to this, m/s.
        max_distance: nothing may be farther from the origin along an axis, m.
    """

    cycle_time: Annotated[float, Range(0.0005, 0.1)]
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
    ghost_depth: Annotated[float, Range(0.0, 1.0)]
    pile_budget: Annotated[float, Range(1.0, 1e6)]
    max_speed: Annotated[float, Range(10.0, 1000.0)]
    max_ball_speed: Annotated[float, Range(20.0, 1000.0)]
    max_distance: Annotated[float, Range(50.0, 1000.0)]


class Material(IntEnum):
    """What a shape is made of."""

    ROBOT = 0
    GROUND = 1
    BALL = 2
    BOX = 3


@dataclass(frozen=True)
class _Surface:
    """What a material defines; None = leaves it to the other one."""

    erp: float | None = None
    cfm: float | None = None
    slip: float | None = None
    bounce: float | None = None
    bounce_speed: float | None = None


def _materials(settings: OdeSettings) -> dict[Material, _Surface]:
    s = settings
    return {
        Material.ROBOT: _Surface(s.robot_erp, s.robot_cfm, s.robot_slip),
        Material.GROUND: _Surface(s.ground_erp, None, s.ground_slip),
        Material.BALL: _Surface(s.ball_erp, s.ball_cfm, s.ball_slip, s.ball_bounce, s.ball_bounce_speed),
        Material.BOX: _Surface(bounce=s.box_bounce, bounce_speed=s.box_bounce_speed),
    }


def surfaces(settings: OdeSettings) -> dict[tuple[Material, Material], SurfaceParameters]:
    """ODE's parameters of a contact for every ordered pair of materials.

    As on the classic server: friction is infinite; of every other number the mean if both materials define it, else
    that of the one that does.
    """
    materials = _materials(settings)
    return {(a, b): _mixed(materials[a], materials[b]) for a in Material for b in Material}


def _mixed(a: _Surface, b: _Surface) -> SurfaceParameters:
    surface = SurfaceParameters(mode=0, mu=math.inf)
    erp, cfm, slip = _mean(a.erp, b.erp), _mean(a.cfm, b.cfm), _mean(a.slip, b.slip)
    bounce, bounce_speed = _mean(a.bounce, b.bounce), _mean(a.bounce_speed, b.bounce_speed)
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


def _mean(a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return b if a is None else a
    return (a + b) / 2.0
