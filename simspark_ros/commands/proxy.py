"""`simspark proxy`: serves agents near it, each with its full time, for a distant simulator."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from simspark_ros.commands.arguments import add_options, address, chosen, seconds
from simspark_ros.server.settings import ServeSettings

if TYPE_CHECKING:
    from simspark_ros.commands.arguments import Commands


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "proxy", help="serves agents near it, each with its full time, for a distant simulator"
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--server", type=address, required=True, metavar="HOST:PORT", help="proxy port of `simspark serve`"
    )
    add_options(parser, ServeSettings, ["agent_port", "bind"])
    parser.add_argument("--profile", default="measured", help="protocol profile, a name or a YAML file [measured]")
    parser.add_argument("--name", help="of this proxy in logs and diagnostics [the machine's]")
    parser.add_argument(
        "--cycle", type=seconds, default=0.02, metavar="S", help="time that agents have to answer [0.02]"
    )
    parser.add_argument("--early", action="store_true", help="send as soon as all agents have answered with (syn)")


def run(options: argparse.Namespace) -> int:
    """Serve agents until SIGINT, SIGTERM or the end of the simulator; returns the exit status."""
    from simspark_ros.server.agent_server import AgentServerSettings
    from simspark_ros.server.remote.proxy import ProxySettings, run_proxy

    ports = ServeSettings(**chosen(options, ServeSettings))
    agents = AgentServerSettings(host=ports.bind, port=ports.agent_port)
    settings = ProxySettings(options.server, agents, profile=options.profile, cycle=options.cycle, early=options.early)
    return run_proxy(replace(settings, name=options.name) if options.name else settings)
