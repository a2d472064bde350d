"""The process that reads a foreign robot's files; `foreign` starts it, and gets one JSON object from it."""

from __future__ import annotations

import json
import math
import os
import resource
import sys
from pathlib import Path
from typing import Any

from simspark_ros.configuration.c_library import die_with_parent
from simspark_ros.configuration.errors import UserError, kind_of
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import describe, model_text
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.robot_file import ROBOTS
from simspark_ros.robots.size import check_size

_WORDINESS = 4
"""Times the size of a file that its content may have once aliases, macros and bases are written out."""


def main(arguments: str) -> None:
    """Read the files that the arguments name, within their limits, and print texts or an error."""
    # What a xacro file prints must not mix with the answer.
    answer_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    path, variant, given = json.loads(arguments)
    limits = LimitSettings(**given)
    _restrict(limits)
    try:
        answer = _answer(Path(path), variant, limits)
    except UserError as error:
        answer = json.dumps({"error": str(error)})
    except OSError as error:
        answer = json.dumps({"error": f"{path}: cannot be read: {error.strerror}"})
    with answer_to:
        answer_to.write(answer)


def _restrict(limits: LimitSettings) -> None:
    """Let this process end with its parent, and take no more time and memory than the limits; it writes no files."""
    die_with_parent()
    memory, seconds = limits.robot_file_memory * 1_000_000, math.ceil(limits.robot_file_time)
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _answer(path: Path, variant: int, limits: LimitSettings) -> str:
    _check_size(path, limits)
    document = ROBOTS.document(path)
    model = document.get("model")
    if isinstance(model, str) and Path(model).is_file():
        _check_size(Path(model), limits)
    urdf = model_text(path, document, variant)
    check_size(describe(path, document, urdf, variant), limits)
    # Of its variants a description needs the numbers.
    found = {"document": {**document, "variants": {}}, "variants": list(document.get("variants", [0])), "urdf": urdf}
    answer = json.dumps(found, default=_unknown)
    if len(answer) > _WORDINESS * limits.robot_file_size:
        raise RobotError(f"{path}: is larger than {_WORDINESS} x robot_file_size once it is written out")
    return answer


def _check_size(path: Path, limits: LimitSettings) -> None:
    size = path.stat().st_size
    if size > limits.robot_file_size:
        raise RobotError(f"{path}: has {size} bytes; robot_file_size allows {limits.robot_file_size}")


def _unknown(value: Any) -> Any:
    raise RobotError(f"parameters of a perceptor or effector hold {kind_of(value)}, which none takes")


if __name__ == "__main__":
    main(sys.argv[1])
