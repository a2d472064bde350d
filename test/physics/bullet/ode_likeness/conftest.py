"""Tests of this folder try PyBullet's preset of classic agents."""

import pytest


@pytest.fixture
def engine_preset() -> str:
    return "legacy"
