"""Percepts of a player in one cycle, independent of the protocol that carries them.

SI and REP-103: x forward, y left, z up; angles counter-clockwise in rad. Seen things are relative to the camera.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from simspark_ros.motion.interface import Triple
from simspark_ros.players.geometry import Polar, Pose
from simspark_ros.soccer.game_state import PlayMode


class SeenPlayer(NamedTuple):
    """One robot in view; a player sees its own arms and feet, too.

    `parts` has places by names of the protocol: `head`, `rlowerarm`, `llowerarm`, `rfoot`, `lfoot`, or just `body`
    where the server does not distinguish them.
    """

    team: str
    unum: int
    parts: Mapping[str, Polar]


class HeardMessage(NamedTuple):
    """A message of up to 20 characters.

    Attributes:
        team: name of the speaker's team, empty where the server does not send it.
        bearing: direction of the speaker, rad in the frame of the own team; None for the player's own message.
    """

    team: str
    bearing: float | None
    text: str


@dataclass(frozen=True)
class SeenObjects:
    """Things in the camera's view.

    Attributes:
        marks: flags and goal posts by their names, e.g. `F1L`, `G2R`.
        players: robots with a team.
        lines: both ends of the visible part of each line.
    """

    marks: Mapping[str, Polar] = field(default_factory=dict)
    ball: Polar | None = None
    players: tuple[SeenPlayer, ...] = ()
    lines: tuple[tuple[Polar, Polar], ...] = ()


class FootForce(NamedTuple):
    """Force of the ground on one foot or toe (N) and its point of action (m), in the axes of the foot or toe."""

    point: Triple
    force: Triple


@dataclass(frozen=True)
class GameReport:
    """News of the game for a player; `time` is the game's, s.

    Own number and side (`left` or `right`) are sent once, after joining, and are 0 and empty otherwise.
    """

    play_mode: PlayMode | None = None
    time: float = 0.0
    score_left: int | None = None
    score_right: int | None = None
    unum: int = 0
    side: str = ""


@dataclass(frozen=True)
class Percept:
    """Everything that a player perceives in one cycle.

    Attributes:
        time: simulated time, s.
        joints: angles by the names of the joints (`hj1` ... `llj6`), rad.
        gyro: angular velocity of the torso in its own axes, rad/s.
        accelerometer: specific force at the torso in its own axes, m/s2.
        feet: forces by the names of the sensors (`rf`, `lf`, `rf1`, `lf1`); absent without contact.
        sight: seen objects; None in cycles without a look.
        up: unit vector against gravity in the torso's axes; None where the server does not send it.
        pose: place of the torso on the field, left team at negative x; None where the server does not send it.
    """

    time: float
    joints: Mapping[str, float] = field(default_factory=dict)
    gyro: Triple | None = None
    accelerometer: Triple | None = None
    feet: Mapping[str, FootForce] = field(default_factory=dict)
    sight: SeenObjects | None = None
    heard: tuple[HeardMessage, ...] = ()
    game: GameReport = field(default_factory=GameReport)
    up: Triple | None = None
    pose: Pose | None = None
