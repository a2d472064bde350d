"""All commands of a trainer."""

from __future__ import annotations

from typing import Any

from simspark_ros.trainer import ball, game, robots
from simspark_ros.trainer.base import TrainerCommand

_COMMANDS: tuple[TrainerCommand[Any], ...] = (
    ball.place_ball,
    ball.move_ball,
    ball.set_ball_velocity,
    game.set_play_mode,
    game.kick_off,
    game.drop_ball,
    game.overrule,
    game.set_game_time,
    game.set_score,
    game.kill_simulation,
    robots.move_agent,
    robots.place_agent,
    robots.set_battery,
    robots.set_temperature,
    robots.select,
    robots.select_next,
    robots.select_none,
    robots.kill,
    robots.repos,
)

TRAINER_COMMANDS = {command.kind: command for command in _COMMANDS}
"""By kind."""
