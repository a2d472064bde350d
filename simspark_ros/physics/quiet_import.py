"""Imports a module that prints when it is loaded (PyBullet announces its build time)."""

from __future__ import annotations

import os
import sys
from importlib import import_module


def import_quietly(name: str) -> None:
    """Import a module with file descriptor 2 closed to it; an ImportError passes through."""
    sys.stderr.flush()
    try:
        saved = os.dup(2)
    except OSError:
        import_module(name)
        return
    try:
        with open(os.devnull, "wb") as null:
            os.dup2(null.fileno(), 2)
        import_module(name)
    finally:
        os.dup2(saved, 2)
        os.close(saved)
