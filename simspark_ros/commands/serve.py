"""`simspark serve`: simulates a world and serves agents, monitors and ROS 2."""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_ros.commands.arguments import port, positive, seconds, seconds_or_never, whole
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.server.settings import ServeSettings

if TYPE_CHECKING:
    from simspark_ros.commands.arguments import Commands
    from simspark_ros.server.composition import BuildWithRos
    from simspark_ros.simulation.settings import SimulationSettings


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("serve", help="simulate a world, with agent port, monitor port and ROS 2 topics")
    parser.set_defaults(run=run)
    ports = parser.add_argument_group("ports")
    ports.add_argument("--agent-port", type=port, default=3100, help="TCP port of agents, 0 = any free one [3100]")
    ports.add_argument("--monitor-port", type=port, default=3200, help="TCP port of monitors, 0 = any free one [3200]")
    ports.add_argument("--proxy-port", type=port, help="TCP port of agent proxies, for lock-step [none]")
    ports.add_argument(
        "--proxy-limit", type=seconds, default=0.25, metavar="S", help="longest wait for a proxy in a cycle [0.25]"
    )
    ports.add_argument(
        "--silent-timeout",
        type=seconds_or_never,
        default=10.0,
        metavar="S",
        help="lock-step drops an agent that is silent for so long, 0 = never, e.g. to debug one [10]",
    )
    ports.add_argument("--bind", default="127.0.0.1", metavar="HOST", help="address to listen on [127.0.0.1]")
    ports.add_argument("--profile", help="protocol profile, a name or a YAML file [measured]")
    ports.add_argument(
        "--trainer",
        default="full",
        metavar="LIST",
        help="trainer commands on the monitor port: full (all but killsim), none, or e.g. playMode,kickOff [full]",
    )
    world = parser.add_argument_group("world (defaults come from config/simspark.yaml)")
    world.add_argument("--config", type=Path, metavar="FILE", help="another settings file")
    world.add_argument("--pacing", choices=["lockstep", "realtime", "fast"], help="how time runs")
    world.add_argument(
        "--engine",
        help="physics engine: bullet (default); ode, for a league of legacy teams: their kicks need its hinge drift; "
        "mujoco, the fast one",
    )
    world.add_argument("--preset", help="preset of the engine")
    world.add_argument("--world", metavar="NAME", help="field, teams and ball: spl, msl, ..., or a YAML file [soccer]")
    world.add_argument("--rules", metavar="BOOK", help="rule book, a name or a YAML file [rcssserver3d]")
    world.add_argument(
        "--set",
        dest="changes",
        action="append",
        metavar="KEY=VALUE",
        help="a single key of world file or rule book, e.g. rules.game.half_time=60",
    )
    world.add_argument("--no-referee", dest="referee", action="store_false", default=None, help="apply no rules")
    world.add_argument("--seed", type=int, help="of all randomness")
    world.add_argument("--threads", type=int, choices=[1, 2], help="2 sends perception beside physics")
    world.add_argument(
        "--late-cycles", choices=["cycles", "quanta", "slip"], help="what happens when real time is missed"
    )
    world.add_argument(
        "--wait-for-robots", type=int, metavar="N", help="time starts when N agents have a robot, or at SIGUSR1"
    )
    world.add_argument("--left-team", default="", metavar="NAME", help="only this team may play left [who comes first]")
    world.add_argument("--right-team", default="", metavar="NAME", help="only this team may play right")
    world.add_argument(
        "--robot",
        action="append",
        default=[],
        metavar="MODEL[/TYPE]",
        help="put a robot on the field, e.g. nao or nao/4",
    )
    world.add_argument(
        "--demo",
        type=_team_size,
        default=0,
        metavar="N",
        help="two demonstration teams of N players, Lions and Dragons",
    )
    world.add_argument("--play-mode", default="BeforeKickOff", help="play mode at the start [BeforeKickOff]")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--viewer",
        type=port,
        nargs="?",
        const=8080,
        metavar="PORT",
        help="show the match in browsers, by a process of its own; on the next port that is free [8080]",
    )
    output.add_argument("--headless", action="store_true", help="no camera process")
    output.add_argument("--no-ros", action="store_true", help="no ROS 2 topics; agent and monitor ports only")
    output.add_argument("--hash-log", type=Path, metavar="FILE", help="write a fingerprint of every cycle")
    output.add_argument("--log", type=Path, metavar="FILE", help="write a monitor log, compressed if it ends in .gz")
    output.add_argument("--log-interval", type=positive, default=0.2, metavar="S", help="between its frames [0.2]")
    output.add_argument("--events", type=Path, metavar="FILE", help="write what happens in the match, as JSON lines")
    output.add_argument("--json", action="store_true", help="print ports and status as JSON lines, for programs")
    output.add_argument(
        "--end-with-game", type=positive, metavar="S", help="end when the game has been over for so many seconds"
    )
    output.add_argument("--duration", type=positive, metavar="S", help="end after so many simulated seconds")


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT, SIGTERM or the end of the duration; returns the exit status."""
    from simspark_ros.server.composition import serve

    # A log line first clears the live status line below it.
    clear = "\r\x1b[K" if sys.stdout.isatty() else ""
    logging.basicConfig(format=f"{clear}%(levelname)s: %(message)s", level=logging.INFO, stream=sys.stderr)
    names = [field.name for field in fields(ServeSettings) if field.name in options]
    chosen = {name: getattr(options, name) for name in names}
    settings = ServeSettings(
        **{**chosen, "robots": tuple(options.robot), "ros_arguments": tuple(options.ros_arguments)}
    )
    return serve(_simulation_settings(options), settings, None if options.no_ros else _ros())


def _ros() -> BuildWithRos | None:
    if not find_spec("rclpy"):
        logging.getLogger("simspark").warning(
            "no ROS 2 topics: rclpy is not installed; pip install 'simspark_ros[ros]', or use --no-ros"
        )
        return None
    from simspark_ros.ros.composition import build_with_ros

    return build_with_ros


def _simulation_settings(options: argparse.Namespace) -> SimulationSettings:
    from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings

    names = [field.name for field in fields(SimulationSettings) if hasattr(options, field.name)]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    try:
        settings = load_simulation_settings(options.config)
        return replace(settings, **{**given, "changes": (*settings.changes, *(options.changes or ()))})
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def _team_size(text: str) -> int:
    return whole(text, 1, 11)
