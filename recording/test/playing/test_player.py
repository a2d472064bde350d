import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from simspark_recording.logs.sources import log_source
from simspark_recording.playing.player import Replay
from simspark_recording.settings import ReplaySettings
from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.protocol.monitor.inspection import OPENING, ReplayProgress
from simspark_ros.protocol.monitor.inspection import read as read_inspection
from test.rigs.logged_match import STEP
from test.rigs.messages.monitor_reader import Board, read
from test.rigs.stub_world import Clock
from test.rigs.waiting import DEADLINE, until
from test.server.test_time_control import Watcher


@contextmanager
def replaying(options: ReplaySettings, clock: Callable[[], float]) -> Iterator[Replay]:
    """A replay in a thread of its own."""
    player = Replay(options, log_source(options), clock)
    with closing(player), ThreadPoolExecutor() as pool:
        running = pool.submit(player.run)
        try:
            yield player
        finally:
            player.stop()
            running.result(DEADLINE)


def test_a_replay_shows_what_the_live_monitor_saw_frame_by_frame_and_late_ones_the_whole(logged_match, tmp_path):
    clock, options = Clock(), ReplaySettings(tmp_path / "match.log", 0, interval=STEP)
    with replaying(options, clock) as player, ClassicClient("127.0.0.1", player.server.port) as first:
        late, boards = None, (Board(), Board())
        for number, frame in enumerate(logged_match.seen):
            assert first.receive() == frame
            boards[0].show(read(frame.decode()))
            if late:
                boards[1].show(read(late.receive().decode()))
                assert boards[0] == boards[1], number
            if number == 7:
                late = ClassicClient("127.0.0.1", player.server.port)
                until(lambda: len(player.server.clients()) == 2)
            # A little more than the pause, which was rounded.
            clock.now += 1.001 * STEP
        assert late is not None
        late.close()


def test_a_replay_begins_again_and_takes_no_commands(logged_match, tmp_path):
    options = ReplaySettings(tmp_path / "match.log", 0, speed=1000.0, loop=True)
    # No time passes, so only the first frame is due.
    with replaying(options, lambda: 0.0) as player, ClassicClient("127.0.0.1", player.server.port) as client:
        assert client.receive() == logged_match.seen[0]
        client.send("(playMode GameOver)(killsim)")
        until(lambda: player.server.clients()[0].rejected == {"command to a replay": 2})
    ticks = iter(range(10**9))
    ticking = replaying(options, lambda: float(next(ticks)))
    with ticking as player, ClassicClient("127.0.0.1", player.server.port) as client:
        seen = [client.receive() for _ in range(2 * len(logged_match.seen))]
    assert seen == 2 * logged_match.seen


def test_monitors_of_a_replay_are_limited(logged_match, tmp_path):
    options = ReplaySettings(tmp_path / "match.log", 0, loop=True, max_monitors=1)
    with replaying(options, lambda: 0.0) as player, ClassicClient("127.0.0.1", player.server.port) as first:
        first.receive()
        with ClassicClient("127.0.0.1", player.server.port) as second, pytest.raises(ConnectionLostError):
            second.receive()
        assert len(player.server.clients()) == 1


@pytest.mark.parametrize(("speed", "interval"), [(1.0, 0.2), (4.0, 0.2), (0.5, 0.1)])
def test_the_pace_is_the_recorded_one_times_the_speed(tmp_path, monkeypatch, connect_to, speed, interval):
    times = [0, 0, 1.2, 1.4, 0.5, 2.5]
    frames = [f"((time {time:g}))({'RDS' if number else 'RSG'} 0 1)()\n" for number, time in enumerate(times)]
    (tmp_path / "match.log").write_text("".join(frames))
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.001
        return now

    options = ReplaySettings(tmp_path / "match.log", 0, speed=speed, interval=interval)
    player = Replay(options, log_source(options), clock)
    shown: list[float] = []
    monkeypatch.setattr(player.server, "poll", lambda timeout: True)
    monkeypatch.setattr(player.server, "clients", lambda: [True])
    monkeypatch.setattr(player.server, "show_frame", lambda frame, state: shown.append(now))
    player.run()
    player.close()
    pauses = [later - earlier for earlier, later in pairwise(shown)]
    expected = [interval / speed, 1.2 / speed, 0.2 / speed, interval / speed, 2.0 / speed]
    # The clock goes on by a millisecond each time it is looked at.
    assert pauses == pytest.approx(expected, abs=0.005)


LAST = 10
"""Time of the last frame, s; they are 1 s apart."""


@pytest.fixture
def seekable(tmp_path: Path) -> Iterator[Replay]:
    """A replay in which no time passes, so that nothing but a seek shows another frame."""
    frames = [f"((time {time}))({'RDS' if time else 'RSG'} 0 1)()\n" for time in range(LAST + 1)]
    (tmp_path / "match.log").write_text("".join(frames))
    with replaying(ReplaySettings(tmp_path / "match.log", 0, loop=True), lambda: 0.0) as made:
        yield made


def seek(client: ClassicClient, text: str) -> tuple[Any, bytes]:
    """What a monitor is told next of the replay, and the frame after it."""
    client.send(text)
    while not (told := client.receive()).startswith(OPENING):
        pass
    return read_inspection(told), client.receive()


def test_a_replay_goes_forwards_and_backwards_to_the_first_frame_from_a_time_on(seekable):
    with ClassicClient("127.0.0.1", seekable.server.port) as client:
        assert client.receive().startswith(b"((time 0))(RSG")
        for text, position in (("(inspect)(seek 7)", 7), ("(seek 2)", 2), ("(pause)(seek 4.5)", 5), ("(seek 0)", 0)):
            told, frame = seek(client, text)
            assert told == ReplayProgress(position, LAST)
            assert frame.startswith(f"((time {position}))(RSG".encode()), "a full frame"
        # Beyond the end is its end: what is played again and again begins again.
        assert seek(client, f"(seek {LAST + 5})")[0] == ReplayProgress(0.0, LAST)


def test_a_monitor_that_does_not_inspect_is_told_nothing_but_frames(seekable):
    with ClassicClient("127.0.0.1", seekable.server.port) as client:
        client.receive()
        client.send("(seek 3)")
        assert client.receive().startswith(b"((time 3))(RSG")
        client.send("(seek x)")
        until(lambda: seekable.server.clients()[0].rejected == {"command to a replay": 1})


def test_a_replay_can_be_paused_stepped_and_slowed_down(tmp_path):
    head = "((time {:g})(play_modes PlayOn)(play_mode 0))"
    frames = [(head.format(0) + "(RSG 0 1)((nd TRF))")] + [f"((time {n / 5}))(RDS 0 1)((nd))" for n in range(1, 2000)]
    (tmp_path / "match.log").write_text("\n".join(frames) + "\n")
    options = ReplaySettings(tmp_path / "match.log", 0, speed=20.0, loop=True)
    with replaying(options, time.monotonic) as replay:
        watcher = Watcher(replay.server.port)
        watcher.until(lambda: watcher.reader.time > 1.0)
        watcher.send("(pause)")
        watcher.until(lambda: replay.server.time.paused)
        late = Watcher(replay.server.port)
        late.until(lambda: late.reader.time > 0.0)
        before = late.reader.time
        late.send("(step 2)")
        # The newcomer was shown the next frame at once, so that the first step shows it again.
        late.until(lambda: late.reader.time >= before + 0.2 - 1e-9)
        late.send("(run)(speed 0)")
        late.until(lambda: late.reader.time > before + 5.0)
        late.send("(speed)")
        late.until(lambda: replay.server.time.speed == 20.0)
