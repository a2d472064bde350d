"""The contents of a video's pictures, from the frames of a log."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.protocol.monitor.inspection import Roster
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.reader import FrameError, MonitorReader
from simspark_ros.server.viewer_settings import FREE
from simspark_watching.broadcast.board import Board, board_of
from simspark_watching.broadcast.bodies import BodyFrames, BodyPoses, between, body_frames, target_rows
from simspark_watching.broadcast.director import REPLAY, Director, SlowMotion
from simspark_watching.broadcast.scene_recognition import Crowd, SceneObjects, SceneRecognizer
from simspark_watching.broadcast.tv_camera import AWAY, TvCamera, whole_view
from simspark_watching.video.settings import VideoError, VideoSettings

TimedFrame = tuple[float, bytes, Roster]
"""Recorded time since the frame before, s, a frame for monitors, empty if nothing has changed for them, and its robots;
an empty roster shows what can be recognised."""

_ROUNDING = 1e-6
"""Allowed error of sums of times, s."""


@dataclass(frozen=True)
class Shot:
    """The contents of one picture.

    Attributes:
        time: recorded time, s.
        eye, target: places of the camera and of the point that it looks at, (3,), m.
        board: the scoreboard; None in a world without soccer.
        banner: large text; empty = none.
    """

    time: float
    objects: SceneObjects
    bodies: BodyFrames
    poses: BodyPoses
    eye: Array
    target: Array
    board: Board | None
    banner: str = ""


@dataclass(frozen=True)
class _Moment:
    """The contents of a frame of the log, at a recorded time, s."""

    time: float
    objects: SceneObjects
    bodies: BodyFrames
    poses: BodyPoses
    board: Board | None


class Filming:
    """Makes the shots of one video; a camera that follows nothing shows `length` of the field, m.

    `plays`: whether the world has soccer; without it, a picture has neither ball nor board.
    """

    def __init__(self, settings: VideoSettings, length: float, plays: bool = True) -> None:
        self._settings, self._length, self._plays = settings, length, plays
        self._finder, self._reader = SceneRecognizer(load_look()), MonitorReader()
        self._seen: tuple[object, object] = None, None
        self._objects, self._bodies = SceneObjects(), body_frames(SceneObjects())
        self._camera = TvCamera()
        self._director = Director()

    def shots(self, frames: Iterable[TimedFrame]) -> Iterator[Shot]:
        """Yield the shots of a log, with replays of goals where they belong.

        Raises:
            VideoError: a frame cannot be read.
        """
        settings = self._settings
        step, number, last = settings.speed / settings.rate, 0, None
        for moment in self._moments(frames):
            until = min(moment.time, settings.end or math.inf) + _ROUNDING
            while (due := settings.start + number * step) <= until:
                yield self._shot(_between(last or moment, moment, due), 1.0 / settings.rate)
                number += 1
            if settings.end and moment.time >= settings.end:
                return
            last = moment
            replay = self._director.take_replay(moment.time) if settings.replays else None
            if replay is not None and number:
                yield from self._again(moment, replay)

    def _moments(self, frames: Iterable[TimedFrame]) -> Iterator[_Moment]:
        time = 0.0
        for pause, frame, roster in frames:
            time += pause
            if not frame:
                continue
            try:
                self._reader.show(frame)
            except FrameError as error:
                raise VideoError(f"the frame after {time:.1f} s cannot be shown: {error}") from None
            if self._seen[0] is not self._reader.nodes or self._seen[1] is not roster:
                self._seen = self._reader.nodes, roster
                crowd = Crowd.of(roster) if roster.robots else None
                self._objects = self._finder.find(self._reader.nodes, crowd, self._plays)
                self._bodies = body_frames(self._objects)
            poses = BodyPoses(*self._bodies.poses(self._reader.world()))
            self._director.see(time, self._reader, self._objects, self._bodies, poses)
            board = board_of(self._reader, self._director.goals) if self._plays else None
            yield _Moment(time, self._objects, self._bodies, poses, board)

    def _again(self, moment: _Moment, replay: SlowMotion) -> Iterator[Shot]:
        rate = self._settings.rate
        live, self._camera = self._camera, TvCamera()
        for number in range(math.ceil(replay.duration * rate)):
            shown = replace(moment, poses=replay.at(number / rate))
            yield replace(self._shot(shown, 1.0 / rate), banner=REPLAY)
        self._camera = live

    def _shot(self, moment: _Moment, seconds: float) -> Shot:
        eye, target = self._view(moment, seconds)
        banner = self._director.banner(moment.time)
        return Shot(moment.time, moment.objects, moment.bodies, moment.poses, eye, target, moment.board, banner)

    def _view(self, moment: _Moment, seconds: float) -> tuple[Array, Array]:
        if self._settings.follow == FREE:
            return whole_view(self._length)
        row = target_rows(moment.objects, moment.bodies).get(self._settings.follow)
        followed = np.zeros(3) if row is None else moment.poses.positions[row]
        target = self._camera.follow(followed, seconds)
        return target + self._settings.distance * AWAY, target


def _between(earlier: _Moment, later: _Moment, time: float) -> _Moment:
    """The contents between two frames."""
    if earlier.objects != later.objects or later.time <= earlier.time:
        return replace(later, time=time)
    share = min((time - earlier.time) / (later.time - earlier.time), 1.0)
    return replace(earlier, time=time, poses=between(earlier.poses, later.poses, share))
