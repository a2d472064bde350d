"""Tests that go through all engines skip, by name, those that are not installed."""

from functools import cache

import pytest

from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.registry import create_engine


def skip_without(engine: str) -> None:
    """Skip the test if the engine cannot be tried here."""
    if why := _absent(engine):
        pytest.skip(why)


@cache
def _absent(engine: str) -> str:
    try:
        create_engine(engine).close()
    except PhysicsError as error:
        return str(error)
    return ""
