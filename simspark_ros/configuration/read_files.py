"""Keeps the results of reading files until one of the files changes.

Readers note each file by `note_file` before they open it; `kept_until_edited` keeps a result with its files.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

FileState = tuple[int, ...] | None
"""Times of the last changes of a file and of its entry, ns, and its size; None if there is no such file."""

FileStates = Mapping[str, FileState]
"""States by path."""

_TICK = 20_000_000
"""Clocks of file systems do not tell two changes within this time apart, ns."""

P = ParamSpec("P")
T = TypeVar("T")

_noted: ContextVar[dict[str, FileState] | None] = ContextVar("noted", default=None)


def state_of(path: str | Path) -> FileState:
    """The state of a file now."""
    try:
        status = os.stat(path)
    # A path may hold a NUL, too.
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def note_file(path: Path) -> FileState:
    """Note that what is being made depends on a file, which need not exist; its state now."""
    state = state_of(path)
    note_files({str(path): state})
    return state


def note_files(states: FileStates) -> None:
    """Note files with the states that they were read in."""
    noted = _noted.get()
    if noted is not None:
        noted.update({**states, **noted})


@contextmanager
def noted_files() -> Iterator[FileStates]:
    """The files that the block notes, with the states that they were read in."""
    states: dict[str, FileState] = {}
    token = _noted.set(states)
    try:
        yield states
    finally:
        _noted.reset(token)
        note_files(states)


def kept_until_edited(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `functools.lru_cache`, for functions that read files: a result holds as long as all its files stay the same.

    Args:
        most: the number of results that are kept.
    """

    def keeping(make: Callable[P, T]) -> Callable[P, T]:
        kept: dict[object, tuple[T, FileStates]] = {}
        lock = threading.Lock()

        @wraps(make)
        def get(*args: P.args, **kwargs: P.kwargs) -> T:
            key = args, tuple(sorted(kwargs.items()))
            with lock:
                found = kept.get(key)
            if found is None or any(state_of(path) != state for path, state in found[1].items()):
                with noted_files() as files:
                    found = make(*args, **kwargs), files
            note_files(found[1])
            if _is_settled(found[1]):
                with lock:
                    kept.pop(key, None)
                    kept[key] = found
                    while len(kept) > most:
                        del kept[next(iter(kept))]
            return found[0]

        return get

    return keeping


def _is_settled(files: FileStates) -> bool:
    """Whether every change of the files from now on shows in their states."""
    latest = time.time_ns() - _TICK
    return all(state is None or state[0] < latest for state in files.values())
