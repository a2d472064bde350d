"""Logs of frames of monitors of both generations, as a served match and an arena write them."""

import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.newer_league.rsmp import Screen
from simspark_ros.arena import Arena
from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.protocol.monitor.log import read_frames
from simspark_ros.protocol.monitor.rosters import roster_path
from simspark_ros.protocol.monitor.rsmp import RsmpEncoder
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.soccer.game_state import PlayMode
from test.commands.serving.test_serve import running
from test.rigs.logged_match import STEP, LoggedMatch
from test.rigs.machine.full_disk import files_end_at
from test.rigs.messages.monitor_reader import Board, read


@pytest.fixture
def match(tmp_path, connect_to, close_later) -> Callable[..., LoggedMatch]:
    """Makes a match that is logged to `match.log` or another name."""
    return lambda name="match.log", interval=STEP: close_later(LoggedMatch(tmp_path / name, connect_to, interval))


def logged(log: Path, *robots: str) -> None:
    with Arena(engine="planar", world="empty") as arena:
        arena.add_node(MonitorLog(log, 0.04, print))
        for text in robots:
            arena.add(text)
            arena.step(10)


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


def test_a_log_of_shipped_robots_has_no_file_beside_it(tmp_path: Path) -> None:
    logged(tmp_path / "match.log", "msl")
    assert not roster_path(tmp_path / "match.log").exists()


def test_every_line_of_a_log_is_a_frame_that_follows_the_one_before(tmp_path):
    settings = replace(load_simulation_settings(), pacing="fast", world="fifa7vs7")
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    path = tmp_path / "match.log"
    simulation.add_node(MonitorLog(path, 0.1, print, encoder=RsmpEncoder))
    simulation.run(20)
    simulation.world.engine.close()
    screen, times = Screen(), []
    for line in path.read_bytes().splitlines():
        screen.show(line)
        times.append(screen.time)
    assert len(times) == 4
    assert times == sorted(set(times))
    assert screen.play_mode == "BeforeKickOff"
