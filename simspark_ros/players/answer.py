"""Effector commands of a player in one cycle, independent of the protocol that carries them, and their check."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Protocol

from simspark_ros.configuration.errors import UserError, shown, suggestion
from simspark_ros.motion.interface import Command
from simspark_ros.players.geometry import Pose
from simspark_ros.players.percepts import Percept


@dataclass(frozen=True)
class Answer:
    """The commands of one cycle.

    Attributes:
        speeds: speeds by the names of the joints, rad/s; a joint that is left out keeps its speed. For motors that
            follow angles (`MotionSettings.gains`) their angles, rad.
        beam: wanted pose in the frame of the own team (attacking +x); works before kick-offs only.
        say: message of up to 20 printable characters, no blanks or brackets; empty = nothing.
        shot: velocity of the kicker's shot, forward and up relative to the robot, m/s.
        hold: whether a robot with ball handling keeps the ball at its front.
    """

    speeds: Mapping[str, float] = field(default_factory=dict)
    beam: Pose | None = None
    say: str = ""
    request_pass: bool = False
    shot: tuple[float, float] | None = None
    hold: bool = False


class Agent(Protocol):
    """Answers the percepts of a player."""

    def act(self, percept: Percept) -> Answer:
        """Answer a percept; the answer takes effect in the next cycle."""


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
