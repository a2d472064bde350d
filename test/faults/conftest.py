"""Processes of a match that end with the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from test.rigs.processes import Process, simspark
from test.rigs.witness import Witness, port, serve

Using = Callable[[Any], Any]
SILENT = 1.5
"""Seconds after which a silent agent is dropped by `server`."""


def wave(agents: int, *options: str) -> Process:
    return simspark("wave", "--team=Waving", f"--port={agents}", *options)


@pytest.fixture
def using(record_property: Callable[[str, object], None]) -> Iterator[Using]:
    """Enters context managers, which end with the test.

    `pytest test/faults --junit-xml=FILE` writes the longest waits of good clients for a message, s, into the file.
    """
    entered: list[Any] = []
    with ExitStack() as stack:

        def use(context: Any) -> Any:
            entered.append(stack.enter_context(context))
            return entered[-1]

        yield use
    seen = [observation for one in entered if isinstance(one, Witness) for observation in one.seen]
    record_property("longest_gaps", [round(observation.longest_gap, 3) for observation in seen])
    record_property("messages", sum(observation.messages for observation in seen))


@pytest.fixture
def server(using: Using) -> Process:
    process: Process = using(serve(f"--silent-timeout={SILENT}", "--proxy-port=0", "--proxy-limit=0.1"))
    return process


@pytest.fixture
def witness(server: Process, using: Using) -> Witness:
    made: Witness = using(Witness(port(server, "agents"), server))
    return made


@pytest.fixture
def observer(domain: Any, close_later: Callable[[Any], Any]) -> Any:
    from test.rigs.ros_processes import Observer

    return close_later(Observer(domain))
