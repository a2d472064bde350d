"""`simspark replay`: plays a monitor log to monitors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_ros.commands.arguments import port, positive

if TYPE_CHECKING:
    from simspark_ros.commands.arguments import Commands


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("replay", help="play a monitor log to monitors")
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE", help="written by `simspark serve --log`")
    parser.add_argument("--monitor-port", type=port, default=3200, help="TCP port of monitors, 0 = any free one [3200]")
    parser.add_argument("--bind", default="127.0.0.1", metavar="HOST", help="address to listen on [127.0.0.1]")
    parser.add_argument("--speed", type=positive, default=1.0, metavar="X", help="times as fast as recorded [1]")
    parser.add_argument("--loop", action="store_true", help="begin again at the end")
    parser.add_argument(
        "--interval", type=positive, default=0.2, metavar="S", help="between frames while game time stands still [0.2]"
    )


def run(options: argparse.Namespace) -> int:
    """Play until the end, SIGINT or SIGTERM; returns the exit status."""
    from simspark_ros.server.replay import ReplayOptions, replay

    return replay(
        ReplayOptions(
            path=options.file,
            monitor_port=options.monitor_port,
            bind=options.bind,
            speed=options.speed,
            loop=options.loop,
            interval=options.interval,
        )
    )
