"""Fixtures and rigs of the simulator's own tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

import test
from simspark_learning.episodes import Episodes
from simspark_learning.worlds import Wish

# Python has a package `test` too; without this line it hides the folder where these tests run alone.
test.__path__ = [str(Path(__file__).parents[2] / "test"), *test.__path__]

from test.conftest import built_in_parts_work  # noqa: E402, F401


@pytest.fixture
def begin() -> Iterator[Callable[..., Episodes]]:
    """Begins episodes of a task with a number of robots, 1 by default; keyword arguments are options of the task."""
    with ExitStack() as made:

        def start(task: str, count: int = 1, observation: Any = "truth", **options: Any) -> Episodes:
            episodes = made.enter_context(closing(Wish(task, observation, options).episodes(count)))
            episodes.begin(1)
            return episodes

        yield start
