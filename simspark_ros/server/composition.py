"""`simspark serve`: simulator and ports in one process, where percepts and commands pass without DDS."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from simspark_ros.configuration.league_models import DEMO_ROBOT
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.rendering.player_pictures import PlayerPictures
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.announcement import Offer, announced, ros_hint
from simspark_ros.server.attachments import PicturesForAgents, attachments_of_server
from simspark_ros.server.child_processes import DEMO_TEAMS, start_camera, start_demo_team, start_viewer
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings, RsmpServerSettings
from simspark_ros.server.settings import ServeSettings
from simspark_ros.server.signals import Signals
from simspark_ros.server.status_line import StatusLine
from simspark_ros.server.tcp.client_log import LOG
from simspark_ros.server.tcp.connection import ClientStatus
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.server.viewer_settings import TOKEN_VARIABLE, ViewerSettings, free_port, new_token, require_page
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.attachments import RobotsAtStart, attach_all
from simspark_ros.simulation.choices import admit_classic_agents
from simspark_ros.simulation.logs.command_log import Continuation, Start
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.external import EXTERNAL
from simspark_ros.simulation.robot_checks import preload_robots
from simspark_ros.simulation.settings import CLASSIC_PROFILE, SimulationSettings
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import InitRefusedError, Teams, check_team_name
from simspark_ros.terminal import say

if TYPE_CHECKING:
    from simspark_ros.server.announcement import Link, Links

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
    chosen = settings.engine
    admitted, refusal = admit_classic_agents(settings)
    # A recorded simulator without classic agents has other physics.
    settings = settings if recorded else admitted
    _check_options(settings, options, refusal, ros)
    page = None if options.viewer is None else _page(options, options.viewer)
    with ExitStack() as stack:
        signals = Signals()
        core, links = _open_ports(settings, options, refusal, stack)
        simulation, run, settings, robots = _build(settings, chosen, options, links, stack, ros)
        _check_game(simulation, options)
        begun = _begin(simulation, settings, options, robots, demo=bool(options.demo and not recorded))
        attachments, controllers = attachments_of_server(settings, options, core, links, begun)
        attach_all(attachments, simulation, stack)
        signals.on_signal(simulation.stop)
        signal.signal(signal.SIGUSR1, lambda number, frame: simulation.scheduler.start())
        types, field = simulation.world.types.as_json(), simulation.world.settings.field
        hint = ros_hint(simulation, len([*filter(None, robots)]), ros.confined) if ros else ""
        offer = Offer(settings, options, core, links, page, types, field, controllers)
        announce = partial(say, f"{announced(offer, hint)}\n")
        if recorded:
            # Clients are served afterwards.
            recorded.attach(simulation, LOG.info, announce if options.verify is None else None)
        else:
            announce()
        _start_children(offer, stack)
        attach_all([PicturesForAgents(core, settings, options.child_memory)], simulation, stack)
        status = stack.enter_context(StatusLine(simulation, core, options.json))
        # Objects that live as long as the server need not be searched for garbage in the middle of a match.
        gc.freeze()
        gc.enable()
        run()
        status.finish()
    return 0


def _as_recorded(options: ServeSettings, start: Start) -> ServeSettings:
    left, right = start.teams
    return replace(options, robots=start.robots, play_mode=start.play_mode, left_team=left, right_team=right)


def _check_options(settings: SimulationSettings, options: ServeSettings, refusal: str, ros: RosBuilder | None) -> None:
    """Refuse options that exclude one another, and options for classic agents where such agents are refused."""
    for option, given in (("--demo", options.demo), ("--proxy-port", options.proxy_port is not None)):
        if refusal and given:
            raise ConfigurationError(f"{option}: {refusal}; leave it out, or choose another world")
    # A record names files, and does not keep what was in them.
    records = {"--record": options.record, "--continue": options.continued, "--verify": options.verify}
    for option, path in records.items():
        if options.reload and path is not None:
            raise ConfigurationError(f"--reload: files that change cannot be recorded; leave out {option}")
    if settings.pacing == EXTERNAL and ros is None and options.verify is None:
        raise ConfigurationError(f"--pacing {EXTERNAL} follows /clock, a ROS 2 topic; leave --no-ros out")


def _check_game(simulation: Simulation, options: ServeSettings) -> None:
    """Refuse options for a game in a world without a game."""
    for option, given in (("--demo", options.demo), ("--end-with-game", options.end_with_game is not None)):
        if given and not simulation.world.settings.plays_soccer:
            raise ConfigurationError(f"{option}: there is no soccer in this world; leave it out, or choose another one")


def _begin(
    simulation: Simulation, settings: SimulationSettings, options: ServeSettings, robots: Words, demo: bool
) -> Start:
    """Set play mode and teams; returns everything that the run begins with."""
    simulation.world.game.set_play_mode(_play_mode(options.play_mode))
    return Start(settings, options.play_mode, robots, _name_teams(simulation.world.teams, options, demo))


def _page(options: ServeSettings, port: int) -> ViewerSettings:
    """The viewer's settings, with a free port, so that its address can be announced before it is there."""
    require_page()
    token = os.environ.get(TOKEN_VARIABLE) or new_token()
    return ViewerSettings.of(options, port=free_port(options.bind, port), token=token)


def _open_ports(
    settings: SimulationSettings, options: ServeSettings, refusal: str, stack: ExitStack
) -> tuple[ClassicServer, Links]:
    """The link to classic clients, and all links; it comes last among these, as it owns the selector."""
    types = 0 if settings.random_types < 0 else settings.random_type_count
    agents, monitors = AgentServerSettings.of(options), MonitorServerSettings.of(options)
    rsmp = None if options.rsmp_port is None else RsmpServerSettings.of(options)
    core = ClassicServer(ClassicServerSettings(agents, monitors, settings.with_classic_agents().profile, types, rsmp))
    core.agents.refusal = refusal
    stack.callback(core.close)
    context = ServerContext(core.selector)
    links: list[ClassicServer | Link] = []
    if options.proxy_port is not None:
        from simspark_ros.server.remote.link import ProxyLink, ProxyLinkSettings

        links.append(ProxyLink(ProxyLinkSettings.of(options), context))
    if options.lola:
        from simspark_ros.server.lola.server import LolaServer

        links.append(LolaServer(options, context))
    if classic := _classic_port(options, settings, context):
        links.append(classic)
    for link in links:
        stack.callback(link.close)
    links.append(core)
    for link in links:
        link.lockstep = settings.pacing == "lockstep"
    core.agents.awaited.others_wait = partial(_any_waits, links[:-1])
    if classic:
        classic.awaited.others_wait = partial(_any_waits, [link for link in links if link is not classic])
    return core, links


def _any_waits(links: Links) -> bool:
    """Whether participants of a link have answered, and wait for others."""
    return any(link.participants and link.ready for link in links)


def _classic_port(options: ServeSettings, limits: LimitSettings, context: ServerContext) -> AgentServer | None:
    """The port of classic agents beside the league's, with the robots of these agents loaded; None if there is none.

    Raises:
        PortError: the port cannot be opened.
    """
    if options.league != "both":
        return None
    preload_robots(lambda robot: None, CLASSIC_PROFILE, limits)
    # The kind makes names of clients differ from those of the other port.
    port = replace(
        AgentServerSettings.of(options), port=options.classic_port, option="--classic-port", kind="classic agent"
    )
    return AgentServer(port, load_dialect(CLASSIC_PROFILE), context)


def _play_mode(name: str) -> PlayMode:
    try:
        return PlayMode(name)
    except ValueError:
        known = ", ".join(mode.value for mode in PlayMode)
        raise ConfigurationError(f"--play-mode: unknown mode '{name}'; use one of: {known}") from None


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
    settings: SimulationSettings,
    chosen: str,
    options: ServeSettings,
    links: Links,
    stack: ExitStack,
    ros: RosBuilder | None,
) -> Built:
    """A simulation with the classic ports, and with ROS and cameras if wanted.

    ROS parameters may change settings, and so the engine, if none was chosen.
    """
    if ros:

        def clients() -> list[ClientStatus]:
            return [status for link in links for status in link.clients()]

        built = ros.build(replace(settings, engine=chosen), options.robots, ros.arguments, links, clients, stack)
        if built[2].profile != settings.profile:
            spoken = settings.profile
            raise ConfigurationError(f"parameter 'profile': the port speaks '{spoken}'; use --profile for both")
        drawn = (settings.random_types, settings.random_type_count)
        if (built[2].random_types, built[2].random_type_count) != drawn:
            text = "the port tells agents of other types; use --random-types and --random-type-count for both"
            raise ConfigurationError(f"parameters 'random_types' and 'random_type_count': {text}")
        if not options.headless:
            stack.enter_context(start_camera(ros.arguments, built[2], options.child_memory))
        return built
    simulation, _ = build_simulation(settings, links, time.monotonic, time.sleep, LOG.warning)
    # The engine of the end: worlds may be replaced.
    stack.callback(lambda: simulation.world.engine.close())
    robots = RobotsAtStart(options.robots, settings, "--robot {}")
    attach_all([PlayerPictures(lambda: settings.seed, settings.renderer), robots], simulation, stack)
    return simulation, simulation.run, settings, options.robots


def _start_children(offer: Offer, stack: ExitStack) -> None:
    """Start the viewer, which is told the world, and the demonstration teams, which are told the field."""
    options, core, page, memory = offer.options, offer.core, offer.page, offer.options.child_memory
    if page and core.monitors:
        page = replace(page, monitor_port=core.monitors.port, world=offer.settings.world)
        stack.enter_context(start_viewer(page, memory))
    # The league's own agents have the main port.
    port = next((link.port for link in offer.links if isinstance(link, AgentServer)), core.agents.port)
    robot = DEMO_ROBOT if options.league == "2026" else "nao"
    for team in DEMO_TEAMS if options.demo else ():
        child = start_demo_team(team, options.demo, options.bind, port, offer.field, offer.types, memory, robot)
        stack.enter_context(child)
