"""The settings of the MuJoCo engine; `config/physics/mujoco/ode20.yaml` says what each number does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Range
from simspark_ros.physics.model import SceneModel
from simspark_ros.physics.ode_likeness.settings import LikenessSettings
from simspark_ros.physics.surfaces import SurfaceSettings


@dataclass(frozen=True)
class MujocoSettings(LikenessSettings, SurfaceSettings):
    """One preset. The ranges say what the engine can compute with, not what is wise."""

    native_steps: Annotated[int, Range(0, 100)]
    iterations: Annotated[int, Range(1, 10000)]
    line_iterations: Annotated[int, Range(1, 10000)]
    tolerance: Annotated[float, Range(0.0, 1.0)]
    friction: Annotated[float, Range(0.01, 1.0e5)]
    motor_cfm: Annotated[float, Range(1e-9, 1.0)]
    stop_cfm: Annotated[float, Range(1e-9, 1.0)]
    world_cfm: Annotated[float, Range(1e-9, 1.0)]
    world_erp: Annotated[float, Range(0.0, 1.0)]
    # MuJoCo's solver needs softness above zero.
    robot_cfm: Annotated[float, Range(1e-9, 1.0)]
    robot_slip: Annotated[float, Range(1e-6, 10.0)]
    ground_slip: Annotated[float, Range(1e-6, 10.0)]
    ball_cfm: Annotated[float, Range(1e-9, 1.0)]
    ball_slip: Annotated[float, Range(1e-6, 10.0)]
    robot_robot_cfm: Annotated[float, Range(1e-9, 1.0)]
    robot_robot_slip: Annotated[float, Range(1e-6, 10.0)]
    max_robot_speed: Annotated[float, Range(10.0, 1000.0)]
    max_joint_speed: Annotated[float, Range(10.0, 1000.0)]
    max_ball_speed: Annotated[float, Range(20.0, 1000.0)]
    max_distance: Annotated[float, Range(50.0, 1000.0)]


def ball_sink(settings: MujocoSettings, scene: SceneModel) -> float:
    """Depth of the resting ball in the ground, m."""
    if scene.ball is None:
        return 0.0
    erp = max(0.01, (settings.ball_erp + settings.ground_erp) / 2.0)
    weight = scene.ball.mass * abs(scene.gravity[2])
    return settings.contact_layer + settings.ball_cfm * weight * settings.cycle_time / erp
