"""`agent_drawings`: what agents draw for RoboViz, for viewers of ROS."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA

from simspark_ros.physics.engine import Array
from simspark_ros.ros.conversions import MAP
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATCHED, TopicPublisher, message_type
from simspark_ros.server.agent_drawings import NAME
from simspark_ros.simulation.drawings import Colours, Drawing, Drawings, tinted

WHITE = (255, 255, 255)
LINE_WIDTH, TEXT_HEIGHT = 0.02, 0.2
"""Width of lines and height of texts, m."""


class AgentDrawingsPublisher(TopicPublisher):
    """`agent_drawings` (visualization_msgs/MarkerArray): drawings of agents (RVDraw, `--draw-port`), in `map`.

    It is sent up to ten times a second while agents draw, and kept for late subscribers.

    Raises:
        TopicError: the package of the messages is not installed.
    """

    qos = LATCHED

    def __init__(self, cycle: Cycle, drawings: Drawings) -> None:
        super().__init__("agent_drawings", message_type("visualization_msgs/msg/MarkerArray")(), cycle)
        self._drawings, self._revision = drawings, 0

    def fill(self) -> bool:
        """Take the drawing if it is a new one."""
        newer = self._drawings.since(self._revision)
        if newer:
            self._revision = newer[-1][0]
        new = [drawing for _, name, drawing in newer if name == NAME]
        if new:
            self.message.markers = markers_of(new[-1])
        return bool(new)


def markers_of(drawing: Drawing) -> list[Any]:
    """Markers of a drawing, which replace all earlier ones."""
    kind = message_type("visualization_msgs/msg/Marker")
    lines = _marker(kind, "lines", kind.LINE_LIST, LINE_WIDTH)
    _fill(lines, drawing.segments.reshape(-1, 3), drawing.segment_colours.repeat(2, axis=0))
    points = _marker(kind, "points", kind.POINTS, drawing.point_size)
    _fill(points, drawing.points, drawing.point_colours)
    texts = [_marker(kind, "texts", kind.TEXT_VIEW_FACING, TEXT_HEIGHT) for _ in drawing.texts]
    for number, (marker, (x, y, z, text)) in enumerate(zip(texts, drawing.texts, strict=True)):
        marker.id, marker.text = number, text
        marker.pose.position = Point(x=x, y=y, z=z)
    return [kind(action=kind.DELETEALL), *(one for one in (lines, points) if one.points), *texts]


def _marker(kind: type[Any], name: str, shape: int, size: float) -> Any:
    marker = kind(ns=name, type=shape, frame_locked=True)
    marker.header.frame_id, marker.pose.orientation.w = MAP, 1.0
    marker.scale.x = marker.scale.y = marker.scale.z = size
    (marker.color,) = _colours(tinted(1, WHITE))
    return marker


def _fill(marker: Any, places: Array, colours: Colours) -> None:
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in places.tolist()]
    marker.colors = _colours(colours)


def _colours(colours: Colours) -> list[ColorRGBA]:
    return [ColorRGBA(r=r, g=g, b=b, a=1.0) for r, g, b in (colours / 255.0).tolist()]
