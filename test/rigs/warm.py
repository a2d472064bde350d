"""Programs of the package in copies of a process that has imported them: a start takes a quarter of the time."""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import IO

from simspark_ros.configuration.copies import Copy, Original

_NODES = ("simulator_node", "bridge.node", "camera.node", "player.node")
PROGRAMS = ("simspark_ros.cli", *(f"simspark_ros.ros.{name}" for name in _NODES))
"""Modules that copies may run."""

_READ_AT_START = ("PYTHON", "LD_", "OPENBLAS_", "OMP_", "LC_", "LANG", "TZ")
"""Beginnings of variables that a copy would read too late."""
_ENVIRONMENT = {**os.environ}
"""Environment of the copied process: later changes belong to single tests."""


def copied(command: Sequence[str], environment: Mapping[str, str], apart: bool) -> tuple[Copy, IO[str], IO[str] | None]:
    """A copy that runs a program, its output, and its errors if they come `apart`."""
    reading, output = _pipe()
    errors_read, errors = _pipe() if apart else (None, output)
    copy = _original().copy(command[0], command[1:], environment, (output, errors))
    for number in {output, errors}:
        os.close(number)
    return copy, reading, errors_read


def _pipe() -> tuple[IO[str], int]:
    """A pipe: what reads it, and the file number that writes."""
    reading, writing = os.pipe()
    return os.fdopen(reading, encoding="utf-8"), writing


def can_copy(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether a copy would do what this command does with these variables."""
    changed = [name for name, _ in {*environment.items()} ^ {*_ENVIRONMENT.items()}]
    known = len(command) > 2 and command[0] == sys.executable and command[1] == "-m" and command[2] in PROGRAMS
    return known and not any(name.startswith(_READ_AT_START) for name in changed)


@cache
def _original() -> Original:
    return Original(_ENVIRONMENT, [*PROGRAMS, "test.rigs.built_once"])
