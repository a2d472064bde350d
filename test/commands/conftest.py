"""Fixtures for tests of commands."""

from collections.abc import Callable

import pytest

from simspark_ros.cli import main

Refused = Callable[..., str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    """Runs `simspark` with words that it refuses; returns what it says of them."""

    def of(*words: object) -> str:
        try:
            status = main([str(word) for word in words])
        except SystemExit as error:
            assert isinstance(error.code, int)
            status = error.code
        assert status == 2
        return capsys.readouterr().err

    return of
