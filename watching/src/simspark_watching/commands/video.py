"""`simspark video`: renders a monitor log, or an MCAP file, as MP4 or GIF."""

from __future__ import annotations

import argparse
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from simspark_recording.files import recording_source, recording_world
from simspark_recording.settings import ReplaySettings
from simspark_ros.commands.arguments import add_options, chosen, picture_size
from simspark_ros.commands.parser import CommandParser
from simspark_ros.terminal import ShareLine
from simspark_watching.video.settings import GIF, VideoSettings, require_encoder

_SMALL = {"width": 640, "height": 360, "rate": 12.5}
"""Size and rate of a GIF, unless options say otherwise: all its pictures are stored whole."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE", help="monitor log or MCAP file")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="VIDEO", help="file to write: NAME.mp4 or NAME.gif"
    )
    parser.add_argument(
        "--size",
        type=picture_size,
        metavar="WxH",
        help="width and height in pixels, even numbers [1280x720; 640x360 for a GIF]",
    )
    add_options(parser, VideoSettings)


def run(options: argparse.Namespace) -> int:
    """Render the log; SIGINT or SIGTERM ends the video there. Returns the exit status.

    Raises:
        UserError: an argument or the log is wrong, or something is missing.
    """
    from simspark_recording.playing.monitor_state import MonitorState
    from simspark_ros.rendering.drawing.opengl import chooses_opengl
    from simspark_ros.server.signals import Signals
    from simspark_watching.video.film import film

    settings = _settings(options)
    require_encoder(settings)
    stop, begin = threading.Event(), time.monotonic()
    Signals().on_signal(stop.set)
    line = ShareLine()
    line.report(chooses_opengl(settings.renderer)[1])
    with nullcontext(settings.world) if settings.world else recording_world(options.file, line.report) as world:
        source = recording_source(ReplaySettings(options.file, world=settings.world), line.report)
        progress = _Progress(line, settings, source.duration())
        frames = ((step.pause, step.frame, step.roster) for step in source(MonitorState()))
        count = film(frames, replace(settings, world=world), progress.show, stop)
    line.finish()
    size, wall = settings.output.stat().st_size / 1e6, time.monotonic() - begin
    early = ", ended early" if stop.is_set() else ""
    seconds = count / settings.rate
    print(f"{settings.output}: {seconds:.1f} s, {count} pictures, {size:.1f} MB, drawn in {wall:.0f} s{early}")
    return 0


def _settings(options: argparse.Namespace) -> VideoSettings:
    small = _SMALL if options.output.suffix.lower() == GIF else {}
    size = dict(zip(("width", "height"), options.size, strict=True)) if options.size else {}
    return VideoSettings(**{**small, **size, **chosen(options, VideoSettings)})


class _Progress:
    """Shows the share done, and the time left."""

    def __init__(self, line: ShareLine, settings: VideoSettings, duration: float) -> None:
        self._line, self._start = line, settings.start
        self._whole = max(min(settings.end or duration, duration) - settings.start, 1e-9)
        self._begin = time.monotonic()

    def show(self, recorded: float, pictures: int) -> None:
        """Take the recorded time that is drawn, s."""
        wall = max(time.monotonic() - self._begin, 1e-9)
        share = (recorded - self._start) / self._whole
        self._line.show(share, f"  pictures: {pictures}, {pictures / wall:.1f} a second")
