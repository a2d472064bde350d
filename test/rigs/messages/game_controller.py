"""A strict reader of GameController messages, written from the leagues' headers, place by place."""

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class ReadTeam:
    number: int
    colour: int
    score: int
    penalties: tuple[int, ...]
    seconds: tuple[int, ...]


@dataclass(frozen=True)
class ReadGame:
    """A message; `league` is "spl18", "spl15" or "humanoid", `set_play` and numbers as on the wire."""

    league: str
    packet: int
    players: int
    state: int
    set_play: int
    first_half: int
    kicking: int
    remaining: int
    secondary: int
    teams: tuple[ReadTeam, ...]


def read_game(data: bytes) -> ReadGame:
    assert data[:4] == b"RGme"
    return _read_humanoid(data) if len(data) == 688 else _read_spl(data)


def _read_spl(data: bytes) -> ReadGame:
    assert len(data) == 118, len(data)
    assert data[4] in (15, 18)
    assert data[7:10] == bytes(3), "phase and type of the competition, phase of the game"
    assert data[10] <= 5
    assert data[11] <= 5
    remaining, secondary = struct.unpack_from("<hh", data, 14)
    teams = [_read_spl_team(data[start : start + 50]) for start in (18, 68)]
    return ReadGame(
        f"spl{data[4]}", data[5], data[6], data[10], data[11], data[12], data[13], remaining, secondary, tuple(teams)
    )


def _read_spl_team(data: bytes) -> ReadTeam:
    assert data[1] <= 9
    assert data[2] <= 9
    assert 1 <= data[3] <= 20, "the goalkeeper's number"
    assert data[5:8] == bytes(3), "no penalty shots"
    assert struct.unpack_from("<H", data, 8) == (1200,)
    penalties, seconds = tuple(data[10:50:2]), tuple(data[11:50:2])
    _check_penalties(penalties, seconds, {0, 14, *range(1, 12)})
    return ReadTeam(data[0], data[1], data[4], penalties, seconds)


def _read_humanoid(data: bytes) -> ReadGame:
    assert struct.unpack_from("<H", data, 4) == (12,)
    assert data[8] == 0, "KidSize"
    assert data[9] <= 4
    assert data[12] <= 9
    assert data[14:17] == bytes(3)
    assert data[13] == (data[11] if data[12] else 0), "the team of the set play"
    assert struct.unpack_from("<BH", data, 17) == (0, 0xFFFF), "no drop-in"
    remaining, secondary = struct.unpack_from("<hh", data, 20)
    teams = [_read_humanoid_team(data[start : start + 332]) for start in (24, 356)]
    return ReadGame(
        "humanoid", data[6], data[7], data[9], data[12], data[10], data[11], remaining, secondary, tuple(teams)
    )


def _read_humanoid_team(data: bytes) -> ReadTeam:
    assert data[3:260] == bytes(257), "neither penalty shots nor a coach's message"
    assert data[260:266] == bytes(6), "the coach"
    players = [data[start : start + 6] for start in range(266, 332, 6)]
    assert [player[5] for player in players] == [1] + [0] * 10, "one goalkeeper"
    assert all(player[2:5] == bytes(3) for player in players), "neither warnings nor cards"
    penalties, seconds = tuple(player[0] for player in players), tuple(player[1] for player in players)
    _check_penalties(penalties, seconds, {0, 14, 15, 30, 31, 34})
    return ReadTeam(data[0], data[1], data[2], penalties, seconds)


def _check_penalties(penalties: tuple[int, ...], seconds: tuple[int, ...], known: set[int]) -> None:
    assert set(penalties) <= known
    assert all(not time for penalty, time in zip(penalties, seconds, strict=True) if penalty in (0, 14))
