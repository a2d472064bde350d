"""Messages of the two leagues in bytes.

Standard Platform League: RoboCupGameControlData, version 18, 118 bytes, as GameController3 sends it, or 15, with the
same places for values, and RoboCupGameControlReturnData, version 4. Humanoid League: HlRoboCupGameControlData,
version 12, 688 bytes, and its answer, version 2. All numbers are little-endian.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from simspark_ros.protocol.game_controller.control import GameControl, SetPlayReason, TeamControl
from simspark_ros.soccer.league_game import PenaltyKind

HEADER, RETURN_HEADER = b"RGme", b"RGrt"

SUBSTITUTE, MANUAL = 14, 15
"""Penalties of a player that is not on the field, and of an offence without a number of its own; in both leagues."""

_SPL_PLAYERS, _HUMANOID_PLAYERS = 20, 11

_SPL_HEAD, _SPL_TEAM = struct.Struct("<4sBBBBBBBBBBhh"), struct.Struct("<BBBBBBHH")
SPL_ANSWER = struct.Struct("<4sBBBB3ff2f")
"""RoboCupGameControlReturnData: header, version, player, team, fallen, pose, age and place of the ball."""
_SPL_RETURN_VERSION = 4
_SPL_SET_PLAYS = {
    SetPlayReason.NONE: 0,
    SetPlayReason.GOAL_KICK: 1,
    SetPlayReason.FREE_KICK: 2,
    SetPlayReason.DIRECT_FREE_KICK: 2,
    SetPlayReason.CORNER_KICK: 3,
    SetPlayReason.KICK_IN: 4,
}
_SPL_PENALTIES = {
    PenaltyKind.BALL_HOLDING: 1,
    PenaltyKind.PUSHING: 2,
    PenaltyKind.MOTION_IN_SET: 3,
    PenaltyKind.FALLEN: 4,
    PenaltyKind.INACTIVE: 4,
    PenaltyKind.ILLEGAL_POSITION: 5,
    PenaltyKind.LEAVING_FIELD: 6,
    PenaltyKind.ILLEGAL_POSITION_IN_SET: 9,
}
_NO_TEAM = 255
_MESSAGE_BUDGET = 1200
"""Messages that a team of the SPL may send in a game (rule book 2024, section 2.7); nothing here counts them."""

_HUMANOID_HEAD, _HUMANOID_TEAM = struct.Struct("<4sHBBBBBBB4sBHhh"), struct.Struct("<BBBBHB253s6s")
_HUMANOID_VERSION, _HUMANOID_RETURN_VERSION = 12, 2
_HUMANOID_SET_PLAYS = {
    SetPlayReason.NONE: 0,
    SetPlayReason.DIRECT_FREE_KICK: 4,
    SetPlayReason.FREE_KICK: 5,
    SetPlayReason.CORNER_KICK: 7,
    SetPlayReason.GOAL_KICK: 8,
    SetPlayReason.KICK_IN: 9,
}
_HUMANOID_PENALTIES = {
    PenaltyKind.BALL_HOLDING: 30,
    PenaltyKind.PUSHING: 31,
    PenaltyKind.FALLEN: 34,
    PenaltyKind.INACTIVE: 34,
}
_NEVER = 0xFFFF


class RobotAnswer(NamedTuple):
    """Report of a robot to a GameController.

    Attributes:
        fallen: whether it lies; unknown in the Humanoid League.
        pose: x, y, theta on the field, x toward the opponents' goal; mm and rad. None in the Humanoid League.
    """

    team: int
    player: int
    fallen: bool | None = None
    pose: tuple[float, float, float] | None = None


class League(NamedTuple):
    """Writer of states of the game and reader of answers for a league.

    Attributes:
        encode: function that writes the message of a state.
        decode: function that reads the answer in a datagram; a `ValueError` names the fault.
    """

    encode: Callable[[GameControl], bytes]
    decode: Callable[[bytes], RobotAnswer]


def _spl_message(version: int, game: GameControl) -> bytes:
    head = _SPL_HEAD.pack(
        HEADER,
        version,
        game.packet % 256,
        game.players,
        0,  # round robin
        0,  # a normal game
        0,  # in its normal time
        game.state,
        _SPL_SET_PLAYS[game.set_play],
        game.is_first_half,
        _NO_TEAM if game.kicking is None else game.kicking,
        _seconds(game.remaining),
        _seconds(game.secondary),
    )
    return head + b"".join(map(_spl_team, game.teams))


def _spl_team(team: TeamControl) -> bytes:
    head = _SPL_TEAM.pack(team.number, team.colour, team.colour, 1, min(team.score, 255), 0, 0, _MESSAGE_BUDGET)
    return head + b"".join(bytes(_penalty(team, unum, _SPL_PENALTIES)) for unum in range(1, _SPL_PLAYERS + 1))


def _spl_answer(data: bytes) -> RobotAnswer:
    _check_size(data, SPL_ANSWER.size)
    header, version, player, team, fallen, *numbers = SPL_ANSWER.unpack(data)
    _check_kind(header, version, _SPL_RETURN_VERSION)
    if fallen not in (0, 1) or not all(map(math.isfinite, numbers)):
        raise ValueError("its values are wrong: fallen must be 0 or 1, and all numbers must be finite")
    x, y, theta = numbers[:3]
    return RobotAnswer(team, player, bool(fallen), (x, y, theta))


def _humanoid_message(game: GameControl) -> bytes:
    kicking = _NO_TEAM if game.kicking is None else game.kicking
    # The team of the set play, and its phase: 0 = until the ball moves, robots may play.
    info = bytes((kicking if game.set_play is not SetPlayReason.NONE else 0, 0, 0, 0))
    head = _HUMANOID_HEAD.pack(
        HEADER,
        _HUMANOID_VERSION,
        game.packet % 256,
        game.players,
        0,  # KidSize
        game.state,
        game.is_first_half,
        kicking,
        _HUMANOID_SET_PLAYS[game.set_play],
        info,
        0,
        _NEVER,
        _seconds(game.remaining),
        _seconds(game.secondary),
    )
    return head + b"".join(map(_humanoid_team, game.teams))


def _humanoid_team(team: TeamControl) -> bytes:
    head = _HUMANOID_TEAM.pack(team.number, team.colour, min(team.score, 255), 0, 0, 0, b"", b"")
    unums = range(1, _HUMANOID_PLAYERS + 1)
    players = (bytes((*_penalty(team, unum, _HUMANOID_PENALTIES), 0, 0, 0, unum == 1)) for unum in unums)
    return head + b"".join(players)


def _humanoid_answer(data: bytes) -> RobotAnswer:
    layout = struct.Struct("<4sBBBB")
    _check_size(data, layout.size)
    header, version, team, player, _ = layout.unpack(data)
    _check_kind(header, version, _HUMANOID_RETURN_VERSION)
    return RobotAnswer(team, player)


def _penalty(team: TeamControl, unum: int, numbers: Mapping[PenaltyKind, int]) -> tuple[int, int]:
    """Number of a player's penalty in a league, and its remaining time, s."""
    if unum not in team.present:
        return SUBSTITUTE, 0
    if unum not in team.penalties:
        return 0, 0
    kind, seconds = team.penalties[unum]
    return numbers.get(kind, MANUAL), min(seconds, 255)


def _seconds(value: int) -> int:
    return max(-(2**15), min(value, 2**15 - 1))


def _check_size(data: bytes, size: int) -> None:
    if len(data) != size:
        raise ValueError(f"it has {len(data)} bytes instead of {size}")


def _check_kind(header: bytes, version: int, expected: int) -> None:
    if header != RETURN_HEADER or version != expected:
        raise ValueError(f"it is not an answer of version {expected} to a GameController")


LEAGUES = {
    "spl": League(partial(_spl_message, 18), _spl_answer),
    "spl15": League(partial(_spl_message, 15), _spl_answer),
    "humanoid": League(_humanoid_message, _humanoid_answer),
}
"""Leagues by their names in the setting `game_controller`."""
