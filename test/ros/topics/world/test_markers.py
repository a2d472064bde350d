"""Field, goals, obstacles and drawings of agents as markers for viewers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simspark_ros.ros.cycle import Cycle
from simspark_ros.server.agents.drawings import NAME
from simspark_ros.simulation.drawings import Drawing, Drawings, tinted


def test_markers_have_lines_goals_and_obstacles_once_for_each_world(play: Callable[..., Any]) -> None:
    messages = pytest.importorskip("visualization_msgs.msg", reason="visualization_msgs is not installed")
    from simspark_ros.ros.topics.world.markers import MarkersPublisher

    played, cycle = play(world="obstacles"), Cycle()
    cycle.update(played.world, played.run(1), {})
    publisher = MarkersPublisher(cycle)
    assert publisher.fill() and not publisher.fill()
    first, *shown = publisher.message.markers
    assert first.action == messages.Marker.DELETEALL
    assert {marker.header.frame_id for marker in shown} == {"map"}
    by_name = {marker.ns: marker for marker in shown}
    assert {obstacle.name for obstacle in played.world.scene.obstacles} <= by_name.keys()
    assert len(by_name) == len(shown)
    assert all(len(marker.points) % 3 == 0 for marker in shown if marker.type == messages.Marker.TRIANGLE_LIST)


def test_lines_are_where_robots_sense_them_and_parts_have_names_by_which_viewers_hide_them(played: Any) -> None:
    messages = pytest.importorskip("visualization_msgs.msg", reason="visualization_msgs is not installed")
    from simspark_ros.ros.topics.world.markers import MarkersPublisher

    cycle = Cycle()
    cycle.update(played.world, played.run(1), {})
    publisher = MarkersPublisher(cycle)
    publisher.fill()
    (lines,) = (marker for marker in publisher.message.markers if marker.type == messages.Marker.LINE_LIST)
    ends = [[point.x, point.y, point.z] for point in lines.points]
    field = played.world.settings.field
    assert np.array(ends).reshape(-1, 2, 3) == pytest.approx(np.array(field.lines()))
    shown = {marker.ns: [point.x for point in marker.points] for marker in publisher.message.markers[1:]}
    assert shown.keys() == {"lines", "field_left_goal", "field_right_goal", "field_nets", "field_walls"}
    half = field.length / 2
    assert max(shown["field_left_goal"]) <= -half and half <= min(shown["field_right_goal"])
    assert min(shown["field_walls"]) < min(shown["field_nets"]) <= -half


def test_a_new_drawing_of_agents_becomes_markers_once():
    messages = pytest.importorskip("visualization_msgs.msg", reason="visualization_msgs is not installed")
    from simspark_ros.ros.topics.world.markers import AgentDrawingsPublisher

    drawings = Drawings()
    publisher = AgentDrawingsPublisher(Cycle(), drawings)
    assert not publisher.fill()
    lines = np.array([[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]])
    texts = ((0.0, 1.0, 2.0, "here"),)
    drawings.put(NAME, Drawing(segments=lines, segment_colours=tinted(1, (255, 0, 0)), texts=texts))
    drawings.put("other", Drawing())
    assert publisher.fill() and not publisher.fill()
    cleared, line, text = publisher.message.markers
    assert cleared.action == messages.Marker.DELETEALL
    assert (line.type, line.header.frame_id, len(line.points)) == (messages.Marker.LINE_LIST, "map", 2)
    assert (line.points[1].z, line.colors[1].r, line.colors[1].g) == (3.0, 1.0, 0.0)
    assert (text.type, text.text, text.pose.position.y) == (messages.Marker.TEXT_VIEW_FACING, "here", 1.0)
