"""What a robot sees as a message, against the percepts it is made of."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.player.percepts import sight_of
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.vision.seen import SeenLinesPublisher, SeenObjectsPublisher, target_names


def looks(play: Any) -> list[Any]:
    played = play()
    played.join("a", "Red", 3)
    played.join("b", "Blue", 7)
    return [played.run(1) for _ in range(3)]


@pytest.mark.parametrize("row", [0, 1])
def test_messages_come_in_the_cycles_of_a_look_with_all_that_is_seen(play, row):
    cycle: Any = SimpleNamespace(stamp=Time(), row=lambda handle: row)
    robot = RobotEntry(7, "a", "a", load_robot("nao"), "robot")
    (feed,), (lines,) = SeenObjectsPublisher.of_robot(robot, cycle), SeenLinesPublisher.of_robot(robot, cycle)
    news = []
    for percepts in looks(play):
        cycle.percepts = percepts
        for publisher in (feed, lines):
            publisher.bind()
            if publisher.fill():
                news.append(percepts)
    assert len(news) == 2 and news[0] is news[1]
    sight = news[0].sight
    observer = sight.observers.tolist().index(row)
    start, end = sight.object_offset[observer : observer + 2]
    assert len(feed.message.names) == end - start > 0
    polar = np.array([feed.message.ranges, feed.message.bearings, feed.message.elevations]).T
    assert polar == pytest.approx(sight.object_polar[start:end])
    start, end = sight.line_offset[observer : observer + 2]
    assert len(lines.message.ranges) == 2 * (end - start) > 0
    assert lines.message.bearings[:2].tolist() == pytest.approx(sight.line_polar[start, :, 1])
    assert set(sight_of(feed.message).marks) <= {"F1L", "F2L", "F1R", "F2R", "G1L", "G2L", "G1R", "G2R"}


def test_players_are_named_by_team_number_and_part_and_strangers_not_at_all(play):
    layout = looks(play)[0].layout
    names = target_names(layout)
    assert names[: len(layout.landmarks)] == list(layout.landmarks)
    assert "Red/3/head" in names and "Blue/7/lfoot" in names
    stranger = SimpleNamespace(team="", unum=0)
    without_team = SimpleNamespace(targets=(("B", -1), ("head", 0)), robots=(stranger,))
    assert target_names(without_team) == ["B", ""]  # type: ignore[arg-type]
