"""Monitors of both generations of the league on the ports of one server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from benchmarks.newer_league.rsmp import Screen
from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings, RsmpServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.soccer.teams import Side

DEADLINE = 20.0


class Watcher:
    """A monitor over a real socket."""

    def __init__(self, port: int, show: Callable[[bytes], object]) -> None:
        self.connection, self._show = ClassicClient("127.0.0.1", port), show

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end
            for frame in self.connection.receive_some(0.05):
                self._show(frame)


class Served:
    """A match of the league since 2026 with one player that runs in a thread, with both ports of monitors."""

    def __init__(self) -> None:
        ports = ClassicServerSettings(
            AgentServerSettings(port=0), MonitorServerSettings(port=0), rsmp=RsmpServerSettings(port=0)
        )
        self.core = ClassicServer(ports)
        settings = replace(load_simulation_settings(), pacing="fast", world="fifa7vs7", profile="measured")
        self.simulation: Simulation
        self.simulation, _ = build_simulation(settings, [self.core], time.monotonic, time.sleep)
        world = self.simulation.world
        added = world.add_robot(load_robot("nao", 0), (-2.0, 0.0, 0.4), 0.0)
        robot = world.robots[added.handle]
        world.teams.register("Old", 3, 0)
        robot.team, robot.side, robot.unum = "Old", Side.LEFT, 3
        world.revision += 1
        self._thread = threading.Thread(target=self.simulation.run)
        self._thread.start()

    def watch(self) -> tuple[Watcher, Screen]:
        """A monitor of the newer generation, after its first frame."""
        screen = Screen()
        assert self.core.rsmp is not None
        watcher = Watcher(self.core.rsmp.port, screen.show)
        watcher.until(lambda: screen.scene is not None)
        return watcher, screen

    def close(self) -> None:
        self.simulation.stop()
        self._thread.join(DEADLINE)
        self.core.close()
        self.simulation.world.engine.close()


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    yield made
    made.close()


def test_both_generations_of_monitors_see_one_match(served):
    watcher, screen = served.watch()
    reader = MonitorReader()
    classic = Watcher(served.core.monitors.port, reader.show)
    classic.until(lambda: len(reader.nodes) > 60)
    watcher.connection.send("(kickOff Right)")
    watcher.until(lambda: screen.play_mode == "KickOff_Right")
    classic.until(lambda: reader.play_mode == "KickOff_Right")
    assert screen.environment["CenterCircleRadius"] == ["5.5"]
    assert "CenterCircleRadius" not in reader.environment


def test_a_trainer_places_player_and_ball_and_the_changes_show_it(served):
    watcher, screen = served.watch()
    watcher.connection.send("(agent (unum 3)(team Old)(move -5 4 0.4 90))(ball (pos 6 -3 0.11))")
    watcher.until(lambda: screen.poses()["ball",][0, 3] == pytest.approx(6.0, abs=0.05))
    pose = screen.poses()["agent", "Old", "3"]
    # It falls until the frame that shows it.
    assert pose[:2, 3] == pytest.approx((-5.0, 4.0), abs=0.1)
    assert pose[1, 0] > 0.9
    assert not screen.full


@pytest.mark.parametrize(
    "hostile",
    [
        *(b"\x00\x00\x00\x05(((((", b"\xff\xff\xff\xff", b"\x00\x00\x00\x04(()(", b"\x00"),
        b"\x00\x00\x00\x27(agent (unum 3)(team Old)(pos nan 0 1))",
        b"\x00\x00\x00\x1f(ball (pos 1e308 -1e308 1e308))",
    ],
)
def test_no_input_disturbs_the_other_monitors(served, hostile):
    watcher, screen = served.watch()
    with socket.create_connection(("127.0.0.1", served.core.rsmp.port)) as other:
        other.sendall(hostile)
        now = screen.time
        watcher.until(lambda: screen.time > now + 0.5)
    assert all(abs(pose[:3, 3]).max() < 1e4 for pose in screen.poses().values())
