"""Films a log: several processes draw, this one reads the log and writes the file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import takewhile

from simspark_ros.configuration.c_library import limit_blas_threads
from simspark_ros.rendering.renderer import Picture
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_watching.video.painter import Painter
from simspark_watching.video.settings import VideoError, VideoSettings
from simspark_watching.video.shots import Filming, Shot, TimedFrame
from simspark_watching.video.writers import write_video

_WAITING = 4
"""Shots for each process that are on the way."""


Progress = Callable[[float, int], object]
"""Function that takes the recorded time that is drawn, s, and the number of pictures."""


def film(frames: Iterable[TimedFrame], settings: VideoSettings, progress: Progress, stop: threading.Event) -> int:
    """Render a log into the file of the settings, until the event is set; returns how many pictures it has.

    Raises:
        UserError: the log cannot be read, or the file cannot be written.
    """
    world = load_soccer_settings(settings.world or None)
    shots = Filming(settings, world.field.length, world.plays_soccer).shots(frames)

    def shown() -> Iterator[Picture]:
        for number, (time, picture) in enumerate(_pictures(shots, settings, stop), 1):
            yield picture
            progress(time, number)

    return write_video(shown(), settings)


def _pictures(shots: Iterator[Shot], settings: VideoSettings, stop: threading.Event) -> Iterator[tuple[float, Picture]]:
    """Yield the pictures of shots in their order, each with its recorded time."""
    jobs = settings.jobs or os.cpu_count() or 1
    shots = takewhile(lambda shot: not stop.is_set(), shots)
    if jobs == 1:
        with closing(Painter(settings)) as painter:
            yield from ((shot.time, painter.paint(shot)) for shot in shots)
        return
    # A process that is forked would share the locks of this one's threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (settings,)) as pool:
        waiting: deque[tuple[float, Future[Picture]]] = deque()
        try:
            for shot in shots:
                waiting.append((shot.time, pool.submit(_paint, shot)))
                if len(waiting) > _WAITING * jobs:
                    time, future = waiting.popleft()
                    yield time, future.result()
            for time, future in waiting:
                yield time, future.result()
        except BrokenProcessPool:
            # A signal to all processes ends those that draw, too.
            if not stop.is_set():
                raise VideoError(
                    "a process that draws was killed, perhaps because memory was short; try --jobs 1"
                ) from None


class _Work:
    """The state of a process that draws."""

    painter: Painter


def _begin(settings: VideoSettings) -> None:
    # Ctrl-C reaches all processes of a terminal: this one ends with the pool.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_blas_threads(1)
    _Work.painter = Painter(settings)


def _paint(shot: Shot) -> Picture:
    return _Work.painter.paint(shot)
