"""Robots from files that a client names: read in a process with limits of time and memory, never in the server's.

A model file in xacro is a program, a few bytes of YAML hold billions of entries, and any file may be long: the process
may be killed at any moment, the server gets the texts that it has found to be usable, and reads only them itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import describe
from simspark_ros.robots.description import RobotDescription, RobotError

_READER = "simspark_ros.robots.foreign_reader"

_TURN = threading.Semaphore(2)
"""Processes that read at a time; each may take all of its limits."""


def load_foreign(path: Path, variant: int, limits: LimitSettings) -> RobotDescription:
    """The description of a variant of the robot of a YAML file; takes up to `robot_file_time`.

    Loaded once, as long as few others come; safe from any thread.

    Raises:
        RobotError: the files cannot be used, or only beyond the limits.
    """
    # The settings of a simulation are more than its limits.
    own = LimitSettings(**{field.name: getattr(limits, field.name) for field in fields(LimitSettings)})
    return _load(path.resolve(), variant, own)


@lru_cache(maxsize=32)
def _load(path: Path, variant: int, limits: LimitSettings) -> RobotDescription:
    answer = _ask(path, variant, limits)
    try:
        read = json.loads(answer)
        if "error" in read:
            raise RobotError(read["error"])
        # JSON has no numbers as keys.
        document = {**read["document"], "variants": {number: {} for number in read["variants"]}}
        return describe(path, document, read["urdf"], variant)
    # The process died, mostly for want of memory.
    except (ValueError, RecursionError):
        memory = f"{limits.robot_file_memory} MB (setting robot_file_memory)"
        raise RobotError(f"{path}: cannot be read; is {memory} too little memory for it?") from None


def _ask(path: Path, variant: int, limits: LimitSettings) -> bytes:
    """The answer of the process, empty if it died."""
    command = [sys.executable, "-m", _READER, json.dumps([str(path), variant, asdict(limits)])]
    # Threads of numpy's libraries take memory each.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    nothing, pipe, timeout = subprocess.DEVNULL, subprocess.PIPE, limits.robot_file_time
    try:
        with _TURN:
            return subprocess.run(
                command, stdin=nothing, stdout=pipe, stderr=nothing, timeout=timeout, env=environment, check=False
            ).stdout
    except subprocess.TimeoutExpired:
        limit = f"{limits.robot_file_time:g} s (setting robot_file_time)"
        raise RobotError(f"{path}: reading its files takes longer than {limit}") from None
    except OSError as error:
        raise RobotError(f"{path}: no process to read it can be started: {cut(str(error), 80)}") from None
