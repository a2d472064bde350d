"""Keeps the output of libraries off the terminal (PyBullet announces its build time and switches of solvers)."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Iterator
from importlib import import_module


@contextlib.contextmanager
def silenced(descriptor: int) -> Iterator[None]:
    """Keep the output of this process, C code included, away from file descriptor 1 or 2.

    Raises:
        OSError: there is no file descriptor left for that.
    """
    libc = ctypes.CDLL(None)
    (sys.stdout if descriptor == 1 else sys.stderr).flush()
    libc.fflush(None)
    try:
        saved = os.dup(descriptor)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        # The descriptor is closed: nothing can be printed to it.
        yield
        return
    try:
        with open(os.devnull, "wb") as null:
            os.dup2(null.fileno(), descriptor)
        yield
    finally:
        libc.fflush(None)
        os.dup2(saved, descriptor)
        os.close(saved)


def import_quietly(name: str) -> None:
    """Import a module with file descriptor 2 closed to it; an ImportError passes through."""
    with silenced(2):
        import_module(name)
