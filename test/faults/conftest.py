"""Processes of a match that end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest


@pytest.fixture
def using() -> Iterator[Callable[[Any], Any]]:
    """Enters context managers, which end with the test."""
    with ExitStack() as stack:
        yield stack.enter_context
