"""Opening TCP ports and Unix sockets, and setting up the sockets of their clients."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from simspark_ros.clients.idle_probes import probe_when_idle
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.limits import MAX_CLIENTS, MAX_MESSAGE
from simspark_ros.configuration.schema import PORTS, TakenOptions

_CREDENTIALS = struct.Struct("3i")
"""Process, user and group."""


class PortError(UserError):
    """A port cannot be opened; the message names host, port and remedy."""


@dataclass(frozen=True)
class PortSettings(TakenOptions):
    """One TCP port and the bounds of each of its clients.

    Attributes:
        host: address to listen on; only programs on this machine reach the default.
        port: number, 0 for any free one.
        option, host_option: command line options that change port and address, for error messages.
        max_clients_setting: name of the setting of the most clients, for error messages.
        max_message: longest message accepted, bytes; a client that announces a longer one is disconnected.
        send_buffer: bytes the system may keep for a slow reader; later messages are dropped.
        max_input: bytes that one client may send per cycle, a small sum per message included; further input waits for
            the next cycles.
    """

    host: str = "127.0.0.1"
    port: int = 0
    option: str = "--port"
    host_option: str = "--bind"
    kind: str = "client"
    max_clients: int = MAX_CLIENTS
    max_clients_setting: str = "max_clients"
    max_message: int = MAX_MESSAGE
    send_buffer: int = 128 * 1024
    max_input: int = 16 * 1024

    options: ClassVar[Mapping[str, str]] = {"host": "bind"}


def listen(settings: PortSettings) -> socket.socket:
    """Open a listening socket; a `PortError` names host, port and remedy."""
    host, port, option = settings.host, settings.port, settings.option
    if port not in PORTS:
        raise PortError(f"cannot listen on {host}: there is no port {port}; choose 0 to {PORTS.high} with {option}")
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise PortError(
            f"cannot listen on '{host}': {error}; choose an address of this machine with {settings.host_option}"
        ) from None
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind(address)
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise PortError(f"cannot listen on {host}: {_remedy(error, settings)}") from None
    return sock


def _remedy(error: OSError, settings: PortSettings) -> str:
    port, option = settings.port, settings.option
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; choose another with {option}, or 0 for any free one"
    if error.errno == errno.EACCES:
        return f"port {port} needs privileges; choose one above 1023 with {option}, or 0 for any free one"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"this machine does not have that address; choose another with {settings.host_option}"
    return f"port {port}: {error}"


def prepare(sock: socket.socket, settings: PortSettings) -> None:
    """Set the options of a client's socket: nothing blocks, nothing is delayed, buffers are bounded."""
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, settings.send_buffer)
    if sock.family == socket.AF_UNIX:
        return
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    probe_when_idle(sock)


def address_of(sock: socket.socket) -> str:
    """Return host and port of the other side, or its process, for messages."""
    try:
        if sock.family == socket.AF_UNIX:
            process, *_ = _CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
            return f"process {process}"
        peer: Any = sock.getpeername()
    except OSError:
        return "gone"
    return f"{peer[0]}:{peer[1]}"


def clear_socket(path: Path) -> None:
    """Take away the socket of a server that has ended; anything else that is there stays.

    Raises:
        OSError: it is in use.
    """
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise OSError(errno.EEXIST, "there is a file that is not a socket")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        refused = probe.connect_ex(str(path)) == errno.ECONNREFUSED
    if not refused:
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
    path.unlink()
