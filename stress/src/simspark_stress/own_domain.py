"""A ROS domain that no other test and no other stress run on this machine takes while it is held.

Participants of DDS that come and go beside a simulator take memory in it, and answer in its place.
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
"""Domains from 1 on; the ports of higher ones lie among those that Linux gives to anybody."""


class OwnDomain:
    """Holds a domain until it is closed, or its process ends.

    Attributes:
        number: of the domain.
    """

    def __init__(self) -> None:
        numbers = [1 + (os.getpid() + i) % _COUNT for i in range(_COUNT)]
        self.number, self._file = next(found for found in map(_lock, numbers) if found is not None)

    def close(self) -> None:
        """Leave the domain to others."""
        self._file.close()


def use_own_domain() -> None:
    """Have this process and its children in a domain that it holds to its end, unless the environment names one."""
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
