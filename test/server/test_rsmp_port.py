"""Monitors of both generations of the league on the ports of one server."""

import socket
from collections.abc import Callable

import pytest

from benchmarks.newer_league.rsmp import Screen
from simspark_ros.server.monitor_server import RsmpServerSettings
from simspark_ros.soccer.teams import Side
from test.server.test_time_control import Served, Watcher


class Match(Served):
    def __init__(self) -> None:
        super().__init__(rsmp=RsmpServerSettings(port=0), world="fifa7vs7", profile="measured")
        world = self.simulation.world
        (robot,) = world.robots.values()
        world.teams.register("Old", 3, 0)
        robot.team, robot.side, robot.unum = "Old", Side.LEFT, 3
        world.revision += 1
        self.start()

    def watch(self) -> tuple[Watcher, Screen]:
        """A monitor of the newer generation, after its first frame."""
        screen = Screen()
        assert self.core.rsmp is not None
        watcher = Watcher(self.core.rsmp.port, screen.show)
        watcher.until(lambda: screen.scene is not None)
        return watcher, screen


@pytest.fixture
def served(close_later: Callable[[Match], Match]) -> Match:
    return close_later(Match())


def test_both_generations_of_monitors_see_one_match_and_what_a_trainer_does(served):
    watcher, screen = served.watch()
    classic = Watcher(served.core.monitors.port)
    reader = classic.reader
    classic.until(lambda: len(reader.nodes) > 60)
    watcher.send("(kickOff Right)")
    watcher.until(lambda: screen.play_mode == "KickOff_Right")
    classic.until(lambda: reader.play_mode == "KickOff_Right")
    assert screen.environment["CenterCircleRadius"] == ["5.5"]
    assert "CenterCircleRadius" not in reader.environment
    watcher.send("(agent (unum 3)(team Old)(move -5 4 0.4 90))(ball (pos 6 -3 0.11))")
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
