"""The trainer's commands for players that run in the simulation (docs/how_to/player_plugins.md)."""

from __future__ import annotations

from simspark_ros.trainer.base import Trainer, trainer_command


@trainer_command
def start_player(trainer: Trainer, text: str) -> None:
    """Start a player by `[name=]kind[?option=value&...]`."""
    trainer.require_players().start(text)


@trainer_command
def stop_player(trainer: Trainer, name: str = "") -> None:
    """Stop the player of that name, or all."""
    trainer.require_players().stop(name)
