"""`world_markers`: field, goals and obstacles for viewers of ROS."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA

from simspark_ros.physics.engine import Array
from simspark_ros.rendering.ground import LINE_WIDTH
from simspark_ros.rendering.obstacles import obstacle_mesh
from simspark_ros.rendering.scenery import Colour, scenery
from simspark_ros.ros.conversions import MAP
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATCHED, TopicPublisher, message_type
from simspark_ros.soccer.world import soccer_world

WHITE: Colour = (1.0, 1.0, 1.0, 1.0)


class MarkersPublisher(TopicPublisher):
    """`world_markers` (visualization_msgs/MarkerArray): the field's lines, goals, walls and obstacles, in `map`.

    It is sent to its first subscriber and whenever another world is loaded, and kept for late subscribers.

    Raises:
        TopicError: the package of the messages is not installed.
    """

    qos = LATCHED

    def __init__(self, cycle: Cycle) -> None:
        super().__init__("world_markers", message_type("visualization_msgs/msg/MarkerArray")(), cycle)
        self._shown: object = None

    def fill(self) -> bool:
        assert self.cycle.world is not None
        world = soccer_world(self.cycle.world)
        if world.settings is self._shown:
            return False
        self._shown = world.settings
        marker = message_type("visualization_msgs/msg/Marker")
        markers = [marker(action=marker.DELETEALL)]
        ends = [end for line in world.settings.field.lines() for end in line]
        if ends:
            markers.append(self._marker(marker, "lines", ends, WHITE))
            markers[-1].type, markers[-1].scale.x = marker.LINE_LIST, LINE_WIDTH
        meshes = {f"field_{number}": seen for number, seen in enumerate(scenery(world.settings.field))}
        meshes |= {obstacle.name: obstacle_mesh(obstacle) for obstacle in world.scene.obstacles}
        for name, (mesh, colour) in meshes.items():
            markers.append(self._marker(marker, name, mesh.vertices[mesh.triangles.ravel()], colour))
        self.message.markers = markers
        return True

    def _marker(self, kind: type[Any], name: str, points: Any | Array, colour: Colour) -> Any:
        """A marker of triangles, (3 T, 3) corners, m, in the frame `map`."""
        marker = kind(ns=name, type=kind.TRIANGLE_LIST, frame_locked=True)
        marker.header.frame_id, marker.pose.orientation.w = MAP, 1.0
        marker.scale.x = marker.scale.y = marker.scale.z = 1.0
        marker.color = ColorRGBA(**dict(zip("rgba", map(float, colour), strict=True)))
        marker.points = [Point(x=float(x), y=float(y), z=float(z)) for x, y, z in points]
        return marker
