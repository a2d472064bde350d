"""Processes of a match that end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from test.rigs.witness import Witness


@pytest.fixture
def using(record_property: Callable[[str, object], None]) -> Iterator[Callable[[Any], Any]]:
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
