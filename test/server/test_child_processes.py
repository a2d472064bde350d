"""Processes that a server starts are told what they need to know of it."""

from __future__ import annotations

from typing import Any

import pytest

from simspark_ros.server import child_processes
from simspark_ros.server.child_processes import start_demo_team, start_viewer
from simspark_ros.server.viewer_settings import ViewerSettings


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The words of all processes, none of which is started."""
    words: list[list[str]] = []

    def child(name: str, command: list[str], *_: Any, **__: Any) -> None:
        words.append(command)

    monkeypatch.setattr(child_processes, "Child", child)
    return words


def test_demonstration_teams_and_the_page_are_told_the_world(started: list[list[str]]) -> None:
    start_demo_team("Lions", 3, "127.0.0.1", 3100, "spl", {}, 0, "T1")
    start_viewer(ViewerSettings(world="spl"), 0)
    assert all("--world=spl" in words for words in started) and len(started) == 2
    assert started[0][started[0].index("--robot") + 1] == "T1"
