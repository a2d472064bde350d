"""Sockets that lose packets at random, as on a bad network, by filters in the kernel."""

import ctypes
import os
import socket
import struct
from pathlib import Path

import pytest

_SO_ATTACH_FILTER = 26
_RANDOM = 0xFFFFF000 + 56
"""Address at which programs of packet filters read a random number of 32 bits."""
_LOAD, _IF_ABOVE, _RETURN = 0x20, 0x25, 0x06
_WHOLE = 0xFFFFFFFF
_PIDFD_GETFD = 438


def lose_packets(process: int, kind: socket.SocketKind, share: float) -> int:
    """Let all sockets of a process, and the connections that they will accept, lose a share of what arrives.

    Returns:
        How many sockets.
    """
    count = 0
    handle = os.pidfd_open(process)
    for number in map(int, os.listdir(f"/proc/{process}/fd")):
        if not _is_socket(process, number):
            continue
        copy = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, handle, number, 0)
        if copy < 0:
            pytest.skip(f"sockets of other processes cannot be reached here: {os.strerror(ctypes.get_errno())}")
        with socket.socket(fileno=copy) as sock:
            if sock.type == kind and sock.family in (socket.AF_INET, socket.AF_INET6):
                _attach(sock, share)
                count += 1
    os.close(handle)
    return count


def lost_datagrams(process: int) -> int:
    """How many datagrams the sockets of a process have lost, also for want of room."""
    own = {
        os.readlink(f"/proc/{process}/fd/{number}")
        for number in map(int, os.listdir(f"/proc/{process}/fd"))
        if _is_socket(process, number)
    }
    lines = [line.split() for line in Path("/proc/net/udp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(int(words[12]) for words in lines if f"socket:[{words[9]}]" in own)


def _is_socket(process: int, number: int) -> bool:
    try:
        return os.readlink(f"/proc/{process}/fd/{number}").startswith("socket:")
    except FileNotFoundError:
        return False


def _attach(sock: socket.socket, share: float) -> None:
    steps = (
        (_LOAD, 0, 0, _RANDOM),
        (_IF_ABOVE, 0, 1, int(share * _WHOLE)),
        (_RETURN, 0, 0, _WHOLE),
        (_RETURN, 0, 0, 0),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    sock.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(steps), ctypes.addressof(code)))
