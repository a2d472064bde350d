"""The line behind the ball."""

from typing import Any

import numpy as np
import pytest

from simspark_watching.viewer.trail import PERIOD, SECONDS, Trail


class Scene:
    """The lines that are in the scene."""

    def __init__(self) -> None:
        self.lines: dict[str, Any] = {}

    def add_line_segments(self, name: str, points: Any, colours: Any, thickness: float) -> Any:
        self.lines[name] = points
        return self

    def remove(self) -> None:
        self.lines.clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    time = [100.0]
    monkeypatch.setattr("simspark_watching.viewer.trail.time.monotonic", lambda: time[0])
    return time


def follow(line: Trail, clock: list[float], *places: float) -> None:
    for x in places:
        clock[0] += PERIOD
        line.take(np.array((x, 0.0, 0.0)))


def test_it_goes_through_the_last_places_of_the_ball_and_not_over_a_jump_while_it_is_wanted(clock: list[float]) -> None:
    scene = Scene()
    line = Trail(scene)
    follow(line, clock, 0.0, 1.0)
    assert not scene.lines
    line.switch(True)
    follow(line, clock, 0.0, 1.0, 9.0, 10.0)
    (segments,) = scene.lines.values()
    assert segments[:, :, 0].tolist() == [[0.0, 1.0], [9.0, 10.0]]
    clock[0] += SECONDS
    follow(line, clock, 11.0)
    assert not scene.lines
    follow(line, clock, 12.0)
    assert scene.lines
    line.switch(False)
    assert not scene.lines
