"""Messages of GameControllers as a strict reader of the leagues' headers finds them, and robots' answers."""

import struct

import pytest

from simspark_ros.protocol.game_controller.control import ControlState, GameControl, SetPlayReason, TeamControl
from simspark_ros.protocol.game_controller.messages import LEAGUES, SUBSTITUTE, RobotAnswer
from test.rigs.messages.game_controller import ReadTeam, read_game


def game(**changes: object) -> GameControl:
    values: dict[str, object] = {"packet": 258, "players": 7, "kicking": 12, "remaining": 599, "secondary": -3}
    values |= {"state": ControlState.PLAYING, "set_play": SetPlayReason.KICK_IN, "is_first_half": True}
    values["teams"] = TeamControl(12, 0, 2, frozenset({1, 3})), TeamControl(34, 1, 300)
    return GameControl(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(("league", "players", "kick_in"), [("spl", 20, 4), ("spl15", 20, 4), ("humanoid", 11, 9)])
def test_a_strict_reader_finds_every_value(league, players, kick_in):
    read = read_game(LEAGUES[league].encode(game()))
    assert read.league == ("spl18" if league == "spl" else league)
    assert (read.packet, read.players, read.first_half, read.state) == (2, 7, 1, 3)
    assert (read.set_play, read.kicking) == (kick_in, 12)
    assert (read.remaining, read.secondary) == (599, -3)
    substitutes = (SUBSTITUTE,) * players
    none = (0,) * players
    present = (0, SUBSTITUTE, 0, *substitutes[3:])
    assert read.teams == (ReadTeam(12, 0, 2, present, none), ReadTeam(34, 1, 255, substitutes, none))


@pytest.mark.parametrize("league", ["spl", "humanoid"])
def test_nobody_kicks_and_times_stay_within_their_numbers(league):
    changed = game(kicking=None, set_play=SetPlayReason.NONE, remaining=10**6)
    read = read_game(LEAGUES[league].encode(changed))
    assert (read.kicking, read.remaining) == (255, 2**15 - 1)


def spl_answer(header: bytes = b"RGrt", version: int = 4, fallen: int = 1, x: float = 100.0) -> bytes:
    return struct.pack("<4s4B6f", header, version, 3, 12, fallen, x, -200.0, 0.5, 1.0, 0.0, 0.0)


def test_answers_of_the_leagues():
    assert LEAGUES["spl"].decode(spl_answer()) == RobotAnswer(12, 3, fallen=True, pose=(100.0, -200.0, 0.5))
    assert LEAGUES["humanoid"].decode(b"RGrt\x02\x0c\x03\x02") == RobotAnswer(12, 3)


@pytest.mark.parametrize(
    ("league", "data", "problem"),
    [
        ("spl", b"", "0 bytes instead of 32"),
        ("spl", spl_answer()[:-1], "31 bytes"),
        ("spl", spl_answer(header=b"RGme"), "not an answer of version 4"),
        ("spl", spl_answer(version=3), "not an answer of version 4"),
        ("spl", spl_answer(fallen=2), "fallen"),
        ("spl", spl_answer(x=float("nan")), "finite"),
        ("humanoid", spl_answer(), "32 bytes instead of 8"),
        ("humanoid", b"RGrt\x01\x0c\x03\x02", "not an answer of version 2"),
    ],
)
def test_wrong_answers_are_refused(league, data, problem):
    with pytest.raises(ValueError, match=problem):
        LEAGUES[league].decode(data)
