"""`simspark replay`: plays a monitor log to monitors, and the topics of an MCAP file to monitors and ROS 2."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from simspark_recording.settings import SUFFIX, ReplaySettings, require_mcap
from simspark_ros.commands.arguments import add_options, chosen
from simspark_ros.commands.parser import CommandParser


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="written by `simspark serve --log` or `simspark record`"
    )
    add_options(parser, ReplaySettings)


def run(options: argparse.Namespace) -> int:
    """Play until the end, SIGINT or SIGTERM; returns the exit status.

    Raises:
        UserError: an argument or the file is wrong, or something is missing.
    """
    settings = ReplaySettings(options.file, **chosen(options, ReplaySettings))
    if settings.path.suffix != SUFFIX:
        return _play_log(settings)
    require_mcap()
    from simspark_recording.topics.playback import replay

    return replay(settings, options.ros_arguments)


def _play_log(settings: ReplaySettings) -> int:
    from simspark_recording.logs.sources import log_source
    from simspark_recording.playing.player import Replay
    from simspark_ros.server.signals import Signals
    from simspark_ros.terminal import log_lines

    log_lines()
    signals = Signals()
    with closing(Replay(settings, log_source(settings))) as player:
        signals.on_signal(player.stop)
        host, port = settings.bind, player.server.port
        print(
            f"the replay of {settings.path} begins when a monitor connects to {host}:{port}, e.g. RoboViz "
            f"--serverPort={port}"
        )
        print("  Ctrl-C ends it.", flush=True)
        player.run()
    return 0
