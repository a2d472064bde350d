"""Effector commands of a player in one cycle, independent of the protocol that carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simspark_ros.players.geometry import Pose


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
