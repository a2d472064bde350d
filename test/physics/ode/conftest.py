"""Tests of this folder try ODE; those that need a world are skipped by name where there is no ODE."""

from __future__ import annotations

import pytest

from test.physics.installed import skip_without


@pytest.fixture
def engine_name() -> str:
    return "ode"


@pytest.fixture
def needs_ode() -> None:
    skip_without("ode")
