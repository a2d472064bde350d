"""Gives MuJoCo's constraint rows the stiffness that ODE gives them.

Between the two halves of a MuJoCo step every row has a reference acceleration `aref` and a regularisation `R`; the
solver then seeks forces f with (J a + R f - aref) as small as their limits allow. An ODE row with target velocity c and
softness CFM is the same with aref = (c - v) / h and R = CFM / h, h being the step and v the row's velocity now. Rows
come in the order: motors (MuJoCo's joint friction), stops, contacts (a normal and two tangents each).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.kernels.constraint_rows import ConstraintRowsKernel, SurfacePairs
from simspark_ros.physics.engine import Array, BoolArray, IntArray
from simspark_ros.physics.mujoco.hinge_compliance import HingeDrift
from simspark_ros.physics.mujoco.settings import MujocoSettings
from simspark_ros.physics.mujoco.step_memory import StepMemory
from simspark_ros.physics.surfaces import BOUNCE_SPEED, Material, SurfaceKinds, mixed

OFF = 1e-12
"""Largest effort of a motor that is off, N m or N; above zero, so that the motor keeps its row."""

AT_STOP = 1e-6
"""Distance from its stop within which a joint is at the stop, rad or m; the stop then has a row."""

# Smallest coefficient of friction that MuJoCo takes.
_NO_FRICTION = 1e-5


def surface_pairs(settings: MujocoSettings, kinds: SurfaceKinds) -> SurfacePairs:
    """The properties of a contact of any two kinds of surfaces."""
    # In ODE's equations erp and cfm are divided by the length of its step, a cycle.
    rate, count = 1.0 / settings.cycle_time, len(kinds.known)
    push, bounce, bounce_speed = np.zeros(count**2), np.zeros(count**2), np.full(count**2, math.inf)
    softness, friction = np.zeros((count**2, 3)), np.full(count**2, settings.friction)
    presets, made_of = settings.surfaces, [material for material, _, _ in kinds.known]
    for index in range(count**2):
        surfaces = divmod(index, count)
        own, hardness = kinds.between(*surfaces), kinds.hardness(*surfaces)
        if own is not None:
            push[index] = settings.world_erp * rate
            bounce[index], bounce_speed[index] = own.restitution, BOUNCE_SPEED
            softness[index] = settings.world_cfm * rate / hardness
            friction[index] = max(own.friction, _NO_FRICTION)
            continue
        pair = made_of[index // count], made_of[index % count]
        one, other = presets[pair[0]], presets[pair[1]]
        cfm, slip = mixed(one.cfm, other.cfm, settings.world_cfm), mixed(one.slip, other.slip, settings.world_cfm)
        if pair == (Material.ROBOT, Material.ROBOT):
            cfm, slip = settings.robot_robot_cfm, settings.robot_robot_slip
        push[index] = mixed(one.erp, other.erp, settings.world_erp) * rate
        bounce[index] = mixed(one.bounce, other.bounce, 0.0)
        bounce_speed[index] = mixed(one.bounce_speed, other.bounce_speed, math.inf)
        softness[index] = np.multiply((cfm / hardness, slip, slip), rate)
    pairs = [{made_of[index // count], made_of[index % count]} for index in range(count**2)]
    return SurfacePairs(
        kinds=count,
        own_friction=count > len(Material),
        push=push,
        bounce=bounce,
        bounce_speed=bounce_speed,
        softness=softness,
        friction=friction,
        # MuJoCo's elliptic cone wants the friction coefficient scaled like the regularisations.
        cone=friction * np.sqrt(softness[:, 1] / softness[:, 0]),
        counted=_flags(pair <= {Material.ROBOT, Material.BALL} for pair in pairs),
        ball_on_ground=_flags(pair == {Material.BALL, Material.GROUND} for pair in pairs),
        ball_on_box=_flags(pair == {Material.BALL, Material.BOX} for pair in pairs),
    )


def _flags(values: Iterable[bool]) -> NDArray[np.uint8]:
    return np.fromiter(values, np.uint8)


class ConstraintRows:
    """Rewrites the rows of one compiled world.

    Args:
        motors: (M,) degrees of freedom of joints with a motor, ascending.
        motor_of_joint: (number of joints,) index in `motors` of each joint, 0 without a motor.
        order: (M,) index of each motor in the model's order of joints.
        top_speeds: (M,) greatest speeds that motors are commanded, rad/s or m/s.
        surfaces: (number of geoms,) numbers of kinds.
        ball_radius: radius of the ball, m; 0 without one. The ball is the first body and has the degrees of freedom
            0 to 5.

    Attributes:
        kernel: the loops over the rows.
        met: indices of the contacts in which two robots, or a robot and the ball, touch.
        elastic: (M,) whether a joint bounces at its stops; none does at first.
        efforts: (M,) efforts of the motors in the last step, N m or N.
        loads: (M,) efforts to expect in the next step, N m or N.
        full: (M,) efforts that are nearly the largest possible ones, N m or N.
    """

    def __init__(
        self,
        settings: MujocoSettings,
        data: Any,
        motors: IntArray,
        motor_of_joint: IntArray,
        order: IntArray,
        top_speeds: Array,
        surfaces: IntArray,
        kinds: SurfaceKinds,
        ball_radius: float,
        arena: StepMemory,
        drift: HingeDrift | None = None,
    ) -> None:
        count = len(motors)
        self.met: list[int] = []
        self.elastic: BoolArray = np.zeros(count, np.bool_)
        self.efforts: Array = np.zeros(count)
        self.loads: Array = np.zeros(count)
        self.full: Array = np.zeros(count)
        rate, nothing = 1.0 / settings.cycle_time, np.zeros((0, 6))
        # Views: MuJoCo's arrays stay where they are.
        self.kernel = ConstraintRowsKernel(
            rate=rate,
            motor_cfm=settings.motor_cfm,
            motor_softness=settings.motor_cfm * rate,
            stop_cfm=settings.stop_cfm,
            stop_softness=settings.stop_cfm * rate,
            stop_erp=settings.stop_erp,
            stop_bounce=settings.stop_bounce,
            stop_margin=settings.stop_margin,
            layer=settings.contact_layer,
            off=OFF,
            at_stop=AT_STOP,
            pairs=surface_pairs(settings, kinds),
            ball_radius=ball_radius,
            robots=6 if ball_radius else 0,
            drifts=drift is not None,
            dofs=motors,
            motor=motor_of_joint,
            surfaces=surfaces,
            geom_bodies=surfaces if drift is None else drift.carriers,
            closing_motion=nothing if drift is None else drift.closing_motion,
            motion=nothing if drift is None else drift.motion,
            centres=data.xpos,
            ball_rotation=data.xmat[1] if ball_radius else np.zeros(9),
            speeds=data.qvel,
            guess=data.qacc_warmstart,
            elastic=self.elastic.view(np.uint8),
            top_speeds=top_speeds,
            order=order,
            targets=np.zeros(count),
            wanted=np.zeros(count),
            limits=np.zeros(count),
            pushes=np.zeros(count),
            last_limits=np.full(count, math.nan),
            efforts=self.efforts,
            loads=self.loads,
            full=self.full,
            change=np.zeros(count),
            strong=np.zeros(count, np.uint8),
            bounced=[],
            met=self.met,
            rows=arena.rows,
            **arena.contacts,
        )
