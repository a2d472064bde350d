"""Fixtures and rigs of the simulator's own tests."""

from pathlib import Path

import pytest

import test

# Python has a package `test` too; without this line it hides the folder where these tests run alone.
test.__path__ = [str(Path(__file__).parents[2] / "test"), *test.__path__]

from test.conftest import built_in_parts_work  # noqa: E402, F401
from test.rigs.logged_match import LoggedMatch  # noqa: E402
from test.rigs.stub_world import close_later, connect_to  # noqa: E402, F401


@pytest.fixture
def logged_match(tmp_path, connect_to, close_later) -> LoggedMatch:  # noqa: F811
    """A match that has ended; its log is `match.log`."""
    made: LoggedMatch = close_later(LoggedMatch(tmp_path / "match.log", connect_to))
    made.play()
    made.end()
    return made
