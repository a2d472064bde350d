"""Processes that a server starts beside itself, camera, viewer and demonstration teams; they end with it."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys

PR_SET_PDEATHSIG = 1
"""Linux's name for a signal at the parent's death."""

DEMO_TEAMS = ("Lions", "Dragons")
"""Names of the demonstration teams, left and right."""

EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses of a server that listens on all of the machine's."""


def start_viewer(port: int, bind: str, monitor_port: int, world: str, quiet: bool) -> subprocess.Popen[bytes]:
    """Start the page; it asks for poses only while a browser looks.

    Args:
        port: of the page; the next free one is taken.
        bind: address that the server and the page listen on.
        monitor_port: of the server.
        world: world file, empty = the package's.
        quiet: whether standard output belongs to the program that reads it.
    """
    command = ["simspark_ros.cli", "view", "--host", _reach(bind), "--bind", bind, "--port", str(port)]
    command += ["--monitor-port", str(monitor_port), *(["--world", world] if world else [])]
    return _start(command, to_stderr=quiet)


def start_camera(ros_arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start what renders the cameras of robots."""
    return _start(["simspark_ros.ros.camera.node", *ros_arguments])


def start_demo_team(name: str, players: int, bind: str, agent_port: int) -> subprocess.Popen[bytes]:
    """Start a demonstration team of this number of players."""
    command = ["simspark_ros.cli", "team", name, "--players", str(players)]
    return _start([*command, "--host", _reach(bind), "--port", str(agent_port)], to_stderr=True)


def _start(module_and_arguments: list[str], to_stderr: bool = False) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C reaches the server, which then ends its children in order.
    command = [sys.executable, "-m", *module_and_arguments]
    output = sys.stderr if to_stderr else None
    return subprocess.Popen(command, start_new_session=True, preexec_fn=_end_with_parent, stdout=output)


def _reach(bind: str) -> str:
    """Address at which a server that listens there is reached from its own machine."""
    return "127.0.0.1" if bind in EVERYWHERE else bind


def _end_with_parent() -> None:
    """Ask Linux to end this process when its parent has died, by whatever cause."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
