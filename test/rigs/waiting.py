"""Waiting for an event with a deadline."""

import time
from collections.abc import Callable

DEADLINE = 60.0
"""Seconds after which a test that waits for something has failed: ample for a busy machine and for a browser."""


def until(condition: Callable[[], object], serve: Callable[[], object] = lambda: time.sleep(0.002)) -> None:
    """Serve until something is the case; real time passes, virtual time does not."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it does not happen"
        serve()
