from __future__ import annotations

import contextlib
import os
import signal
import threading
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import simspark_watching.video.film
from simspark_recording.logs.sources import log_source
from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.settings import ReplaySettings
from simspark_ros import cli
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import GameSnapshot
from simspark_ros.protocol.monitor.inspection import Roster
from simspark_ros.protocol.monitor.log import read_frames
from simspark_ros.protocol.monitor.rosters import read_rosters
from simspark_ros.rendering.renderer import Picture
from simspark_watching.video.film import film
from simspark_watching.video.painter import Painter
from simspark_watching.video.settings import VideoError, VideoSettings
from simspark_watching.video.shots import Filming, Shot
from test.robots.formats.adaptation import makers
from test.server.test_monitor_log import logged
from watching.test.broadcast.scenes import BALL, frames, percepts, robot

SMALL: dict[str, Any] = {"world": "soccer", "width": 160, "height": 90, "rate": 10.0, "jobs": 1}
LENGTH = 30.0
NOBODY = Roster()


def match(seconds=3.0, goal=99.0):
    """Frames every 0.1 s of a ball that rolls at 1 m/s; the left team scores at a time."""
    start = percepts(robot("nao", 0, "left", 7), robot("nao", 0, "right", 1))
    poses = start.poses
    assert poses is not None

    def moment(time):
        ball = np.add(BALL, (time, 0.0, 0.0))
        game = GameSnapshot(time, "PlayOn", int(time >= goal), 0, 1, "Lions", "Dragons")
        return replace(start, poses=replace(poses, ball=ball), game=game)

    told = frames(moment(0.1 * number) for number in range(round(10 * seconds) + 1))
    return [(0.1 if number else 0.0, one, NOBODY) for number, one in enumerate(told)]


def made(settings, stop=None, tell=lambda *done: None, **options):
    """Make the film of a match; returns the number of its pictures."""
    return film(match(**options), settings, tell, stop or threading.Event())


def shots(settings, **options):
    return list(Filming(settings, LENGTH).shots(match(**options)))


@pytest.fixture
def settings(tmp_path):
    return VideoSettings(tmp_path / "match.gif", **SMALL)


def test_a_gif_has_all_pictures_of_its_time(settings):
    settings = replace(settings, start=0.5, end=1.5)
    said = []
    count = made(settings, tell=lambda *done: said.append(done))
    with Image.open(settings.output) as image:
        assert (image.size, image.n_frames, image.info["duration"]) == ((160, 90), 11, 100)
    assert count == 11 and said[-1] == (pytest.approx(1.5), 11)


def test_an_mp4_has_the_size_and_the_rate_that_were_asked_for(settings):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    settings = replace(settings, output=settings.output.with_suffix(".mp4"))
    made(settings, seconds=0.5)
    frames = ffmpeg.read_frames(str(settings.output))
    about = next(frames)
    assert (about["size"], about["fps"], len(list(frames))) == ((160, 90), 10.0, 6)


@pytest.mark.slow
def test_several_processes_draw_what_one_draws(settings):
    several = replace(settings, output=settings.output.with_name("several.gif"), jobs=2)
    for one in (settings, several):
        made(one, seconds=0.2)
    assert settings.output.read_bytes() == several.output.read_bytes()


class BrokenPool(contextlib.nullcontext[None]):
    """Processes of which one dies after the first picture."""

    def __init__(self, *arguments: object) -> None:
        self._done = 0

    def __enter__(self) -> BrokenPool:  # type: ignore[override]
        return self

    def submit(self, paint: object, shot: Shot) -> Future[Picture]:
        future: Future[Picture] = Future()
        self._done += 1
        if self._done == 1:
            future.set_result(np.zeros((90, 160, 3), np.uint8))
        else:
            future.set_exception(BrokenProcessPool())
        return future


def test_a_signal_to_all_processes_ends_the_video_and_a_lost_one_is_blamed_otherwise(settings, monkeypatch):
    monkeypatch.setattr(simspark_watching.video.film, "ProcessPoolExecutor", BrokenPool)
    stop, settings = threading.Event(), replace(settings, jobs=2)
    with pytest.raises(VideoError, match="memory was short"):
        made(settings, stop)
    assert made(settings, stop, lambda *done: stop.set()) == 1


def test_a_goal_is_announced_and_shown_again_in_slow_motion(settings):
    taken = shots(settings, seconds=6.0, goal=4.2)
    again = [shot for shot in taken if shot.banner == "REPLAY"]
    # 4 s before and 1.5 s after the goal at half speed, 10 pictures a second.
    assert len(again) == pytest.approx(110, abs=3)
    assert [shot for shot in taken if shot.banner.startswith("GOAL  Lions")] and len(taken) - len(again) == 61
    assert len(shots(replace(settings, replays=False), seconds=6.0, goal=4.2)) == 61


def test_pictures_lie_between_the_frames_of_a_log(settings):
    taken = shots(replace(settings, rate=40.0), seconds=0.2)
    ball = [shot.poses.positions[shot.bodies.ball_row][0] for shot in taken]
    assert np.diff(ball) == pytest.approx(0.025, abs=1e-3)


def test_the_camera_follows_the_ball_or_what_was_asked_for(settings):
    last = shots(settings)[-1]
    # The ball rolls from 3 to 6 m.
    assert 4.0 < last.target[0] < 6.5
    player = shots(replace(settings, follow="left 7"), seconds=0.2)[-1]
    assert player.target[0] == pytest.approx(0.0, abs=0.01)
    assert np.linalg.norm(shots(replace(settings, follow="free"), seconds=0.2)[-1].eye) > LENGTH


def test_players_wear_their_colours_and_carry_their_numbers(settings):
    settings = replace(settings, width=640, height=360, follow="left 7", distance=2.0)
    shot = shots(settings, seconds=0.0)[0]
    with closing(Painter(settings)) as painter, closing(Painter(replace(settings, labels=False))) as bare:
        picture, without = painter.paint(shot), bare.paint(shot)
    middle = without[90:330].astype(int)
    blue = (middle[:, :, 2] > 1.5 * middle[:, :, 0]) & (middle[:, :, 2] > 1.5 * middle[:, :, 1])
    assert blue.sum() > 300 and (picture != without).any()


def test_a_film_that_a_signal_ends_says_so_and_one_that_ends_by_itself_does_not(tmp_path, monkeypatch, capsys):
    log = tmp_path / "match.log"
    logged(log, "msl", "msl")
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    words = ["video", str(log), "-o", str(tmp_path / "match.gif"), "--world", "empty", "--size", "64x36", "--jobs", "1"]

    class Terminated(Painter):
        """The process gets a SIGTERM while it draws the first picture."""

        def paint(self, shot: Shot) -> Picture:
            os.kill(os.getpid(), signal.SIGTERM)
            return super().paint(shot)

    try:
        # Without a handler of the command's own the signal would end the tests.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        for painter, end in ((Painter, " s\n"), (Terminated, " s, ended early\n")):
            monkeypatch.setattr(simspark_watching.video.film, "Painter", painter)
            assert cli.main(words) == 0
            assert capsys.readouterr().out.endswith(end)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    with Image.open(tmp_path / "match.gif") as image:
        assert getattr(image, "n_frames", 1) == 1


def test_what_cannot_be_made_is_refused_with_a_reason(tmp_path, settings):
    for changes, reason in (
        ({"output": tmp_path / "match.avi"}, r"\.mp4 or \.gif"),
        ({"width": 161}, "even"),
        ({"start": 5.0, "end": 4.0}, "cannot begin at 5 s and end at 4 s"),
    ):
        with pytest.raises(ConfigurationError, match=reason):
            replace(settings, **changes)
    nowhere = {"output": tmp_path / "none" / "match.gif"}
    for changes, reason in (({"start": 90.0}, "nothing to show from 90 s on"), (nowhere, "there is no folder")):
        with pytest.raises(VideoError, match=reason):
            made(replace(settings, **changes))
    with pytest.raises(VideoError, match=r"after 0\.0 s cannot be shown"):
        film([(0.0, b"nonsense", NOBODY)], settings, lambda *done: None, threading.Event())


def test_a_film_of_a_world_without_soccer_has_neither_ball_nor_score(tmp_path: Path, settings) -> None:
    seen = [shot for plays in (True, False) for shot in list(Filming(settings, LENGTH, plays).shots(match()))[:1]]
    assert [(shot.board is None, shot.objects.ball is None) for shot in seen] == [(False, False), (True, True)]
    assert film(match(), replace(settings, world="obstacles"), lambda *done: None, threading.Event()) > 1


SOLID = "<geometry><sphere radius='0.2'/></geometry>"


def test_a_film_shows_robots_of_users_files(tmp_path: Path) -> None:
    base = makers.link("base", f"<visual>{SOLID}</visual><collision>{SOLID}</collision>")
    path = makers.write(tmp_path, makers.robot(base))
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
    assert described[1] is not None and described[1].model.base.visuals[0].size == (0.2,)
