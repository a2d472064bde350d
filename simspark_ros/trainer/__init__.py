"""Trainer commands: a person's or a program's control of a running game.

The monitor port reads their classic form (`simspark_ros.protocol.monitor.trainer`), ROS services call the functions.
"""

from simspark_ros.trainer import editing, game, robots
from simspark_ros.trainer.base import TRAINER_COMMANDS, Trainer, TrainerCommand, trainer_command

__all__ = ["TRAINER_COMMANDS", "Trainer", "TrainerCommand", "editing", "game", "robots", "trainer_command"]
