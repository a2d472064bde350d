"""What a robot sees as a message, against the percepts it is made of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from simspark_ros.ros.player.percepts import sight_of
from simspark_ros.ros.topics.vision import SeenObjectsFeed, target_names


def looks(play: Any) -> list[Any]:
    """Percepts of three cycles with two players."""
    played = play()
    played.join("a", "Red", 3)
    played.join("b", "Blue", 7)
    return [played.run(1) for _ in range(3)]


def feed_of(row: int) -> SeenObjectsFeed:
    feed = SeenObjectsFeed(SimpleNamespace(stamp=Time()), "head")  # type: ignore[arg-type]
    feed.bind(SimpleNamespace(row=row))  # type: ignore[arg-type]
    return feed


def view_of(percepts: Any) -> Any:
    return SimpleNamespace(percepts=percepts)


@pytest.mark.parametrize("row", [0, 1])
def test_a_message_comes_in_the_cycles_of_a_look_with_all_that_is_seen(play, row):
    feed = feed_of(row)
    news = [percepts for percepts in looks(play) if feed.has_news(view_of(percepts))]
    assert len(news) == 1
    percepts = news[0]
    feed.fill(view_of(percepts))
    sight = percepts.sight
    observer = sight.observers.tolist().index(row)
    start, end = sight.object_offset[observer : observer + 2]
    assert len(feed.message.names) == end - start > 0
    polar = np.array([feed.message.ranges, feed.message.bearings, feed.message.elevations]).T
    assert polar == pytest.approx(sight.object_polar[start:end])
    assert set(sight_of(feed.message).marks) <= {"F1L", "F2L", "F1R", "F2R", "G1L", "G2L", "G1R", "G2R"}


def test_players_are_named_by_team_number_and_part_and_strangers_not_at_all(play):
    layout = looks(play)[0].layout
    names = target_names(layout)
    assert names[: len(layout.landmarks)] == list(layout.landmarks)
    assert "Red/3/head" in names and "Blue/7/lfoot" in names
    stranger = SimpleNamespace(team="", unum=0)
    nobody = SimpleNamespace(targets=(("B", -1), ("head", 0)), robots=(stranger,))
    assert target_names(nobody) == ["B", ""]  # type: ignore[arg-type]
