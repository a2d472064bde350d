"""`simspark view`: shows a match in browsers. `simspark serve --viewer` and the executable `viewer` start it, too."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_recording.files import recording_source, recording_world
from simspark_recording.settings import ReplaySettings
from simspark_ros.commands.arguments import add_options, chosen, picture_size
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.ports import LOOPBACK
from simspark_ros.server.viewer_settings import TOKEN_VARIABLE, ViewerError, ViewerSettings, require_page
from simspark_ros.terminal import log_lines

if TYPE_CHECKING:
    from simspark_watching.viewer.viewer import Viewer


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="monitor log or MCAP file to show instead of a server"
    )
    add_options(parser, ViewerSettings)
    parser.add_argument("--speed", type=_positive, default=1.0, metavar="X", help="speed of a log, 1 = as recorded [1]")
    parser.add_argument(
        "--screenshot", type=Path, metavar="PNG", help="save a picture of the page and end; needs Chromium"
    )
    parser.add_argument(
        "--after",
        type=_positive,
        default=3.0,
        metavar="S",
        help="take the picture this long after the page shows, s [3]",
    )
    parser.add_argument(
        "--size", type=picture_size, default=(1280, 720), metavar="WxH", help="size of the picture, pixels [1280x720]"
    )


def run(options: argparse.Namespace) -> int:
    """Show a server or a log until SIGINT or SIGTERM; returns the exit status.

    Raises:
        UserError: an argument is wrong or something is missing.
    """
    require_page()
    from simspark_ros.configuration.c_library import give_back_large_blocks
    from simspark_ros.server.signals import Signals
    from simspark_watching.viewer.viewer import Viewer

    settings = ViewerSettings(**chosen(options, ViewerSettings), token=os.environ.get(TOKEN_VARIABLE, ""))
    log_lines(level=logging.WARNING)
    give_back_large_blocks()
    with ExitStack() as stack:
        stop, signals = threading.Event(), Signals()
        signals.on_signal(stop.set)
        if options.file:
            world = settings.world or stack.enter_context(recording_world(options.file, _say))
            port = _play(options, stack)
            settings = replace(settings, host=LOOPBACK, monitor_port=port, world=world, played=True)
        viewer = Viewer(settings, _say)
        stack.callback(viewer.close)
        # Objects that live as long as the process need not be searched each time that a browser has left.
        gc.freeze()
        if settings.port not in (0, viewer.port):
            _say(f"port {settings.port} is taken; the page is at {viewer.url}")
        print(f"  viewer    {viewer.url}   open in a browser", flush=True)
        if options.screenshot:
            _picture(options, viewer, stop, stack)
        viewer.run(stop)
    return 0


def _play(options: argparse.Namespace, stack: ExitStack) -> int:
    """Play the log or recording repeatedly, beside the viewer; returns the port of the replay."""
    from simspark_recording.playing.player import Replay

    settings = ReplaySettings(options.file, monitor_port=0, speed=options.speed, loop=True, world=options.world or "")
    replay = Replay(settings, recording_source(settings, _say))

    def play() -> None:
        try:
            replay.run()
        except UserError as error:
            _say(str(error))

    thread = threading.Thread(target=play, name="replay", daemon=True)
    thread.start()
    stack.callback(replay.close)
    stack.callback(thread.join)
    stack.callback(replay.stop)
    return replay.server.port


def _picture(options: argparse.Namespace, viewer: Viewer, stop: threading.Event, stack: ExitStack) -> None:
    """Take the picture beside the viewer, then end the viewer."""
    from concurrent.futures import ThreadPoolExecutor

    from simspark_watching.viewer.screenshot import take_screenshot

    width, height = options.size
    _say(f"taking a picture for {options.screenshot}; this may take a minute")

    def require_server() -> None:
        if not viewer.is_connected:
            raise ViewerError("the server is gone")

    def hold() -> None:
        require_server()
        # A log may be paused for a picture, a match may not.
        if options.file:
            viewer.command("(pause)")

    def take() -> None:
        try:
            picture = take_screenshot(viewer.url, width, height, options.after, stop, hold, require_server)
            options.screenshot.write_bytes(picture)
        finally:
            stop.set()

    def finish() -> None:
        try:
            taken.result()
        except (ViewerError, OSError) as error:
            raise ViewerError(f"there is no screenshot: {error}") from None
        _say(f"wrote {options.screenshot}, {width}x{height} pixels")

    taken = stack.enter_context(ThreadPoolExecutor(1)).submit(take)
    stack.callback(finish)


def _say(text: str) -> None:
    print(f"viewer: {text}", file=sys.stderr, flush=True)


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= 1000.0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0 and up to 1000")
    return number
