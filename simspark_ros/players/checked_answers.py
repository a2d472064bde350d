"""Checks of answers of users' functions, so that the user, not the server, gets to know of a wrong one."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from numbers import Real

from simspark_ros.configuration.errors import UserError, shown, suggestion
from simspark_ros.motion.interface import Command

_COMMAND = "return Walk(forward, left, turn), Stand(), Kick(Foot.LEFT) or Dive(Foot.LEFT)"
_ANSWER = "return speeds of joints in rad/s, e.g. {'hj2': 0.5}, or an Answer"


class WrongAnswerError(UserError):
    """A function of an agent returned no command; the message says what to return."""


def checked_command(command: object) -> Command:
    """The command, or a `WrongAnswerError` if it is none."""
    if isinstance(command, Command):
        return command
    raise WrongAnswerError(f"think() returned {shown(command)}; {_COMMAND}")


def checked_speeds(speeds: object, joints: Collection[str]) -> Mapping[str, float]:
    """Speeds by joint, rad/s, or a `WrongAnswerError`; `joints` are the robot's joints."""
    if not isinstance(speeds, Mapping):
        raise WrongAnswerError(f"the agent answered {shown(speeds)}; {_ANSWER}")
    for joint, speed in speeds.items():
        if joint not in joints:
            raise WrongAnswerError(f"the agent answered a speed of {shown(joint)}; {suggestion(str(joint), joints)}")
        if not isinstance(speed, Real) or not math.isfinite(speed):
            raise WrongAnswerError(f"the agent answered {shown(speed)} as speed of {joint}; {_ANSWER}")
    return speeds
