"""Ends the wait of a selector from another thread."""

from __future__ import annotations

import contextlib
import selectors
import socket


class WakeUp:
    """An entry of a selector that other threads and signal handlers can make ready."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        selector.register(self._reader, selectors.EVENT_READ, self._drain)

    def set(self) -> None:
        """End the current wait, or else the next one; safe from any thread and from signal handlers."""
        # The buffer may be full of wake-ups already, or closed.
        with contextlib.suppress(OSError):
            self._writer.send(b"\0")

    def close(self) -> None:
        """Leave the selector; `set` does nothing from here on."""
        self._selector.unregister(self._reader)
        self._writer.close()
        self._reader.close()

    def _drain(self, _mask: int) -> None:
        with contextlib.suppress(BlockingIOError):
            self._reader.recv(4096)
