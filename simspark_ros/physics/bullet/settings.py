"""The settings of the PyBullet engine; `config/physics/bullet/J1.yaml` says what each number does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from simspark_ros.configuration.schema import Range
from simspark_ros.physics.ode_likeness.settings import LikenessSettings


@dataclass(frozen=True)
class BulletSettings(LikenessSettings):
    """One preset. The ranges say what the engine can compute with, not what is wise."""

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
    # A joint beyond an elastic stop has to come back.
    stop_erp: Annotated[float, Range(0.0, 1.0, above=True)]
    stop_return_speed: Annotated[float, Range(0.1, 100.0)]
    grip_slip: Annotated[float, Range(0.0, 10.0)]
    ball_softness: Annotated[float, Range(0.0, 1.0)]
    ball_erp: Annotated[float, Range(0.0, 1.0)]
    ball_link_softness: Annotated[float, Range(0.0, 1.0, above=True)]
    ball_link_erp: Annotated[float, Range(0.0, 1.0)]
    ball_slip: Annotated[float, Range(0.0, 10.0, above=True)]
    ball_bounce: Annotated[float, Range(0.0, 1.0)]
    ball_sink: Annotated[float, Range(0.0, 0.01)]
    ball_ground_restitution: Annotated[float, Range(0.0, 1.0)]
    ball_box_restitution: Annotated[float, Range(0.0, 1.0)]
    box_erp: Annotated[float, Range(0.0, 1.0)]
    box_friction_loss: Annotated[float, Range(0.0, 1.0)]
    ball_link_restitution: Annotated[float, Range(0.05, 1.0)]
    ground_bounce_speed: Annotated[float, Range(0.0, 10.0)]
    box_bounce_speed: Annotated[float, Range(0.0, 10.0)]
    pile_size: Annotated[float, Range(1.0, 10_000.0)]
    max_robot_speed: Annotated[float, Range(10.0, 1000.0)]
    max_ball_speed: Annotated[float, Range(20.0, 1000.0)]
    max_distance: Annotated[float, Range(50.0, 1000.0)]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ball_softness and not self.contact_erp:
            raise ValueError("ball_softness: needs a contact_erp above 0, which brings the ball out of the soft ground")
        if self.ball_softness and self.substeps > 1:
            raise ValueError("ball_softness: needs substeps 1, as the ball's contacts are solved once a cycle")
        # A shape is held with up to four corners at once, and each tie gives way by cfm.
        if 0.0 < self.grip_slip <= 2.0 * self.cfm:
            raise ValueError(f"grip_slip: must be 0 or more than twice cfm, {2.0 * self.cfm:g}")
        if self.grip_slip and not self.contact_layer:
            raise ValueError(
                "grip_slip: needs a contact_layer above 0; without it corners at rest are held only in every other step"
            )

    @property
    def step_time(self) -> float:
        """Length of one Bullet step, s."""
        return self.cycle_time / self.substeps
