"""The `simspark` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from simspark_ros import __version__
from simspark_ros.commands.arguments import port, positive, whole
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings

BAD_INPUT = 2
"""Exit status for a wrong argument, file or port."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status.

    Args:
        arguments: without the name of the program; None = those of the process.
    """
    own, ros = _split(list(sys.argv[1:] if arguments is None else arguments))
    options = _parser().parse_args(own)
    options.ros_arguments = ros
    try:
        status: int = options.run(options)
    except ConfigurationError as error:
        print(f"simspark: {error}", file=sys.stderr)
        return BAD_INPUT
    return status


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Tell this program's arguments from those of ROS, which stand between `--ros-args` and `--`."""
    if "--ros-args" not in arguments:
        return arguments, []
    start = arguments.index("--ros-args")
    end = arguments.index("--", start) + 1 if "--" in arguments[start:] else len(arguments)
    return arguments[:start] + arguments[end:], arguments[start:end]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="simspark", description="Robot soccer simulator for ROS 2 and for classic SimSpark agents."
    )
    parser.add_argument("--version", action="version", version=f"simspark_ros {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands)
    _add_proxy(commands)
    _add_team(commands)
    _add_wave(commands)
    _add_replay(commands)
    _add_view(commands)
    _add_stress(commands)
    _add_match(commands)
    _add_referee_check(commands)
    return parser


def _add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    serve = commands.add_parser("serve", help="simulate a world, with agent port, monitor port and ROS 2 topics")
    serve.set_defaults(run=_serve)
    ports = serve.add_argument_group("ports")
    ports.add_argument("--agent-port", type=port, default=3100, help="TCP port of agents, 0 = any free one [3100]")
    ports.add_argument("--monitor-port", type=port, default=3200, help="TCP port of monitors, 0 = any free one [3200]")
    ports.add_argument("--proxy-port", type=port, help="TCP port of agent proxies, for lock-step [none]")
    ports.add_argument(
        "--proxy-limit", type=_seconds, default=0.25, metavar="S", help="longest wait for a proxy in a cycle [0.25]"
    )
    ports.add_argument(
        "--silent-timeout",
        type=_patience,
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
    world = serve.add_argument_group("world (defaults come from config/simspark.yaml)")
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
    output = serve.add_argument_group("output")
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


def _add_proxy(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    proxy = commands.add_parser("proxy", help="serves agents near it, each with its full time, for a distant simulator")
    proxy.set_defaults(run=_proxy)
    proxy.add_argument(
        "--server", type=_address, required=True, metavar="HOST:PORT", help="proxy port of `simspark serve`"
    )
    proxy.add_argument("--agent-port", type=port, default=3100, help="TCP port of agents, 0 = any free one [3100]")
    proxy.add_argument("--bind", default="127.0.0.1", metavar="HOST", help="address to listen on [127.0.0.1]")
    proxy.add_argument("--profile", default="measured", help="protocol profile, a name or a YAML file [measured]")
    proxy.add_argument("--name", help="of this proxy in logs and diagnostics [the machine's]")
    proxy.add_argument(
        "--cycle", type=_seconds, default=0.02, metavar="S", help="time that agents have to answer [0.02]"
    )
    proxy.add_argument("--early", action="store_true", help="send as soon as all agents have answered with (syn)")


def _add_wave(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    wave = commands.add_parser("wave", help="an agent that joins a running server and waves its arms")
    wave.set_defaults(run=_wave)
    wave.add_argument("--host", default="127.0.0.1", help="of the server [127.0.0.1]")
    wave.add_argument("--port", type=port, default=3100, help="of agents [3100]")
    wave.add_argument("--team", default="Waving", help="team name")
    wave.add_argument("--unum", type=int, default=0, help="uniform number, 0 = any free one")
    wave.add_argument("--type", type=int, default=0, choices=range(5), help="heterogeneous type [0]")
    wave.add_argument("--cycles", type=int, help="end after so many messages")


def _add_team(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from simspark_ros.commands.team import add_options, team

    parser = commands.add_parser("team", help="the demonstration team: plays on any server of the classic protocol")
    parser.set_defaults(run=team)
    add_options(parser)


def _add_stress(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from simspark_ros.commands.stress import add_options, stress

    parser = commands.add_parser("stress", help="attack a server of the classic protocol and report what did harm")
    parser.set_defaults(run=stress)
    add_options(parser)


def _add_match(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from simspark_ros.commands import match as command
    from simspark_ros.commands import tournament as tournament_command

    parser = commands.add_parser("match", help="play a match between two teams, without a person")
    parser.set_defaults(run=command.match)
    command.add_options(parser)
    parser = commands.add_parser("tournament", help="play a round robin and write a table")
    parser.set_defaults(run=tournament_command.tournament)
    tournament_command.add_options(parser)


def _add_referee_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from simspark_ros.commands.referee_check import add_options, referee_check

    parser = commands.add_parser("referee-check", help="play referee cases written in YAML")
    parser.set_defaults(run=referee_check)
    add_options(parser)


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    replay = commands.add_parser("replay", help="play a monitor log to monitors")
    replay.set_defaults(run=_replay)
    replay.add_argument("file", type=Path, metavar="FILE", help="written by `simspark serve --log`")
    replay.add_argument("--monitor-port", type=port, default=3200, help="TCP port of monitors, 0 = any free one [3200]")
    replay.add_argument("--bind", default="127.0.0.1", metavar="HOST", help="address to listen on [127.0.0.1]")
    replay.add_argument("--speed", type=positive, default=1.0, metavar="X", help="times as fast as recorded [1]")
    replay.add_argument("--loop", action="store_true", help="begin again at the end")
    replay.add_argument(
        "--interval", type=positive, default=0.2, metavar="S", help="between frames while game time stands still [0.2]"
    )


def _add_view(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from simspark_ros.commands.view import add_options, run

    view = commands.add_parser("view", help="show a running server, or a monitor log, in web browsers")
    view.set_defaults(run=run)
    add_options(view)


def _serve(options: argparse.Namespace) -> int:
    from simspark_ros.commands.serve import ServeOptions, serve
    from simspark_ros.physics.engine import PhysicsError
    from simspark_ros.robots.description import RobotError
    from simspark_ros.server.ports import PortError

    chosen = ServeOptions(
        agent_port=options.agent_port,
        monitor_port=options.monitor_port,
        proxy_port=options.proxy_port,
        proxy_limit=options.proxy_limit,
        silent_timeout=options.silent_timeout,
        bind=options.bind,
        trainer=options.trainer,
        robots=tuple(options.robot),
        play_mode=options.play_mode,
        headless=options.headless,
        ros=not options.no_ros,
        ros_arguments=tuple(options.ros_arguments),
        duration=options.duration,
        hash_log=options.hash_log,
        log=options.log,
        log_interval=options.log_interval,
        events=options.events,
        left_team=options.left_team,
        right_team=options.right_team,
        end_with_game=options.end_with_game,
        json=options.json,
        viewer=options.viewer,
        demo=options.demo,
    )
    try:
        return serve(_settings(options), chosen)
    except (PortError, PhysicsError, RobotError) as error:
        raise ConfigurationError(str(error)) from None


def _settings(options: argparse.Namespace) -> SimulationSettings:
    names = [field.name for field in fields(SimulationSettings) if hasattr(options, field.name)]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    try:
        settings = load_simulation_settings(options.config)
        return replace(settings, **{**given, "changes": (*settings.changes, *(options.changes or ()))})
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def _proxy(options: argparse.Namespace) -> int:
    from simspark_ros.server.agent_server import AgentServerSettings
    from simspark_ros.server.ports import PortError
    from simspark_ros.server.remote.connection import UpstreamError
    from simspark_ros.server.remote.proxy import ProxySettings, run_proxy

    agents = AgentServerSettings(host=options.bind, port=options.agent_port)
    settings = ProxySettings(options.server, agents, profile=options.profile, cycle=options.cycle, early=options.early)
    if options.name:
        settings = replace(settings, name=options.name)
    try:
        return run_proxy(settings)
    except (PortError, UpstreamError) as error:
        raise ConfigurationError(str(error)) from None


def _wave(options: argparse.Namespace) -> int:
    from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
    from simspark_ros.clients.wave import wave

    try:
        with ClassicClient(options.host, options.port) as client:
            became = wave(client, options.team, options.unum, options.type, options.cycles)
    except ConnectionLostError as error:
        print(f"simspark wave: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    print(f"was {became}" if became else "the server did not accept the player; see its log")
    return 0 if became else 1


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 0.0 < seconds <= 3600.0:
        raise argparse.ArgumentTypeError(f"{text} s is not above 0 and up to 3600")
    return seconds


def _patience(text: str) -> float:
    return 0.0 if text in ("0", "0.0") else _seconds(text)


def _address(text: str) -> tuple[str, int]:
    host, colon, number = text.rpartition(":")
    if not colon or not host:
        raise argparse.ArgumentTypeError(f"'{text}' is not HOST:PORT, e.g. 127.0.0.1:3400")
    return host.strip("[]"), port(number)


def _replay(options: argparse.Namespace) -> int:
    from simspark_ros.protocol.monitor.log import LogError
    from simspark_ros.server.ports import PortError
    from simspark_ros.server.replay import ReplayOptions, replay

    chosen = ReplayOptions(
        path=options.file,
        monitor_port=options.monitor_port,
        bind=options.bind,
        speed=options.speed,
        loop=options.loop,
        interval=options.interval,
    )
    try:
        return replay(chosen)
    except (LogError, PortError) as error:
        raise ConfigurationError(str(error)) from None


def _team_size(text: str) -> int:
    return whole(text, 1, 11)


if __name__ == "__main__":
    sys.exit(main())
