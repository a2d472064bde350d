"""The engines that tests are repeated on."""

import pytest

from simspark_ros.physics.registry import engine_names
from test.physics.engine_availability import skip_without


def spatial_engine_names() -> tuple[str, ...]:
    """Names of the engines in whose worlds bodies fall, tip over and jump: all but `planar`."""
    return tuple(name for name in engine_names() if name != "planar")


@pytest.fixture(params=spatial_engine_names())
def engine(request: pytest.FixtureRequest) -> str:
    """The name of each of them that is installed here."""
    skip_without(request.param)
    return str(request.param)
