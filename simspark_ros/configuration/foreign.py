"""Reads files that a client names in a process with limits of time and memory, never in the server's process.

A model file in xacro is a program, a few bytes of YAML hold billions of entries, and any file may be long. So the
reading process may be killed at any moment, and the server reads only that process's checked result.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from simspark_ros.configuration.copies import Original, read_all
from simspark_ros.configuration.errors import UserError, cut
from simspark_ros.configuration.limits import LimitSettings, OwnFileLimits
from simspark_ros.configuration.names import is_unicode
from simspark_ros.configuration.read_files import note_file, note_files, noted_files

MAX_READERS = 2
"""Most processes that read at a time; each may use its limits in full."""

CLOCK_TIMES = 6
"""Factor of `robot_file_time` that bounds the wall time of reading, on a busy machine or from a blocked file."""

# Each thread of numpy's libraries takes memory, and MuJoCo's windows take time.
_FRUGAL = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MUJOCO_GL": "disable"}

_reads_for_client = False

_TURN = threading.Semaphore(MAX_READERS)

_WORDINESS = 4
"""Factor of the size of a file that bounds its content once aliases, macros and bases are written out."""


def ask(
    reader: str, path: Path, arguments: Sequence[Any], limits: LimitSettings, error: type[UserError]
) -> dict[str, Any]:
    """Read a file in a process; takes up to `CLOCK_TIMES` times `robot_file_time`. Safe from any thread.

    Args:
        reader: module whose `main` calls `answer`.
        path: path of the file.
        arguments: values for the reader that JSON can hold.
        limits: limits of the process.
        error: class of the errors.

    Raises:
        error: the file cannot be used, or only beyond the limits.
    """
    try:
        told: dict[str, Any] = json.loads(_run(reader, path, arguments, limits, error))
    # The process died, mostly for lack of memory.
    except (ValueError, RecursionError):
        memory = f"{limits.robot_file_memory} MB (setting robot_file_memory)"
        raise error(f"{path}: cannot be read; perhaps it needs more memory than {memory}") from None
    if "error" in told:
        raise error(told["error"])
    note_files({name: state and tuple(state) for name, state in told["files"].items()})
    read: dict[str, Any] = told["read"]
    return read


def prepare(reader: str) -> None:
    """Start the process that will read by a module: its imports take as long as those of a command."""
    _readers().prepare(reader)


def _run(reader: str, path: Path, arguments: Sequence[Any], limits: LimitSettings, error: type[UserError]) -> bytes:
    """The answer of the process, empty if it died."""
    given = json.dumps([str(path), *arguments, isinstance(limits, OwnFileLimits), asdict(limits)])
    timeout = CLOCK_TIMES * limits.robot_file_time
    setting = f"robot_file_time = {limits.robot_file_time:g} s"
    try:
        with _TURN, _pipe() as (answers, answer_to), open(os.devnull, "wb") as nothing:
            files = answer_to.fileno(), nothing.fileno()
            reading = _readers().copy(reader, [given], {**os.environ, **_FRUGAL}, files)
            answer_to.close()
            try:
                told = read_all(answers.fileno(), timeout)
            finally:
                used = _processor_time(reading.pid)
                reading.kill()
                reading.wait(timeout)
    except subprocess.TimeoutExpired:
        slow = f"{path}: reading its files takes longer than {timeout:g} s ({CLOCK_TIMES} x {setting})"
        raise error(f"{slow}, with {used:.1f} s of processor time: {_blamed(used, limits)}") from None
    except OSError as failure:
        raise error(f"{path}: the process that reads it cannot be started: {cut(str(failure), 80)}") from None
    if reading.returncode == -signal.SIGXCPU:
        raise error(f"{path}: reading its files takes more processor time than {setting}")
    return told


@cache
def _readers() -> Original:
    """The process whose copies read: imports take ten times as long as a usual file."""
    return Original({**os.environ, **_FRUGAL})


@contextmanager
def _pipe() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """A pipe, as files to read from and to write to."""
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as answers, open(writing, "wb", buffering=0) as answer_to:
        yield answers, answer_to


def _processor_time(pid: int) -> float:
    """Processor time that a process has used, s; 0 if it has ended."""
    try:
        # The number of its clock, see clock_getcpuclockid(3).
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _blamed(used: float, limits: LimitSettings) -> str:
    """The culprit if a process with this processor time, s, has not read a file: the file or the machine."""
    if used > limits.robot_file_time / 2.0:
        return "the file takes too long"
    return "the machine is busy, so try again, or something blocks the file"


@contextmanager
def as_file(text: str, suffix: str, limits: LimitSettings, error: type[UserError]) -> Iterator[Path]:
    """A file with a text that a client has sent, while the block runs; errors as in `ask`."""
    if not is_unicode(text):
        raise error("resource_string is not UTF-8")
    # It is UTF-8 now, whatever it declares.
    content = text.encode("utf-8-sig" if text.lstrip().startswith("<?xml") else "utf-8")
    if len(content) > limits.robot_file_size:
        raise error(f"resource_string has {len(content)} bytes; robot_file_size allows {limits.robot_file_size}")
    try:
        with tempfile.TemporaryDirectory(prefix="simspark-") as folder:
            path = Path(folder, f"resource_string{suffix}")
            path.write_bytes(content)
            yield path
    except OSError as failure:
        raise error(f"resource_string cannot be written to a file: {failure.strerror}") from None


def answer(arguments: str, read: Callable[..., dict[str, Any]]) -> NoReturn:
    """In the process: read the file in the arguments, within their limits, and print the result or an error.

    The result comes with the states of all files that it was made from. `read` gets path, arguments and limits.
    """
    # Output of a xacro file must not mix with the answer.
    answer_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    global _reads_for_client
    path, *rest, is_own, given = json.loads(arguments)
    _reads_for_client = not is_own
    limits = (OwnFileLimits if is_own else LimitSettings)(**given)
    _restrict(limits)
    try:
        with noted_files() as files:
            note_file(Path(path))
            check_file_size(Path(path), limits)
            text = json.dumps({"read": read(Path(path), *rest, limits), "files": files})
    except UserError as error:
        text = json.dumps({"error": str(error)})
    except OSError as error:
        text = json.dumps({"error": f"{path}: cannot be read: {error.strerror or error}"})
    except MemoryError:
        raise
    # Whatever a library makes of a file is told.
    except Exception as error:
        told = " ".join(str(error).split())
        text = json.dumps({"error": f"{path}: cannot be read: {type(error).__name__}: {cut(told, 200)}"})
    with answer_to:
        answer_to.write(text)
    # Nothing is left to do; to end in order takes the libraries a third of a second.
    os._exit(0)


def reads_for_client() -> bool:
    """Whether this process reads a file that a client names."""
    return _reads_for_client


def check_file_size(path: Path, limits: LimitSettings) -> None:
    """Refuse a file that is too long, by a `UserError`."""
    size = path.stat().st_size
    if size > limits.robot_file_size:
        raise UserError(f"{path}: has {size} bytes; robot_file_size allows {limits.robot_file_size}")


def check_written_out(path: Path, content: Any, limits: LimitSettings, default: Callable[[Any], Any]) -> None:
    """Refuse what becomes too long when it is written out, by a `UserError`.

    `default` is json's, for values that have no form in JSON.
    """
    if len(json.dumps(content, default=default)) > _WORDINESS * limits.robot_file_size:
        raise UserError(f"{path}: is larger than {_WORDINESS} x robot_file_size once it is expanded")


def _restrict(limits: LimitSettings) -> None:
    """Limit this process's processor time and memory, and forbid it to write files."""
    memory, seconds = limits.robot_file_memory * 1_000_000, math.ceil(limits.robot_file_time)
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(kind, (most, most))
    # The soft limit sends SIGXCPU, which tells the parent the reason; the hard limit kills.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
