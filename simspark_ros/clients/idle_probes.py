"""Finding out that the machine at the other end of a silent TCP connection is gone, or has forgotten it."""

from __future__ import annotations

import socket

IDLE_PROBES = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""Idle time before the first probe, s, time between probes, s, and their number: a minute in all."""


def probe_when_idle(sock: socket.socket) -> None:
    """Let the system probe a silent connection; reading fails when the other end does not answer."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in IDLE_PROBES.items():
        if hasattr(socket, option):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
