"""What the C library does with freed memory."""

from __future__ import annotations

import ctypes
from contextlib import suppress

# Numbers of glibc's mallopt(3).
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8

_LARGE = 128 * 1024
"""Blocks from this size on are the system's own and go back to it, bytes: what glibc begins with."""


def give_back_freed_memory() -> None:
    """Let freed memory go back to the system; called before threads start. Another C library than glibc stays as it is.

    By itself glibc raises the size from which it gives blocks back to that of the largest that was freed, and has heaps
    for each thread: the scenes of megabytes that browsers get would leave holes in all of them.
    """
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for parameter, value in ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _LARGE)):
            mallopt(parameter, value)
