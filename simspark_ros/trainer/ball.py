"""The trainer's commands for the ball (protocol reference, section 6, "Trainer commands"): m and m/s, world frame.

Values that a command does not name are kept; spin becomes zero. A ball is never put into the ground, but on it.
"""

from __future__ import annotations

from simspark_ros.trainer.base import Trainer, trainer_command


@trainer_command
def ball_position(trainer: Trainer, x: float, y: float, z: float) -> None:
    """Place the ball; it keeps its velocity."""
    trainer.world.require_ball("ball_position")
    vx, vy, vz = trainer.world.engine.state.ball_velocity.tolist()
    _place(trainer, x, y, z, (vx, vy, vz))


@trainer_command
def ball_velocity(trainer: Trainer, x: float, y: float, z: float) -> None:
    """Give the ball a velocity where it is."""
    trainer.world.require_ball("ball_velocity")
    px, py, pz = trainer.world.engine.state.ball_position.tolist()
    trainer.world.engine.place_ball((px, py, pz), (x, y, z))


@trainer_command
def ball(trainer: Trainer, x: float, y: float, z: float, vx: float, vy: float, vz: float) -> None:
    """Place the ball and give it a velocity."""
    trainer.world.require_ball("ball")
    _place(trainer, x, y, z, (vx, vy, vz))


def _place(trainer: Trainer, x: float, y: float, z: float, velocity: tuple[float, float, float]) -> None:
    world = trainer.world
    world.engine.place_ball((x, y, max(z, world.settings.ball_rest_height)), velocity)
    if trainer.referee is not None:
        trainer.referee.note_ball()
