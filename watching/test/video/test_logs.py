"""A log tells robots of users' files in a file beside it, from which films draw them."""

from pathlib import Path

from simspark_recording.logs.sources import log_source
from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.settings import ReplaySettings
from simspark_ros.protocol.monitor.log import read_frames
from simspark_ros.protocol.monitor.rosters import read_rosters
from simspark_watching.video.settings import VideoSettings
from simspark_watching.video.shots import Filming
from test.robots.formats.adaptation.makers import link, robot, write
from test.server.test_monitor_log import logged

SOLID = "<geometry><sphere radius='0.2'/></geometry>"


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
