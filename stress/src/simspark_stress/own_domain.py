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


class OwnDomain:
    """A held domain: no other process takes it until this object is closed or its process ends.

    Attributes:
        number: the number of the held domain.
    """

    def __init__(self) -> None:
        numbers = [1 + (os.getpid() + i) % _COUNT for i in range(_COUNT)]
        self.number, self._file = next(found for found in map(_lock, numbers) if found is not None)

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


def _lock(number: int) -> tuple[int, TextIO] | None:
    file = (Path(tempfile.gettempdir()) / f"simspark_ros_domain_{number}.lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return number, file
