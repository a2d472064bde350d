"""Effectors: commands that robots carry out, one file each; see `simspark_ros.effectors.base`."""

from simspark_ros.effectors.base import CommandTopic, Effector, effector
from simspark_ros.effectors.registry import EFFECTORS
from simspark_ros.effectors.signature import Degrees, Percent
from simspark_ros.worlds.errors import CommandRejectedError

__all__ = ["EFFECTORS", "CommandRejectedError", "CommandTopic", "Degrees", "Effector", "Percent", "effector"]
