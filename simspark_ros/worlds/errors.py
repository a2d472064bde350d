"""Errors of commands and robots from outside."""

from __future__ import annotations

from simspark_ros.configuration.schema import ConfigurationError


class CommandRejectedError(Exception):
    """A command cannot be carried out; nothing was changed. The message names the cause and the remedy."""


class UnusableRobotError(CommandRejectedError, ConfigurationError):
    """A robot's description asks for something that does not exist or cannot work."""
