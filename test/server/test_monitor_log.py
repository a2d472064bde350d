"""A log tells robots of users' files in a file beside it, from which films draw them."""

from __future__ import annotations

from pathlib import Path

from simspark_ros.arena import Arena
from simspark_ros.protocol.monitor.log import MonitorState, read_frames
from simspark_ros.protocol.monitor.rosters import read_rosters, roster_path
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.server.replay import log_source
from simspark_ros.server.settings import ReplaySettings
from simspark_watching.video.settings import VideoSettings
from simspark_watching.video.shots import Filming
from test.robots.formats.adaptation.makers import link, robot, write

SOLID = "<geometry><sphere radius='0.2'/></geometry>"


def logged(log: Path, *robots: str) -> None:
    """Log a few cycles of an arena that robots enter one after the other."""
    with Arena(engine="planar", world="empty") as arena:
        arena.add_node(MonitorLog(log, 0.04, print))
        for text in robots:
            arena.add(text)
            arena.step(10)


def test_a_film_shows_robots_of_users_files(tmp_path: Path) -> None:
    path = write(tmp_path, robot(link("base", f"<visual>{SOLID}</visual><collision>{SOLID}</collision>")))
    log = tmp_path / "match.log"
    logged(log, "msl", str(path))
    rosters = read_rosters(log)
    assert len(rosters) == sum(b"(RSG " in frame for frame in read_frames(log)) >= 2
    assert len(rosters[-1].robots) == 2
    steps = log_source(ReplaySettings(log))(MonitorState())
    frames = [(step.pause, step.frame, step.roster) for step in steps]
    (*_, shot) = Filming(VideoSettings(tmp_path / "film.gif", follow="free"), 30.0).shots(frames)
    described = [one.described for one in shot.objects.robots]
    assert [len(one.model.links) for one in described if one] == [len(one.links) for one in shot.objects.robots]
    assert described[1] is not None
    assert described[1].model.base.visuals[0].size == (0.2,)


def test_a_log_of_shipped_robots_has_no_file_beside_it(tmp_path: Path) -> None:
    logged(tmp_path / "match.log", "msl")
    assert not roster_path(tmp_path / "match.log").exists()
