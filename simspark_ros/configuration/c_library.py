"""Calls of the C library and of Linux that Python has no function for; each does nothing where it does not exist."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from functools import cache

# Found before any fork: a forked process must not ask the loader, whose lock another thread may have held.
_LIBRARY = ctypes.CDLL(None)
_MALLOPT, _MALLOC_TRIM, _PRCTL = (getattr(_LIBRARY, name, None) for name in ("mallopt", "malloc_trim", "prctl"))

# glibc's names for the number of arenas and the size of large blocks, see mallopt(3).
_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3
# Linux's name for a signal at the parent's death, see prctl(2).
_PR_SET_PDEATHSIG = 1

ARENAS = 2
"""As many threads allocate at a time without waiting for each other."""

LARGE = 128 * 1024
"""Size of a block that glibc itself begins with, bytes."""

MEMORY_PERIOD = 10.0
"""Wall time between two returns of freed memory, s; each takes 1 to 8 ms of a server."""


@cache
def keep_memory_small() -> None:
    """Have threads share glibc's arenas, and return freed memory every `MEMORY_PERIOD`, as long as the process lives.

    By itself glibc gives each thread an arena of its own, up to eight a core, which keeps what was freed in it: a
    server of twenty threads grew by some percent in 20 minutes of joins, leaves and connections, and nothing was lost.
    Long messages leave holes everywhere. A forked process has to do without the second.
    """
    if _MALLOPT is not None:
        _MALLOPT(_M_ARENA_MAX, ARENAS)
    threading.Thread(target=_return_again_and_again, name="freed memory", daemon=True).start()


def _return_again_and_again() -> None:
    while True:
        time.sleep(MEMORY_PERIOD)
        return_freed_memory()


def give_back_large_blocks() -> None:
    """Have blocks of `LARGE` bytes and more go back to the system when they are freed.

    By itself glibc raises that size to that of the largest that was freed: scenes of megabytes leave holes in the heaps
    then, in which small blocks settle.
    """
    if _MALLOPT is not None:
        _MALLOPT(_M_MMAP_THRESHOLD, LARGE)


def return_freed_memory() -> None:
    """Have glibc give back to the system what was freed here and there."""
    if _MALLOC_TRIM is not None:
        _MALLOC_TRIM(0)


def die_with_parent(parent: int) -> None:
    """Ask Linux to kill this process when its parent has died, by whatever cause; a stopped one heeds only SIGKILL.

    To Linux the parent is the thread that started this process. End at once if the process with the id `parent` has
    died already.
    """
    if _PRCTL is not None:
        _PRCTL(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
