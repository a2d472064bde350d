"""`simspark serve`: simulates a world and serves agents, monitors and ROS 2."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from simspark_ros.commands.arguments import add_options, add_viewer_option, chosen
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.limits import ClientLimits, LimitSettings
from simspark_ros.configuration.schema import ConfigurationError, declarations
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_ros.server.lola.settings import LolaOptions
from simspark_ros.server.settings import ServeSettings
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings
from simspark_ros.terminal import CLEAR, log_lines

if TYPE_CHECKING:
    from simspark_ros.server.composition import RosBuilder
    from simspark_ros.simulation.logs.command_log import Continuation


TEAMS = ("left_team", "right_team", "robots", "demo", "play_mode", "phase", "time")
FREE = ("pacing", "speed", "late_cycles", "catch_up_limit", "threads", "blas_threads")
"""Settings that may change when a run goes on: they decide the time of cycles, not their results."""

CLIENTS = tuple(declaration.name for declaration in declarations(ClientLimits))
DRIVERS = tuple(declaration.name for declaration in declarations(LolaOptions))
CONTROLLER = tuple(declaration.name for declaration in declarations(GameControllerOptions))
LIMITS = tuple(declaration.name for declaration in declarations(LimitSettings))
PROXIES = ("proxy_port", "proxy_limit", "max_proxies", "max_proxy_message")
PORTS = (
    "league",
    "league_models",
    "agent_port",
    "classic_port",
    "monitor_port",
    "rsmp_port",
    "draw_port",
    *PROXIES,
    "silent_timeout",
    "bind",
    "trainer",
    "ros_network",
)


COMMON = (
    "league",
    "agent_port",
    "monitor_port",
    "bind",
    "engine",
    "world",
    "profile",
    "changes",
    "seed",
    "pacing",
    "robots",
    "demo",
    "viewer",
    "log",
    "no_ros",
)
"""Options that `--help` shows."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.common = COMMON
    add_options(parser.add_argument_group("ports"), ServeSettings, PORTS)
    add_options(parser.add_argument_group("drivers of the real Nao (docs/how_to/lola.md)"), LolaOptions)
    add_options(parser.add_argument_group("GameController (docs/how_to/game_controller.md)"), GameControllerOptions)
    world = parser.add_argument_group("simulation (defaults come from config/simspark.yaml)")
    add_options(world, ServeSettings, ["config"])
    add_options(world, SimulationSettings, without=LIMITS)
    add_options(parser.add_argument_group("limits on clients"), ClientLimits)
    add_options(parser.add_argument_group("limits on robots from files"), LimitSettings)
    add_options(parser.add_argument_group("teams"), ServeSettings, TEAMS)
    output = parser.add_argument_group("output")
    add_viewer_option(output)
    add_options(output, ServeSettings, without=("config", *CLIENTS, *CONTROLLER, *DRIVERS, *PORTS, *TEAMS, "viewer"))
    output.add_argument("--no-ros", action="store_true", help="no ROS 2 topics; agent and monitor ports only")


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT, SIGTERM or the end of the duration; returns the exit status."""
    # Hardly anything that is made until time begins is garbage: searches for it would take a sixth of the start.
    gc.disable()
    try:
        return _serve(options)
    finally:
        gc.enable()


def _serve(options: argparse.Namespace) -> int:
    from simspark_ros.physics.presets import check_preset
    from simspark_ros.server.league import for_league
    from simspark_ros.simulation.senses.profile_overrides import check_changes

    # A log line first clears the live status line below it.
    log_lines(CLEAR if sys.stdout.isatty() else "")
    given = chosen(options, SimulationSettings)
    wanted = chosen(options, ServeSettings)
    serving = ServeSettings(**wanted)
    recorded = _recorded(serving, given)
    if recorded:
        settings = recorded.start.simulation
    else:
        settings = load_simulation_settings(options.config)
        given["changes"] = (*settings.changes, *given.get("changes", ()), *serving.changes_of_rules)
    settings = replace(settings, **given)
    settings, serving = for_league(settings, serving, wanted)
    check_preset(settings.engine, settings.preset)
    if settings.changes:
        # Misspelt words are reported before engine and ROS are loaded, which takes seconds.
        check_changes(settings)
    if serving.demo and not recorded:
        _check_demo(serving.demo, settings)
    from simspark_ros.server.composition import serve

    # A repetition ends when it has been compared: nobody is there for topics and pictures.
    without_ros = options.no_ros or serving.verify is not None
    return serve(settings, serving, None if without_ros else _ros(options), recorded)


def _check_demo(players: int, settings: SimulationSettings) -> None:
    """Raise a `ConfigurationError` for larger demonstration teams than the world has: it would refuse players."""
    from simspark_ros.simulation.senses.profile_overrides import soccer_asked_for

    size, world = soccer_asked_for(settings).teams.size, settings.world or "soccer"
    if players > size:
        raise ConfigurationError(
            f"--demo {players}: a team has {size} players in the world '{world}'; give {size} or fewer"
        )


def _recorded(serving: ServeSettings, given: dict[str, Any]) -> Continuation | None:
    """The run that is to be repeated, if there is one.

    Raises:
        ConfigurationError: the file cannot be used, or an option asks for another run.
    """
    path = serving.continued or serving.verify
    if path is None:
        return None
    if serving.continued and serving.verify:
        raise ConfigurationError("--continue and --verify: give one of them")
    if serving.record and serving.record.exists() and serving.record.samefile(path):
        raise ConfigurationError(f"--record {path}: the run repeats this file; choose another one")
    again = [name for name in given if name not in FREE]
    fixed = ("config", "robots", "left_team", "right_team", "play_mode", "phase", "time")
    again += [name for name in fixed if getattr(serving, name) != getattr(ServeSettings, name)]
    if again:
        raise ConfigurationError(f"the value of '{again[0]}' comes from the recording {path}; leave the option out")
    from simspark_ros.simulation.logs.command_log import Continuation

    return Continuation(path)


def _ros(options: argparse.Namespace) -> RosBuilder | None:
    if not find_spec("rclpy"):
        logging.getLogger("simspark").info(
            "no ROS 2 topics: rclpy is not installed; pip install 'simspark_ros[ros]', or use --no-ros"
        )
        return None
    from simspark_ros.ros.composition import build_with_ros
    from simspark_ros.ros.network import choose_network
    from simspark_ros.server.composition import RosBuilder

    if sys.stderr.isatty():
        # Lines of this log clear the status line, too.
        os.environ.setdefault("RCUTILS_CONSOLE_OUTPUT_FORMAT", f"{CLEAR}{{severity}}: {{message}}")
    confined = choose_network(options.ros_network or ServeSettings.ros_network)
    return RosBuilder(build_with_ros, tuple(options.ros_arguments), confined)
