"""Seeking in a replay, over a real socket; no time passes, so that nothing but a seek shows another frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recording.test.playing.test_player import replaying
from simspark_recording.playing.player import Replay
from simspark_recording.settings import ReplaySettings
from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.protocol.monitor.inspection import OPENING, ReplayProgress, read
from test.rigs.waiting import until

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
