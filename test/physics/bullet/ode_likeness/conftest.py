"""Tests of this folder try PyBullet's preset of classic agents."""

from __future__ import annotations

import pytest


@pytest.fixture
def engine_preset() -> str:
    return "legacy"
