"""`simspark serve`: simulator and ports in one process, where percepts and commands pass without DDS."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from simspark_ros.clients.live_line import say
from simspark_ros.clients.viewer.settings import (
    TOKEN_VARIABLE,
    ViewerSettings,
    free_port,
    new_token,
    require_viser,
)
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.robots.types.random_types import TypesJson
from simspark_ros.server.agent_connection import AgentServerSettings
from simspark_ros.server.announcement import Links, Offer, announced, ros_hint
from simspark_ros.server.child_processes import DEMO_TEAMS, start_camera, start_demo_team, start_pictures, start_viewer
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.game_controller.server import game_controllers
from simspark_ros.server.inspection import Inspector
from simspark_ros.server.lola.server import LolaServer
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.server.pictures.player_pictures import PlayerPictures
from simspark_ros.server.reloading import Reloader
from simspark_ros.server.remote.link import ProxyLink, ProxyLinkSettings
from simspark_ros.server.scripting.console import Console
from simspark_ros.server.scripting.script import Script
from simspark_ros.server.settings import PRINTED, ServeSettings
from simspark_ros.server.signals import Signals
from simspark_ros.server.status_line import SaidEvents, StatusLine
from simspark_ros.server.tcp.client_log import LOG
from simspark_ros.server.tcp.connection import ClientStatus
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.simulation.assembly import admit_classic_agents, build_simulation
from simspark_ros.simulation.game_end import EndAfter, EndWithGame
from simspark_ros.simulation.logs.command_log import CommandLog, Continuation, Start
from simspark_ros.simulation.logs.event_log import EventLog
from simspark_ros.simulation.logs.hash_log import HashLog
from simspark_ros.simulation.logs.log_file import LogFile
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.external import EXTERNAL
from simspark_ros.simulation.player_plugins.host import PlayerHost
from simspark_ros.simulation.robot_resources import SpawnError
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.spawning import spawn_text
from simspark_ros.simulation.time_control import SimulationTime
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import InitRefusedError, Teams, check_team_name

Words = tuple[str, ...]

Built = tuple[Simulation, Callable[[], None], SimulationSettings, Words]
"""A simulation, the function that runs it, and the settings and texts of robots that it was built with."""

Clients = Callable[[], Sequence[ClientStatus]]


class RosBuilder(NamedTuple):
    """The builder of a simulation with ROS (see `simspark_ros.ros.composition`), and its arguments.

    Attributes:
        arguments: `--ros-args ...`.
        confined: whether ROS is reached from this machine only.
    """

    build: Callable[[SimulationSettings, Words, Words, Links, Clients, ExitStack], Built]
    arguments: Words
    confined: bool


def serve(
    settings: SimulationSettings, options: ServeSettings, ros: RosBuilder | None, recorded: Continuation | None = None
) -> int:
    """Serve until SIGINT, SIGTERM or the end of `duration`, without ROS if `ros` is None; returns the exit status.

    A recorded run is repeated first; its settings are `settings`.

    Raises:
        UserError: at the start, or the recorded run was another one.
    """
    options = _as_recorded(options, recorded.start) if recorded else options
    admitted, refusal = admit_classic_agents(settings)
    # A recorded simulator without classic agents has other physics.
    settings = settings if recorded else admitted
    _check_refusal(options, refusal)
    _check_reload(options)
    if settings.pacing == EXTERNAL and ros is None:
        raise ConfigurationError(f"--pacing {EXTERNAL} follows /clock, a ROS 2 topic; leave --no-ros out")
    page = None if options.viewer is None else _page(settings, options, options.viewer)
    with ExitStack() as stack:
        signals = Signals()
        core, links = _open_ports(settings, options, refusal, stack)
        simulation, run, settings, robots = _build(settings, options, links, stack, ros)
        _check_game(simulation, options)
        begun = _begin(simulation, settings, options, robots, demo=bool(options.demo and not recorded))
        _add_nodes(simulation, options, links)
        controllers = game_controllers(options, LOG.info)
        for controller in controllers:
            stack.callback(controller.close)
            simulation.add_node(controller)
        if options.record is not None:
            CommandLog(options.record, begun, LOG.warning, options.max_log).attach(simulation)
        _add_scripts(simulation, options, stack, begins=recorded is None)
        if core.monitors:
            core.monitors.time_control = SimulationTime(simulation)
            core.monitors.inspector = Inspector(simulation)
            core.monitors.drawings = simulation.drawings
            simulation.add_node(core.monitors.inspector)
        if options.reload:
            reloader = Reloader(simulation, settings, LOG.info)
            reloader.start()
            stack.callback(reloader.close)
        signals.on_signal(simulation.stop)
        signal.signal(signal.SIGUSR1, lambda number, frame: simulation.scheduler.start())
        types = simulation.world.types.as_json()
        hint = ros_hint(simulation, len([*filter(None, robots)]), ros.confined) if ros else ""
        offer = Offer(settings, options, core, links, page, types, controllers)
        announce = partial(say, f"{announced(offer, hint)}\n")
        if recorded:
            # Clients are served afterwards.
            recorded.attach(simulation, LOG.info, announce if options.verify is None else None)
        else:
            announce()
        _start_children(options, core, page, types, stack)
        _start_pictures(core, simulation, options.child_memory, stack)
        status = stack.enter_context(StatusLine(simulation, core, options.json))
        run()
        status.finish()
    return 0


def _as_recorded(options: ServeSettings, start: Start) -> ServeSettings:
    left, right = start.teams
    return replace(options, robots=start.robots, play_mode=start.play_mode, left_team=left, right_team=right)


def _check_refusal(options: ServeSettings, refusal: str) -> None:
    """Refuse options that are of use to classic agents only, where these are refused."""
    for option, given in (("--demo", options.demo), ("--proxy-port", options.proxy_port is not None)):
        if refusal and given:
            raise ConfigurationError(f"{option}: {refusal}; leave it out, or choose another world")


def _check_reload(options: ServeSettings) -> None:
    """Refuse options that exclude `--reload`: a record names files, but does not keep their contents."""
    records = {"--record": options.record, "--continue": options.continued, "--verify": options.verify}
    for option, path in records.items():
        if options.reload and path is not None:
            raise ConfigurationError(f"--reload: files that change cannot be recorded; leave out {option}")


def _check_game(simulation: Simulation, options: ServeSettings) -> None:
    """Refuse options that are of use to a game only, in a world without one."""
    for option, given in (("--demo", options.demo), ("--end-with-game", options.end_with_game is not None)):
        if given and not simulation.world.settings.plays_soccer:
            raise ConfigurationError(f"{option}: there is no soccer in this world; leave it out, or choose another one")


def _add_nodes(simulation: Simulation, options: ServeSettings, links: Links) -> None:
    """Add the nodes that log the run and end it, and drivers."""
    if options.hash_log is not None:
        simulation.add_node(HashLog(options.hash_log, LOG.warning, options.max_log))
    if options.log is not None:
        simulation.add_node(MonitorLog(options.log, options.log_interval, LOG.warning, options.max_log))
    if options.events is not None:
        printed = str(options.events) == PRINTED
        sink = SaidEvents() if printed else LogFile(options.events, "event log", LOG.warning, options.max_log)
        simulation.add_node(EventLog(sink))
    if options.end_with_game is not None:
        simulation.add_node(EndWithGame(options.end_with_game))
    if options.duration is not None:
        simulation.add_node(EndAfter(options.duration))
    for link in links:
        if isinstance(link, LolaServer):
            link.attach(simulation)


def _add_scripts(simulation: Simulation, options: ServeSettings, stack: ExitStack, begins: bool) -> None:
    """Add the scripts, which begin at once unless the run has begun before, and the console."""
    for path in options.scripts:
        Script(Path(path), LOG.warning).attach(simulation, begins)
    if options.console is not None:
        stack.callback(Console(options.console, simulation).close)


def _begin(
    simulation: Simulation, settings: SimulationSettings, options: ServeSettings, robots: Words, demo: bool
) -> Start:
    """Set play mode and teams; returns all that the run begins with."""
    simulation.world.game.set_play_mode(_play_mode(options.play_mode))
    return Start(settings, options.play_mode, robots, _name_teams(simulation.world.teams, options, demo))


def _page(settings: SimulationSettings, options: ServeSettings, port: int) -> ViewerSettings:
    """The viewer's settings, with a free port, so that its address can be announced before it is there."""
    require_viser()
    return ViewerSettings(
        host=options.bind,
        bind=options.bind,
        port=free_port(options.bind, port),
        world=settings.world,
        follow=options.viewer_follow,
        distance=options.viewer_distance,
        token=os.environ.get(TOKEN_VARIABLE) or new_token(),
    )


def _port_settings(settings: SimulationSettings, options: ServeSettings) -> ClassicServerSettings:
    patience = options.silent_timeout or None
    agents = AgentServerSettings(
        host=options.bind,
        port=options.agent_port,
        max_clients=options.max_clients,
        max_message=options.max_message,
        silent_timeout=patience,
    )
    monitors = MonitorServerSettings(
        host=options.bind,
        port=options.monitor_port,
        max_clients=options.max_monitors,
        max_message=options.max_monitor_message,
        trainer=options.trainer,
    )
    types = 0 if settings.random_types < 0 else settings.random_type_count
    return ClassicServerSettings(agents, monitors, settings.with_classic_agents().profile, types)


def _open_ports(
    settings: SimulationSettings, options: ServeSettings, refusal: str, stack: ExitStack
) -> tuple[ClassicServer, Links]:
    """The link to classic clients, and all links; it comes last among these, as it owns the selector."""
    core = ClassicServer(_port_settings(settings, options))
    core.agents.refusal = refusal
    stack.callback(core.close)
    links: list[ClassicServer | ProxyLink | LolaServer] = []
    if options.proxy_port is not None:
        proxies = ProxyLinkSettings(
            host=options.bind,
            port=options.proxy_port,
            limit=options.proxy_limit,
            max_clients=options.max_proxies,
            max_message=options.max_proxy_message,
        )
        links.append(ProxyLink(proxies, ServerContext(core.selector)))
    if options.lola:
        links.append(LolaServer(options, ServerContext(core.selector)))
    for link in links:
        stack.callback(link.close)
    links.append(core)
    for link in links:
        link.lockstep = settings.pacing == "lockstep"
    return core, links


def _play_mode(name: str) -> PlayMode:
    try:
        return PlayMode(name)
    except ValueError:
        known = ", ".join(mode.value for mode in PlayMode)
        raise ConfigurationError(f"--play-mode: unknown mode '{name}'; known are: {known}") from None


def _name_teams(teams: Teams, options: ServeSettings, demo: bool) -> tuple[str, str]:
    left, right = DEMO_TEAMS if demo else ("", "")
    left, right = options.left_team or left, options.right_team or right
    for name in filter(None, (left, right)):
        try:
            check_team_name(name)
        except InitRefusedError as error:
            raise ConfigurationError(f"--left-team and --right-team: {error}") from None
    if left and left == right:
        raise ConfigurationError(f"--left-team and --right-team: both are '{left}'; choose two names")
    teams.left.name, teams.right.name = left, right
    return left, right


def _build(
    settings: SimulationSettings, options: ServeSettings, links: Links, stack: ExitStack, ros: RosBuilder | None
) -> Built:
    """A simulation with the classic ports, and with ROS and cameras if wanted."""
    if ros:

        def clients() -> list[ClientStatus]:
            return [status for link in links for status in link.clients()]

        built = ros.build(settings, options.robots, ros.arguments, links, clients, stack)
        if built[2].profile != settings.profile:
            spoken = settings.profile
            raise ConfigurationError(f"parameter 'profile': the port speaks '{spoken}'; use --profile for both")
        if not options.headless:
            stack.enter_context(start_camera(ros.arguments, options.child_memory))
        return built
    simulation, _ = build_simulation(settings, links, time.monotonic, time.sleep, LOG.warning)
    simulation.required(PlayerHost).draw = PlayerPictures(simulation, settings.seed)
    # The engine of the end: worlds may be replaced.
    stack.callback(lambda: simulation.world.engine.close())
    for text in options.robots:
        try:
            spawn_text(simulation.world, text, settings)
        except SpawnError as error:
            raise ConfigurationError(f"--robot {text}: {error}") from None
    return simulation, simulation.run, settings, options.robots


def _start_children(
    options: ServeSettings, core: ClassicServer, page: ViewerSettings | None, types: TypesJson, stack: ExitStack
) -> None:
    """Start the viewer and the demonstration teams."""
    memory = options.child_memory
    if page and core.monitors:
        stack.enter_context(start_viewer(replace(page, monitor_port=core.monitors.port), memory))
    for team in DEMO_TEAMS if options.demo else ():
        stack.enter_context(start_demo_team(team, options.demo, options.bind, core.agents.port, types, memory))


def _start_pictures(core: ClassicServer, simulation: Simulation, memory: int, stack: ExitStack) -> None:
    """Draw pictures for agents, if their profile has them."""
    form = core.profile.pictures
    if form is None:
        return
    # Knows PyBullet, which a server of another engine without pictures need not have.
    from simspark_ros.server.pictures.source import AgentPictures

    child, connection = start_pictures((form, simulation.world.settings), memory)

    def robots() -> list[tuple[int, RobotDescription, tuple[PerceptorSpec, ...]]]:
        there, mounted = simulation.world.robots.values(), simulation.sensing.mounted
        return [(robot.handle, robot.description, mounted(robot)) for robot in there]

    core.agents.pictures = AgentPictures(connection, form.rate, robots)
    stack.callback(core.agents.pictures.close)
    # Ends first, as a request may wait for it.
    stack.enter_context(child)
