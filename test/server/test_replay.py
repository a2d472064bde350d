"""Logs of served matches, and their replay over real sockets."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.protocol.monitor.log import LogError, read_frames
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.replay import Replay
from simspark_ros.server.settings import ReplaySettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.soccer.game_state import PlayMode
from test.commands.serving.test_serve import running
from test.rigs.full_disk import files_end_at
from test.rigs.monitor_reader import Board, read
from test.rigs.processes import finished, simspark
from test.rigs.stub_world import Client, Clock
from test.rigs.waiting import DEADLINE, until

STEP = 0.04
"""Simulated time between two frames of monitors, s."""


class Match:
    """A served match with a monitor that sees everything, and a log."""

    def __init__(self, path: Path, connect: Callable[..., Client], interval: float = STEP) -> None:
        self.warnings: list[str] = []
        ports = ClassicServerSettings(AgentServerSettings(port=0), MonitorServerSettings(port=0))
        self.core = ClassicServer(ports)
        settings = replace(load_simulation_settings(), pacing="fast")
        self.simulation, _ = build_simulation(settings, [self.core], lambda: 0.0, lambda seconds: None)
        self.simulation.add_node(MonitorLog(path, interval, self.warnings.append))
        assert self.core.monitors is not None
        self.monitor = connect(self.core.monitors.port, lambda: self.core.poll(0.01))
        while not self.core.clients():
            self.core.poll(0.01)
        self.seen: list[bytes] = []

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.simulation.run_cycle()
            self.seen += self.monitor.arrived()

    def say(self, text: str) -> None:
        before = self.core.clients()[0].received
        self.monitor.send(text)
        while self.core.clients()[0].received == before:
            self.core.poll(0.01)

    def play(self) -> None:
        """A short match in which everything changes that can be shown."""
        world = self.simulation.world
        self.run(6)
        world.add_robot(load_robot("nao", 0), (-2.0, 0.0, 0.5), 0.0, name="one")
        self.run(6)
        self.say("(playMode PlayOn)(ball (pos 1 1 1)(vel 3 0 0))(select)")
        self.run(10)
        world.add_robot(load_robot("nao", 4), (2.0, 0.0, 0.5), 0.0, name="two")
        self.say("(score (left 1)(right 0))(select)")
        self.run(10)
        self.say("(kill)")
        self.run(11)

    def end(self) -> None:
        self.simulation.run(0)
        self.simulation.world.engine.close()
        self.seen += self.monitor.arrived()

    def close(self) -> None:
        self.core.close()


@pytest.fixture
def match(tmp_path, connect_to, close_later) -> Callable[..., Match]:
    """Makes a match that is logged to `match.log` or another name."""
    return lambda name="match.log", interval=STEP: close_later(Match(tmp_path / name, connect_to, interval))


@pytest.fixture
def played(match) -> Match:
    """One that has ended."""
    made: Match = match()
    made.play()
    made.end()
    return made


@pytest.mark.parametrize("name", ["match.log", "match.log.gz"])
def test_the_log_holds_what_a_live_monitor_saw(match, tmp_path, name):
    played = match(name)
    played.play()
    played.end()
    logged = list(read_frames(tmp_path / name))
    assert logged == played.seen
    assert len(logged) == 43 // 2
    kinds = [read(frame.decode()).full for frame in logged]
    # The start, two robots that join and one that is killed.
    assert kinds.count(True) == 4


def test_a_log_has_its_own_interval_and_needs_no_monitor(match, tmp_path):
    played = match(interval=0.2)
    played.monitor.socket.close()
    while played.core.clients():
        played.core.poll(0.01)
    played.simulation.world.game.set_play_mode(PlayMode.PLAY_ON)
    for _ in range(51):
        played.simulation.run_cycle()
    times = [float(read(frame.decode()).environment["time"][0]) for frame in read_frames(tmp_path / "match.log")]
    # The first frame is due at once, in the first cycle that has poses.
    assert times == pytest.approx([0.04, 0.24, 0.44, 0.64, 0.84])


def test_a_log_that_ends_early_asks_for_no_more_frames(match):
    played = match()
    with files_end_at(1000):
        played.run(20)
    (warning,) = played.warnings
    assert "match.log" in warning and "File too large" in warning
    assert played.seen


@contextmanager
def replaying(options: ReplaySettings, clock: Callable[[], float]) -> Iterator[Replay]:
    """A replay in a thread of its own."""
    player = Replay(options, clock)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            player.run()
        except LogError as error:
            errors.append(error)
        finally:
            player.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield player
    finally:
        player.stop()
        thread.join(DEADLINE)
        assert not thread.is_alive() and not errors


def test_a_replay_shows_what_the_live_monitor_saw_frame_by_frame_and_late_ones_the_whole(played, tmp_path):
    clock, options = Clock(), ReplaySettings(tmp_path / "match.log", 0, interval=STEP)
    with replaying(options, clock) as player, ClassicClient("127.0.0.1", player.server.port) as first:
        late, boards = None, (Board(), Board())
        for number, frame in enumerate(played.seen):
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


def test_a_replay_begins_again_and_takes_no_commands(played, tmp_path):
    options = ReplaySettings(tmp_path / "match.log", 0, speed=1000.0, loop=True)
    # No time passes, so only the first frame is due.
    with replaying(options, lambda: 0.0) as player, ClassicClient("127.0.0.1", player.server.port) as client:
        assert client.receive() == played.seen[0]
        client.send("(playMode GameOver)(killsim)")
        until(lambda: player.server.clients()[0].rejected == {"command to a replay": 2})
    ticks = iter(range(10**9))
    ticking = replaying(options, lambda: float(next(ticks)))
    with ticking as player, ClassicClient("127.0.0.1", player.server.port) as client:
        seen = [client.receive() for _ in range(2 * len(played.seen))]
    assert seen == 2 * played.seen


def test_monitors_of_a_replay_are_limited(played, tmp_path):
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

    player = Replay(ReplaySettings(tmp_path / "match.log", 0, speed=speed, interval=interval), clock)
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


@pytest.mark.parametrize("name", ["match.log", "match.log.gz"])
def test_a_killed_server_leaves_a_log_that_can_be_read(tmp_path, name):
    path = tmp_path / name
    serving = running("--pacing", "fast", "--log", str(path), "--robot", "nao")
    with serving as server, ClassicClient("127.0.0.1", server.monitor_port) as monitor:
        for _ in range(60):
            monitor.receive()
        server.end(signal.SIGKILL)
    board = Board()
    frames = list(read_frames(path))
    for frame in frames:
        board.show(read(frame.decode()))
    assert len(frames) >= 60 * STEP / 0.2 - 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["replay", "none.log"], "none.log: cannot be read: No such file"),
        (["replay", "none.log", "--speed", "0"], "must be above 0, not '0'"),
        (["serve", "--no-ros", "--log", "none/x.log", "--agent-port", "0", "--monitor-port", "0"], "none/x.log"),
        (["serve", "--no-ros", "--trainer", "fly", "--agent-port", "0", "--monitor-port", "0"], "'fly' is unknown"),
    ],
)
def test_a_wrong_argument_is_named(arguments, complaint):
    done = finished(*arguments)
    assert done.status == 2 and complaint in done.errors and "Traceback" not in done.errors


def test_the_replay_command_plays_to_the_end(played, tmp_path):
    with (
        simspark("replay", str(tmp_path / "match.log"), "--monitor-port", "0", "--speed", "1e6") as process,
        ClassicClient("127.0.0.1", int(process.found(r"serverPort=(\d+)"))) as client,
    ):
        seen = []
        with pytest.raises(ConnectionLostError):
            while True:
                seen.append(client.receive())
        assert process.wait() == 0
    assert seen == played.seen
