"""Seeking in a replay, over a real socket; no time passes, so that nothing but a seek shows another frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.protocol.monitor.inspection import OPENING, ReplayProgress, Roster, read
from simspark_ros.protocol.monitor.log import LogError, MonitorState
from simspark_ros.server.replay import Replay, log_source, world_of_log
from simspark_ros.server.settings import ReplaySettings
from test.protocol.monitor.test_rsmp_log import BALL, MODELS, line, toy, transform
from test.rigs.waiting import until
from test.server.test_replay import replaying

LAST = 10
"""Time of the last frame, s; they are 1 s apart."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    frames = [f"((time {time}))({'RDS' if time else 'RSG'} 0 1)()\n" for time in range(LAST + 1)]
    path = tmp_path / "match.log"
    path.write_text("".join(frames))
    return path


@pytest.fixture
def player(log: Path) -> Iterator[Replay]:
    with replaying(ReplaySettings(log, 0, loop=True), lambda: 0.0) as made:
        yield made


def seek(client: ClassicClient, text: str) -> tuple[Any, bytes]:
    """What a monitor is told next of the replay, and the frame after it."""
    client.send(text)
    while not (told := client.receive()).startswith(OPENING):
        pass
    return read(told), client.receive()


def test_a_replay_goes_forwards_and_backwards_to_the_first_frame_from_a_time_on(player):
    with ClassicClient("127.0.0.1", player.server.port) as client:
        assert client.receive().startswith(b"((time 0))(RSG")
        for text, position in (("(inspect)(seek 7)", 7), ("(seek 2)", 2), ("(pause)(seek 4.5)", 5), ("(seek 0)", 0)):
            told, frame = seek(client, text)
            assert told == ReplayProgress(position, LAST)
            assert frame.startswith(f"((time {position}))(RSG".encode()), "a full frame"
        # Beyond the end is its end: what is played again and again begins again.
        assert seek(client, f"(seek {LAST + 5})")[0] == ReplayProgress(0.0, LAST)


def test_a_monitor_that_does_not_inspect_is_told_nothing_but_frames(player):
    with ClassicClient("127.0.0.1", player.server.port) as client:
        client.receive()
        client.send("(seek 3)")
        assert client.receive().startswith(b"((time 3))(RSG")
        client.send("(seek x)")
        until(lambda: player.server.clients()[0].rejected == {"command to a replay": 1})


def test_a_log_of_the_league_since_2026_is_played_by_simulated_time_with_its_robots(tmp_path, monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    path = tmp_path / "game.log"
    scene = transform(BALL, toy())
    path.write_bytes(b"".join(line(scene, time) + b"\n" for time in range(LAST + 1)))
    with (
        replaying(ReplaySettings(path, 0, loop=True), lambda: 0.0) as player,
        ClassicClient("127.0.0.1", player.server.port) as client,
    ):
        assert b"(RSG " in client.receive()
        client.send("(inspect)(seek 7)")
        while not (told := client.receive()).startswith(OPENING):
            pass
        roster = read(told)
        assert isinstance(roster, Roster) and [one.name for one in roster.robots] == ["toy"]
        assert read(client.receive()) == ReplayProgress(7, LAST)
        assert b"(RSG " in client.receive(), "a full frame, for those who have just heard of its robots"


def test_the_line_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "game.log"
    path.write_bytes(line(transform(BALL)) + b"\n((RSMP 1 0))\n")
    source = log_source(ReplaySettings(path, 0))
    with pytest.raises(LogError, match=r"game\.log, line 2: a frame without"):
        list(source(MonitorState()))


def test_field_and_ball_tell_the_world_of_a_log_of_either_kind(tmp_path):
    path = tmp_path / "game.log"
    sizes = {
        "fifa7vs7": line(transform(BALL)),
        "kidsize": b"((FieldLength 9)(FieldWidth 6)(BallRadius 0.07)(time 0))(RSG 0 1)()",
        "spl": b"((FieldLength 9)(FieldWidth 6)(BallRadius 0.05)(time 0))(RSG 0 1)()",
        "": b"((FieldLength 30)(FieldWidth 20)(BallRadius 0.042)(time 0))(RSG 0 1)()",
    }
    for world, first in sizes.items():
        path.write_bytes(first + b"\n")
        assert world_of_log(path) == world
