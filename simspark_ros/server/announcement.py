"""The announcement of `simspark serve` when clients can connect, for people and for programs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from simspark_ros import __version__
from simspark_ros.robots.types.parameters import TypesJson
from simspark_ros.server.agents.server import AgentServer
from simspark_ros.server.child_processes import DEMO_TEAMS
from simspark_ros.server.classic_server import ClassicServer
from simspark_ros.server.settings import ServeSettings
from simspark_ros.server.viewer_settings import ViewerSettings, page_address
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer import TEAM_SIZE
from simspark_ros.soccer.field import Field

if TYPE_CHECKING:
    # Most servers have no such links, and start in less time without their modules.
    from simspark_ros.server.game_controller.server import GameController
    from simspark_ros.server.lola.server import LolaServer
    from simspark_ros.server.remote.link import ProxyLink

    Link = ProxyLink | LolaServer | AgentServer
    Links = Sequence[ClassicServer | Link]
    """Links to classic clients, proxies and drivers."""


class Offer(NamedTuple):
    """Ports and other offers of a server; `page` is its viewer's page, if any; `types`: see `RobotTypes.as_json`."""

    settings: SimulationSettings
    options: ServeSettings
    core: ClassicServer
    links: Links
    page: ViewerSettings | None
    types: TypesJson
    field: Field
    controllers: Sequence[GameController]


def announced(offer: Offer, ros: str) -> str:
    """The announcement: one line of JSON for programs, else lines for people, with `ros` unless it is empty."""
    return _for_programs(offer) if offer.options.json else "\n".join([*_for_people(offer, ros), "  Ctrl-C ends it."])


def ros_hint(simulation: Simulation, given: int, confined: bool) -> str:
    """The domain and the networks of ROS, and a topic of the first of the last `given` robots.

    `confined` = ROS is reached from this machine only.
    """
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    robots = [robot.name for robot in simulation.world.without_objects]
    robot = next(iter(robots[-given:]), "left_1")
    reach = "this machine only (--ros-network)" if confined else "all networks"
    return f"domain {domain}, {reach}   /{robot}/joint_states"


def _for_people(offer: Offer, ros: str) -> list[str]:
    """Lines for a terminal of 80 columns."""
    settings, core, host = offer.settings, offer.core, offer.options.bind
    port, monitor_port = core.agents.port, core.monitors.port if core.monitors else 0
    joins = core.profile.commands.joins
    hint = f"start a team, or: simspark wave --port {port}"
    if joins:
        hint = "of the league since 2026"
    elif 0 < offer.options.demo < TEAM_SIZE:
        hint = f"one more: simspark wave --port {port} --team {DEMO_TEAMS[0]}"
    agents = f"{host}:{port}   {hint}"
    speed = f" at speed {settings.speed:g}" if settings.speed else ""
    lines = [
        f"simspark_ros {__version__}: engine {settings.engine}, pacing {settings.pacing}{speed}, seed {settings.seed}",
        f"  agents    {core.agents.refusal or agents}",
        f"  monitors  {host}:{monitor_port}   RoboViz --serverHost={host} --serverPort={monitor_port}",
    ]
    if core.rsmp:
        lines.append(f"  monitors  {host}:{core.rsmp.port}   of the league since 2026: RoboViz 2.1")
    if page := offer.page:
        lines.append(f"  viewer    {page_address(page.bind, page.port, page.token)}   open in a browser")
    lines += [link.announced(host) for link in offer.links if not isinstance(link, ClassicServer)]
    for controller in offer.controllers:
        league, host = offer.options.game_controller, offer.options.game_controller_host
        target = f"{host}:{offer.options.game_controller_port}, answers to port {controller.return_port}"
        lines.append(f"  GameController  of the league {league}, by UDP to {target}")
    for robot, types in offer.types.items():
        lines.append(f"  types     {robot} 0 to {len(types) - 1}, drawn by seed {settings.random_types}")
    return [*lines, f"  ROS 2     {ros}"] if ros else lines


def _for_programs(offer: Offer) -> str:
    settings, core, page = offer.settings, offer.core, offer.page
    ports: dict[str, object] = {"host": offer.options.bind, "agent_port": core.agents.port}
    if core.monitors:
        ports["monitor_port"] = core.monitors.port
    if core.rsmp:
        ports["rsmp_port"] = core.rsmp.port
    for link in offer.links:
        if not isinstance(link, ClassicServer):
            ports.update(link.told())
    for controller in offer.controllers:
        ports["game_controller_port"] = controller.return_port
    if page:
        ports["viewer"] = page_address(page.bind, page.port, page.token)
    ports["field"] = asdict(offer.field)
    if offer.types:
        ports["robot_types"] = offer.types
    return json.dumps({"ready": {**ports, "version": __version__, "engine": settings.engine, "seed": settings.seed}})
