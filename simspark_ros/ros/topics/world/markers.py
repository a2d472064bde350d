"""`world_markers`, the field, goals and obstacles, and `agent_drawings`, the agents' drawings, for viewers of ROS."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA

from simspark_ros.physics.engine import Array
from simspark_ros.rendering.drawing.meshes import Colour
from simspark_ros.rendering.ground import LINE_WIDTH
from simspark_ros.rendering.scenery import obstacle_mesh, scenery
from simspark_ros.ros.conversions import MAP
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATCHED, TopicPublisher, message_type
from simspark_ros.server.agents.drawings import NAME
from simspark_ros.simulation.drawings import Colours, Drawing, Drawings
from simspark_ros.soccer.world import soccer_world

PAINTED: Colour = (1.0, 1.0, 1.0, 1.0)
DRAWN_WIDTH, TEXT_HEIGHT = 0.02, 0.2
"""Width of drawn lines and height of texts, m."""
SCENERY = ("left_goal", "right_goal", "nets", "walls")
"""Names of the parts that `scenery` lists, which viewers offer to hide; a world without a field has none of them."""


class _MarkersPublisher(TopicPublisher):
    """Base: markers in `map` that are sent when they change, and kept for late subscribers.

    Raises:
        TopicError: the package of the messages is not installed.
    """

    qos = LATCHED

    def __init__(self, topic: str, cycle: Cycle) -> None:
        super().__init__(topic, message_type("visualization_msgs/msg/MarkerArray")(), cycle)


class MarkersPublisher(_MarkersPublisher):
    """`world_markers` (visualization_msgs/MarkerArray): the field's lines, goals, walls and obstacles, in `map`.

    It is sent to its first subscriber and whenever another world is loaded, and kept for late subscribers.
    """

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("world_markers", cycle)
        self._shown: object = None

    def fill(self) -> bool:
        assert self.cycle.world is not None
        world = soccer_world(self.cycle.world)
        if world.settings is self._shown:
            return False
        self._shown = world.settings
        kind = message_type("visualization_msgs/msg/Marker")
        markers = [kind(action=kind.DELETEALL)]
        ends = np.array([end for line in world.settings.field.lines() for end in line])
        if len(ends):
            markers.append(_marker(kind, "lines", kind.LINE_LIST, 1.0, PAINTED, ends))
            markers[-1].scale.x = LINE_WIDTH
        meshes = {f"field_{name}": seen for name, seen in zip(SCENERY, scenery(world.settings.field), strict=False)}
        meshes |= {obstacle.name: obstacle_mesh(obstacle) for obstacle in world.scene.obstacles}
        for name, (mesh, colour) in meshes.items():
            corners = mesh.vertices[mesh.triangles.ravel()]
            markers.append(_marker(kind, name, kind.TRIANGLE_LIST, 1.0, colour, corners))
        self.message.markers = markers
        return True


class AgentDrawingsPublisher(_MarkersPublisher):
    """`agent_drawings` (visualization_msgs/MarkerArray): drawings of agents (RVDraw, `--draw-port`), in `map`.

    It is sent up to ten times a second while agents draw, and kept for late subscribers.
    """

    def __init__(self, cycle: Cycle, drawings: Drawings) -> None:
        super().__init__("agent_drawings", cycle)
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
    lines = _marker(kind, "lines", kind.LINE_LIST, DRAWN_WIDTH, PAINTED, drawing.segments.reshape(-1, 3))
    lines.colors = _colours(drawing.segment_colours.repeat(2, axis=0))
    points = _marker(kind, "points", kind.POINTS, drawing.point_size, PAINTED, drawing.points)
    points.colors = _colours(drawing.point_colours)
    texts = [_marker(kind, "texts", kind.TEXT_VIEW_FACING, TEXT_HEIGHT, PAINTED) for _ in drawing.texts]
    for number, (marker, (x, y, z, text)) in enumerate(zip(texts, drawing.texts, strict=True)):
        marker.id, marker.text = number, text
        marker.pose.position = Point(x=x, y=y, z=z)
    return [kind(action=kind.DELETEALL), *(one for one in (lines, points) if one.points), *texts]


def _marker(kind: type[Any], name: str, shape: int, size: float, colour: Colour, points: Array | None = None) -> Any:
    """A marker in the frame `map`, with points (K, 3), m."""
    marker = kind(ns=name, type=shape, frame_locked=True)
    marker.header.frame_id, marker.pose.orientation.w = MAP, 1.0
    marker.scale.x = marker.scale.y = marker.scale.z = size
    marker.color = ColorRGBA(**dict(zip("rgba", map(float, colour), strict=True)))
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in ([] if points is None else points.tolist())]
    return marker


def _colours(colours: Colours) -> list[ColorRGBA]:
    return [ColorRGBA(r=r, g=g, b=b, a=1.0) for r, g, b in (colours / 255.0).tolist()]
