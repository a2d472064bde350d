"""A ROS domain that one process holds, so that no other test or stress run on this machine uses it.

Foreign DDS participants in the domain of a simulator take up its memory, and may answer in its place.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TextIO

from simspark_ros.ros.network import DOMAIN

_COUNT = 101
"""Number of usable domains, counted from 1. Higher domains use ports that Linux also hands out to other programs."""

_FIRST_PORT, _PORTS = 7400, 250
"""First port of domain 0, and ports of each (DDSI-RTPS 2.3, section 9.6.1.1)."""
_SHARED = Path("/dev/shm")


class OwnDomain:
    """A held domain: no other process takes it until this object is closed or its process ends.

    Attributes:
        number: the number of the held domain.
    """

    def __init__(self) -> None:
        numbers = [1 + (os.getpid() + i) % _COUNT for i in range(_COUNT)]
        self.number, self._file = next(found for found in map(_lock, numbers) if found is not None)
        _forget_ports(self.number)

    def close(self) -> None:
        """Release the domain."""
        self._file.close()


def use_own_domain() -> None:
    """Put this process and its children into a held domain, unless the environment already names a domain."""
    if not os.environ.get(DOMAIN):
        os.environ[DOMAIN] = str(_held().number)


@cache
def _held() -> OwnDomain:
    return OwnDomain()


def _forget_ports(number: int) -> None:
    """Remove the shared memory ports that killed processes left in a domain: Fast DDS would send to their listeners."""
    first = _FIRST_PORT + _PORTS * number
    for port in range(first, first + _PORTS):
        for name in (f"fastdds_port{port}", f"fastdds_port{port}_el", f"sem.fastdds_port{port}_mutex"):
            (_SHARED / name).unlink(missing_ok=True)


def _lock(number: int) -> tuple[int, TextIO] | None:
    file = (Path(tempfile.gettempdir()) / f"simspark_ros_domain_{number}.lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return number, file
