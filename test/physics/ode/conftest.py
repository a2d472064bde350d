"""Tests of this folder try ODE; those that need a world are skipped by name where there is no ODE."""

from collections.abc import Callable

import pytest

from test.physics.conftest import Lab


@pytest.fixture
def engine_name() -> str:
    return "ode"


@pytest.fixture
def is_awake(lab: Lab) -> Callable[[int], bool]:
    return lambda robot: bool(lab.core._robots[robot].is_awake())
