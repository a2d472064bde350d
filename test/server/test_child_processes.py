"""Processes that a server starts are told what they need to know of it."""

import sys
from dataclasses import replace
from typing import Any

import pytest

from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.rendering.drawing import opengl
from simspark_ros.server import child_processes
from simspark_ros.server.child_processes import check_drawing, start_camera, start_demo_team, start_viewer
from simspark_ros.server.viewer_settings import ViewerSettings
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.settings import field_of, load_soccer_settings


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The words of all processes, none of which is started."""
    words: list[list[str]] = []

    def child(name: str, command: list[str], *_: Any, **__: Any) -> None:
        words.append(command)

    monkeypatch.setattr(child_processes, "Child", child)
    return words


def test_teams_are_told_the_field_the_page_the_world_and_the_camera_seed_and_renderer(started: list[list[str]]) -> None:
    field = replace(load_soccer_settings("spl").field, length=8.3)
    start_demo_team("Lions", 3, "127.0.0.1", 3100, field, {}, 0, "T1")
    start_viewer(ViewerSettings(world="spl"), 0)
    (told,) = (word.removeprefix("--world=") for word in started[0] if word.startswith("--world="))
    assert field_of(told) == field
    assert "--world=spl" in started[1] and len(started) == 2
    assert started[0][started[0].index("--robot") + 1] == "T1"
    start_camera(("--ros-args", "-r", "__ns:=/a"), SimulationSettings(seed=7, renderer="software"), 0)
    assert started[2][-5:] == ["--ros-args", "-p", "seed:=7", "-p", "renderer:=software"] and "__ns:=/a" in started[2]


def test_nothing_starts_to_draw_where_opengl_does_not_start_and_pybullet_is_missing(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(opengl, "chooses_opengl", lambda renderer: (renderer == "egl", ""))
    monkeypatch.setitem(sys.modules, "pybullet", None)
    monkeypatch.delitem(sys.modules, "simspark_ros.rendering.drawing.tiny", raising=False)
    start_camera((), SimulationSettings(renderer="egl"), 0)
    assert len(started) == 1
    start_camera((), SimulationSettings(renderer="auto"), 0)
    assert len(started) == 1 and "no pictures: pictures need the package 'pybullet'" in caplog.text
    # As for agents' pictures.
    with pytest.raises(MissingPackageError, match="pip install pybullet"):
        check_drawing("auto")
