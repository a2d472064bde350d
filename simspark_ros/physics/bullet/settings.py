"""The settings of the PyBullet engine; `config/physics/bullet/J1.yaml` says what each number does and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from simspark_ros.configuration.schema import Checked, Range


@dataclass(frozen=True)
class BulletSettings(Checked):
    """One preset. Ranges are those the engine can work with, not those that are wise.

    Attributes:
        cycle_time: simulated time per cycle, s.
        substeps: Bullet steps per cycle.
        solver: constraint solver.
        iterations: of the iterative solvers and of the fall-back of the direct one.
        cfm: softness of every constraint, see `config/physics/bullet/J1.yaml`.
        contact_erp: part of a penetration that is pushed out per step.
        erp: the same for other constraints.
        friction_erp: the same for friction anchors.
        contact_margin: distance at which Bullet creates a contact, m.
        link_friction: friction coefficient of robots.
        friction_scale: scale of friction impulses in all three axes of a link; together with cfm it sets the slip.
        stop_margin: the stops lie this much inside a joint's range, rad or m.
        stop_return_speed: at most this fast a joint is brought back from beyond a stop, rad/s or m/s.
        ball_sink: how deep the resting ball sinks into the ground, m.
        ball_ground_restitution: rebound speed of the ball over impact speed, ground.
        ball_box_restitution: the same for static boxes.
        box_erp: part of its depth by which a ball deep in a static box leaves it per step.
        box_friction_loss: part of its sideways speed that a ball deep in a static box loses per step.
        ball_link_restitution: Bullet's restitution between ball and robots (penetration adds to it).
        ground_bounce_speed: slower impacts on ground or robots do not rebound, m/s.
        box_bounce_speed: slower impacts on static boxes do not rebound, m/s; at least ground_bounce_speed.
        drift_joints: joints at which a chain of drifting hinges begins, see `bullet_drift`; none switches drift off.
        drift_erp: part of a hinge's drift that is taken back per cycle.
        drift_axis: length of the helper slides' axes; the slides' softness falls with its square.
        drift_mass: of each of the three helper links, kg.
        drift_inertia: of each, kg m2.
        drift_force: largest force of a helper slide, N.
        drift_limit: no hinge drifts farther along an axis, m.
        max_robot_speed: a base faster than this is absurd, m/s.
        max_ball_speed: a faster ball is slowed down to this, m/s.
        max_distance: nothing may be farther from the origin along an axis, m.
    """

    cycle_time: Annotated[float, Range(0.0005, 0.1)]
    substeps: Annotated[int, Range(1, 100)]
    solver: Literal["dantzig", "si", "pgs"]
    iterations: Annotated[int, Range(1, 10000)]
    cfm: Annotated[float, Range(0.0, 1.0)]
    contact_erp: Annotated[float, Range(0.0, 1.0)]
    erp: Annotated[float, Range(0.0, 1.0)]
    friction_erp: Annotated[float, Range(0.0, 1.0)]
    contact_margin: Annotated[float, Range(1e-4, 0.1)]
    link_friction: Annotated[float, Range(0.0, 10.0)]
    friction_scale: Annotated[float, Range(0.01, 1.0)]
    stop_margin: Annotated[float, Range(0.0, 0.1)]
    stop_return_speed: Annotated[float, Range(0.1, 100.0)]
    ball_sink: Annotated[float, Range(0.0, 0.01)]
    ball_ground_restitution: Annotated[float, Range(0.0, 1.0)]
    ball_box_restitution: Annotated[float, Range(0.0, 1.0)]
    box_erp: Annotated[float, Range(0.0, 1.0)]
    box_friction_loss: Annotated[float, Range(0.0, 1.0)]
    ball_link_restitution: Annotated[float, Range(0.05, 1.0)]
    ground_bounce_speed: Annotated[float, Range(0.0, 10.0)]
    box_bounce_speed: Annotated[float, Range(0.0, 10.0)]
    drift_joints: tuple[str, ...]
    drift_erp: Annotated[float, Range(0.0, 1.0)]
    drift_axis: Annotated[float, Range(0.05, 1.0)]
    drift_mass: Annotated[float, Range(1e-6, 1.0)]
    drift_inertia: Annotated[float, Range(1e-9, 1.0)]
    drift_force: Annotated[float, Range(1.0, 1e6)]
    drift_limit: Annotated[float, Range(0.0, 0.1)]
    max_robot_speed: Annotated[float, Range(10.0, 1000.0)]
    max_ball_speed: Annotated[float, Range(20.0, 1000.0)]
    max_distance: Annotated[float, Range(50.0, 1000.0)]

    @property
    def step_time(self) -> float:
        """Length of one Bullet step, s."""
        return self.cycle_time / self.substeps
