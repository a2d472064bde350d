"""A server of the classic protocol that is not of this project: known by its ports, or by a command that starts it."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from behaviour.observed import Observed, listener_on
from behaviour.wire import DEADLINE, HOST, StalledError

_END = 3.0
"""Longest time for it to end before it is killed, s."""


def free_ports(count: int) -> list[int]:
    """TCP ports that were free a moment ago."""
    with contextlib.ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [int(each.getsockname()[1]) for each in sockets]


@contextlib.contextmanager
def started_by(command: str, folder: Path) -> Iterator[tuple[int, int, Observed]]:
    """A server that a shell command starts, with all that it starts.

    Args:
        command: `{agent_port}` and `{monitor_port}` in it are replaced.
        folder: it runs in, and where its output goes.

    Yields:
        Its ports of agents and of monitors, and the process that listens on the first.

    Raises:
        StalledError: it does not open a port that its command names.
    """
    agent_port, monitor_port = free_ports(2)
    awaited = [agent_port, *([monitor_port] if "{monitor_port}" in command else [])]
    command = command.replace("{agent_port}", str(agent_port)).replace("{monitor_port}", str(monitor_port))
    log = folder / "other.log"
    with log.open("wb") as output:
        shell = subprocess.Popen(
            command,
            shell=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + DEADLINE
        while not all(listeners := [listener_on(port) for port in awaited]):
            if shell.poll() is not None or time.monotonic() > end:
                raise StalledError(f"'{command}' does not listen on ports {awaited}: {log.read_text()[-2000:]}")
            time.sleep(0.05)
        assert listeners[0]
        yield agent_port, monitor_port, listeners[0]
    finally:
        for number in (signal.SIGINT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                shell.wait(_END)
