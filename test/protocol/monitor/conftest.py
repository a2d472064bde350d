"""Recorded frames of the reference server."""

import json
from pathlib import Path

import pytest

FRAMES = [
    json.loads(line)["s"].encode("latin-1")
    for line in (Path(__file__).parents[2] / "data" / "monitor" / "session.jsonl").read_text().splitlines()
]


@pytest.fixture
def recorded() -> list[bytes]:
    return FRAMES.copy()
