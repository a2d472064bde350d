"""Drawings of agents as markers."""

import numpy as np
import pytest

pytest.importorskip("visualization_msgs")

from visualization_msgs.msg import Marker

from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.world.markers import AgentDrawingsPublisher
from simspark_ros.server.agents.drawings import NAME
from simspark_ros.simulation.drawings import Drawing, Drawings, tinted


def test_a_new_drawing_of_agents_becomes_markers_once():
    drawings = Drawings()
    publisher = AgentDrawingsPublisher(Cycle(), drawings)
    assert not publisher.fill()
    lines = np.array([[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]])
    texts = ((0.0, 1.0, 2.0, "here"),)
    drawings.put(NAME, Drawing(segments=lines, segment_colours=tinted(1, (255, 0, 0)), texts=texts))
    drawings.put("other", Drawing())
    assert publisher.fill() and not publisher.fill()
    cleared, line, text = publisher.message.markers
    assert cleared.action == Marker.DELETEALL
    assert (line.type, line.header.frame_id, len(line.points)) == (Marker.LINE_LIST, "map", 2)
    assert (line.points[1].z, line.colors[1].r, line.colors[1].g) == (3.0, 1.0, 0.0)
    assert (text.type, text.text, text.pose.position.y) == (Marker.TEXT_VIEW_FACING, "here", 1.0)
