"""The settings of the MuJoCo engine; `config/physics/mujoco/ode20.yaml` says what each number does and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range


@dataclass(frozen=True)
class MujocoSettings(Checked):
    """One preset. Ranges are those the engine can work with, not those that are wise.

    ERP is the part of an error that is taken back per step, CFM the softness of a constraint (velocity per impulse),
    slip the same along a surface: ODE's terms.

    Attributes:
        cycle_time: simulated time per cycle, s; one step a cycle.
        iterations: of the Newton solver, at most.
        line_iterations: of its line search, at most.
        tolerance: where the solver stops.
        friction: friction coefficient of all contacts; stands for ODE's infinite one.
        motor_cfm: softness of a joint's motor.
        stop_cfm: softness of a joint's stop.
        stop_erp: of a joint beyond its stop.
        stop_margin: the stops lie this much inside a joint's range, rad or m.
        hinge_drift: 1 lets hinges come apart as in ODE, 0 keeps them together.
        hinge_erp: of a hinge that has come apart.
        max_hinge_drift: farther apart than this along an axis no hinge comes, m.
        contact_layer: this much of a penetration is left alone, m.
        world_cfm: softness of contacts where neither surface sets one.
        world_erp: likewise.
        robot_cfm, robot_erp, robot_slip: surface of robots.
        ground_erp, ground_slip: surface of the ground.
        ball_cfm, ball_erp, ball_slip: surface of the ball.
        ball_bounce: rebound speed over impact speed.
        ball_bounce_speed: slower impacts do not rebound, m/s.
        box_bounce, box_bounce_speed: the same for static boxes.
        robot_robot_cfm, robot_robot_slip: of contacts between two robots.
        max_robot_speed: a base faster than this is absurd, m/s.
        max_joint_speed: a joint is slowed down to this or, if more, to twice its nominal speed, at most ten times this,
            rad/s or m/s.
        max_ball_speed: a faster ball is slowed down to this, m/s.
        max_distance: nothing may be farther from the origin along an axis, m.
    """

    cycle_time: Annotated[float, Range(0.0005, 0.1)]
    iterations: Annotated[int, Range(1, 10000)]
    line_iterations: Annotated[int, Range(1, 10000)]
    tolerance: Annotated[float, Range(0.0, 1.0)]
    friction: Annotated[float, Range(0.01, 1000.0)]
    motor_cfm: Annotated[float, Range(1e-9, 1.0)]
    stop_cfm: Annotated[float, Range(1e-9, 1.0)]
    stop_erp: Annotated[float, Range(0.0, 1.0)]
    stop_margin: Annotated[float, Range(0.0, 0.1)]
    hinge_drift: Annotated[int, Range(0, 1)]
    hinge_erp: Annotated[float, Range(0.01, 1.0)]
    max_hinge_drift: Annotated[float, Range(0.001, 1.0)]
    contact_layer: Annotated[float, Range(0.0, 0.01)]
    world_cfm: Annotated[float, Range(1e-9, 1.0)]
    world_erp: Annotated[float, Range(0.0, 1.0)]
    robot_cfm: Annotated[float, Range(1e-9, 1.0)]
    robot_erp: Annotated[float, Range(0.0, 1.0)]
    robot_slip: Annotated[float, Range(1e-6, 10.0)]
    ground_erp: Annotated[float, Range(0.0, 1.0)]
    ground_slip: Annotated[float, Range(1e-6, 10.0)]
    ball_cfm: Annotated[float, Range(1e-9, 1.0)]
    ball_erp: Annotated[float, Range(0.0, 1.0)]
    ball_slip: Annotated[float, Range(1e-6, 10.0)]
    ball_bounce: Annotated[float, Range(0.0, 1.0)]
    ball_bounce_speed: Annotated[float, Range(0.0, 10.0)]
    box_bounce: Annotated[float, Range(0.0, 1.0)]
    box_bounce_speed: Annotated[float, Range(0.0, 10.0)]
    robot_robot_cfm: Annotated[float, Range(1e-9, 1.0)]
    robot_robot_slip: Annotated[float, Range(1e-6, 10.0)]
    max_robot_speed: Annotated[float, Range(10.0, 1000.0)]
    max_joint_speed: Annotated[float, Range(10.0, 1000.0)]
    max_ball_speed: Annotated[float, Range(20.0, 1000.0)]
    max_distance: Annotated[float, Range(50.0, 1000.0)]
