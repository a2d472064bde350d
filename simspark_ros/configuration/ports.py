"""TCP ports that servers open and clients connect to."""

from __future__ import annotations

from typing import Annotated

from simspark_ros.configuration.schema import Range, Setting, TcpPort

AGENT_PORT = 3100
MONITOR_PORT = 3200
RSMP_PORT = 60001
"""Port of monitors of the league since 2026."""
LEAGUE_AGENT_PORT = 60000
"""Port of agents of the league since 2026."""
VIEWER_PORT = 8080
LOOPBACK = "127.0.0.1"
"""Address that only this machine can reach."""

AgentPort = Annotated[TcpPort, Setting("TCP port of agents, 0 = any free one")]
MonitorPort = Annotated[TcpPort, Setting("TCP port of monitors, 0 = any free one")]
Bind = Annotated[
    str, Setting("address to listen on; 127.0.0.1 = this machine only, 0.0.0.0 = all of its networks", metavar="HOST")
]
SilentTimeout = Annotated[
    float,
    Range(0.0, 86400.0, "s"),
    Setting(
        "lock-step drops an agent that is silent for this long, or has delayed others by six times this in all; "
        "0 = never"
    ),
]
TrainerPermissions = Annotated[
    str,
    Setting(
        "trainer commands that monitors may give: full (all but killsim), none, or e.g. playMode,kickOff",
        metavar="LIST",
    ),
]
