"""Processes that a server starts beside itself, camera, viewer and demonstration teams; they end with it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from typing import IO, Any

from simspark_ros.clients.viewer.settings import TOKEN_VARIABLE, ViewerSettings

PR_SET_PDEATHSIG = 1
"""Linux's name for a signal at the parent's death."""

DEMO_TEAMS = ("Lions", "Dragons")
"""Names of the demonstration teams, left and right."""

EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses of a server that listens on all of the machine's."""


def start_viewer(settings: ViewerSettings) -> subprocess.Popen[bytes]:
    """Start the page, whose address the server announces; it asks for poses only while a browser looks."""
    options = {"host": _reach(settings.host), "monitor-port": settings.monitor_port, "world": settings.world}
    options |= {"bind": settings.bind, "port": settings.port}
    options |= {"follow": settings.follow, "distance": settings.distance}
    given = [f"--{name}={value}" for name, value in options.items()]
    return _start(["simspark_ros.cli", "view", *given], subprocess.DEVNULL, **{TOKEN_VARIABLE: settings.token})


def start_camera(ros_arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start what renders the cameras of robots."""
    return _start(["simspark_ros.ros.camera.node", *ros_arguments])


def start_demo_team(name: str, players: int, bind: str, agent_port: int) -> subprocess.Popen[bytes]:
    """Start a demonstration team of this number of players."""
    command = ["simspark_ros.cli", "team", name, "--players", str(players)]
    return _start([*command, "--host", _reach(bind), "--port", str(agent_port)], output=sys.stderr)


def _start(
    module_and_arguments: list[str], output: IO[Any] | int | None = None, **environment: str
) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C reaches the server, which then ends its children in order.
    command = [sys.executable, "-m", *module_and_arguments]
    return subprocess.Popen(
        command,
        start_new_session=True,
        preexec_fn=_end_with_parent,
        stdout=output,
        env={**os.environ, **environment},
    )


def _reach(bind: str) -> str:
    """Address at which a server that listens there is reached from its own machine."""
    return "127.0.0.1" if bind in EVERYWHERE else bind


def _end_with_parent() -> None:
    """Ask Linux to end this process when its parent has died, by whatever cause."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
