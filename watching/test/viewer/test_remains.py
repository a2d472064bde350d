"""Nothing of a browser is kept when it has left, whatever Python's own collector thinks of it."""

import gc
import socket
import struct
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from test.rigs.waiting import until
from watching.test.viewer.conftest import browser, viewing

pytest.importorskip("viser", reason="viser is not installed")

RESET = struct.pack("ii", 1, 0)
"""Value of SO_LINGER with which closing resets the connection."""


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[weakref.WeakSet[Any]]:
    """All connections of browsers that are still held, while Python's own collector is off."""
    from simspark_watching.viewer import visitor

    held: weakref.WeakSet[Any] = weakref.WeakSet()

    class Noted(visitor.Visitor):
        def __init__(self, *words: Any) -> None:
            super().__init__(*words)
            held.add(self)

    monkeypatch.setattr(visitor, "Visitor", Noted)
    gc.disable()
    yield held
    gc.enable()


def test_connections_that_have_ended_are_freed(server: Any, connections: weakref.WeakSet[Any]) -> None:
    with viewing(server.port) as viewer:
        for is_reset in (False, True, False):
            with browser(viewer.url) as page:
                page.recv(timeout=10.0)
                assert connections
                if is_reset:
                    page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    page.socket.close()
        until(lambda: not connections)
