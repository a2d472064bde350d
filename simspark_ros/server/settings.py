"""Settings of servers and proxies, beside the simulation's settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from simspark_ros.configuration.league_models import League
from simspark_ros.configuration.limits import (
    CHILD_MEMORY,
    LOG_SIZE,
    MAX_CLIENTS,
    MAX_MESSAGE,
    REMOTE_MESSAGE,
    REMOTE_MESSAGES,
    ChildMemory,
    ClientLimits,
    LogSize,
    MaxClients,
    MaxMessage,
)
from simspark_ros.configuration.ports import (
    AGENT_PORT,
    LOOPBACK,
    MONITOR_PORT,
    AgentPort,
    Bind,
    MonitorPort,
    SilentTimeout,
    TrainerPermissions,
)
from simspark_ros.configuration.schema import Checked, Range, Setting, TcpPort
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_ros.server.lola.settings import LolaOptions
from simspark_ros.server.viewer_settings import TV, Distance, Follow, ViewerSettings
from simspark_ros.simulation.settings import CONFIG
from simspark_ros.soccer import TEAM_SIZE


def _unknown_robot(text: str) -> str:
    from simspark_ros.simulation.loading.robot_resources import SpawnError, named_resource

    try:
        named_resource(text)
    except SpawnError as error:
        return str(error)
    return ""


Seconds = Annotated[float, Range(0.0, unit="s", above=True)]

PRINTED = "-"
"""The name that stands for standard output."""


@dataclass(frozen=True)
class ServeSettings(LolaOptions, GameControllerOptions, ClientLimits):
    """Settings file, ports, teams and output of a server."""

    config: Annotated[Path | None, CONFIG] = None
    league: League = "classic"
    league_models: Annotated[
        Path | None,
        Setting("folder of the robots of the league since 2026; none = those of the installed rcsssmj", metavar="DIR"),
    ] = None
    classic_port: Annotated[TcpPort, Setting("TCP port of classic agents with --league both, 0 = any free one")] = (
        AGENT_PORT
    )
    agent_port: AgentPort = AGENT_PORT
    monitor_port: MonitorPort = MONITOR_PORT
    rsmp_port: Annotated[
        TcpPort | None,
        Setting("TCP port of monitors of the league since 2026 (RoboViz 2.1: 60001), 0 = any; none = no such port"),
    ] = None
    draw_port: Annotated[
        TcpPort | None,
        Setting("UDP port for agents' drawings, which the page shows (RoboViz uses 32769); none = no such port"),
    ] = None
    proxy_port: Annotated[TcpPort | None, Setting("TCP port of agent proxies, for lock-step; none = no such port")] = (
        None
    )
    proxy_limit: Annotated[
        float, Range(0.0, 3600.0, "s", above=True), Setting("longest wait for a proxy in a cycle")
    ] = 0.25
    max_proxies: Annotated[int, Range(1, 1000), Setting("most agent proxies at a time; each may have 64 agents")] = 16
    max_proxy_message: Annotated[
        int, REMOTE_MESSAGES, Setting("longest message of an agent proxy; longer ones disconnect the proxy")
    ] = REMOTE_MESSAGE
    silent_timeout: SilentTimeout = 10.0
    bind: Bind = LOOPBACK
    trainer: TrainerPermissions = "full"
    ros_network: Annotated[
        Literal["auto", "loopback", "all"],
        Setting("networks that ROS 2 uses; auto = as its environment variables say, else this machine only"),
    ] = "auto"
    left_team: Annotated[str, Setting("only this team may play left; empty = first to join", metavar="NAME")] = ""
    right_team: Annotated[str, Setting("only this team may play right; empty = second to join", metavar="NAME")] = ""
    robots: Annotated[
        tuple[str, ...],
        Setting(
            "put a robot on the field, e.g. nao or nao/4; at a free place, or at x, y (m), heading (rad)",
            option="robot",
            metavar="[NAME=]MODEL[/TYPE][@X,Y[,HEADING]]",
            refuse=_unknown_robot,
        ),
    ] = ()
    demo: Annotated[
        int,
        Range(0, TEAM_SIZE),
        Setting("two demonstration teams of this many players, Lions and Dragons", metavar="N"),
    ] = 0
    play_mode: Annotated[str, Setting("play mode at the start", metavar="MODE")] = "BeforeKickOff"
    phase: Annotated[
        int | None,
        Range(0, 4),
        Setting("begin with this half: 0, 1, 2 and 3 of extra time, 4 a penalty shoot-out; none = as the rules say"),
    ] = None
    time: Annotated[float | None, Range(0.0, 1e6, "s"), Setting("game time at the start; none = that of the half")] = (
        None
    )
    viewer: Annotated[
        TcpPort | None,
        Setting("show the match in browsers, from a separate process, on this port or the next free one"),
    ] = None
    viewer_follow: Follow = TV
    viewer_distance: Distance = ViewerSettings.distance
    reload: Annotated[bool, Setting("load your own files of robots and of the world again when they change")] = False
    headless: Annotated[bool, Setting("start no camera process")] = False
    hash_log: Annotated[Path | None, Setting("write a fingerprint of every cycle to this file")] = None
    log: Annotated[Path | None, Setting("write a monitor log, compressed if it ends in .gz")] = None
    log_interval: Annotated[Seconds, Setting("simulated time between two frames of the monitor log")] = 0.2
    log_protocol: Annotated[
        Literal["classic", "rsmp"],
        Setting("format of the monitor log: frames of classic monitors, or of monitors of the league since 2026"),
    ] = "classic"
    record: Annotated[
        Path | None,
        Setting(
            "write everything that enters the simulation to this file, compressed if it ends in .gz, to continue it"
        ),
    ] = None
    continued: Annotated[
        Path | None,
        Setting(
            "repeat the run recorded in this file, then go on from there once as many agents as before have joined; "
            "each takes over the robot with its team and number",
            option="continue",
        ),
    ] = None
    verify: Annotated[Path | None, Setting("repeat the run recorded in this file without ROS 2, compare, and end")] = (
        None
    )
    events: Annotated[
        Path | None, Setting("write the events of the match to this file, as JSON lines; - = standard output")
    ] = None
    max_log: LogSize = LOG_SIZE
    child_memory: ChildMemory = CHILD_MEMORY
    scripts: Annotated[
        tuple[str, ...],
        Setting("Python file that takes part in the run (docs/how_to/scripting.md)", option="script", metavar="FILE"),
    ] = ()
    console: Annotated[
        Path | None, Setting("a Python console for `simspark console`, on this Unix socket (docs/how_to/scripting.md)")
    ] = None
    json: Annotated[bool, Setting("print ports and status as JSON lines, for programs")] = False
    end_with_game: Annotated[Seconds | None, Setting("end when the game has been over for this long")] = None
    duration: Annotated[Seconds | None, Setting("end after this much simulated time")] = None

    @property
    def changes_of_rules(self) -> tuple[str, ...]:
        """The changes of the rule book by the options, as texts of `--set`."""
        half = () if self.phase is None else (f"rules.game.first_half={self.phase + 1}",)
        return half if self.time is None else (*half, f"rules.game.start_time={self.time}")


@dataclass(frozen=True)
class ProxySettings(Checked):
    """Port and clock of a proxy, and host and port of the simulator's proxies."""

    server: tuple[str, int]
    agent_port: AgentPort = AGENT_PORT
    bind: Bind = LOOPBACK
    profile: Annotated[str, Setting("protocol profile, a name or a YAML file")] = "measured"
    name: Annotated[str, Setting("name of this proxy in logs and diagnostics; empty = the machine's")] = ""
    cycle: Annotated[float, Range(0.0, 3600.0, "s", above=True), Setting("agents' time to answer in a cycle")] = 0.02
    early: Annotated[bool, Setting("send the agents' answers to the server as soon as all have sent (syn)")] = False
    max_clients: MaxClients = MAX_CLIENTS
    max_message: MaxMessage = MAX_MESSAGE
