"""The C library's allocator, for processes that live long."""

from __future__ import annotations

import ctypes

# glibc's name for the number of arenas, see mallopt(3).
_M_ARENA_MAX = -8

ARENAS = 2
"""As many threads allocate at a time without waiting for each other."""


def use_few_arenas() -> None:
    """Have the threads that are started from now on share arenas; does nothing where the C library is not glibc.

    By itself glibc gives each thread one of its own, up to eight a core, which keeps what was freed in it: a server of
    twenty threads grew by some percent in 20 minutes of joins, leaves and connections, and nothing was lost.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(_M_ARENA_MAX, ARENAS)


def return_freed_memory() -> None:
    """Give back to the system what was freed here and there; does nothing where the C library is not glibc."""
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
