"""Topics below `drawings/` that programs publish for those who watch: particles, maps, features."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.ros.conversions import MAP
from simspark_ros.ros.endpoints import create_subscription
from simspark_ros.ros.topics.publisher import MissingMessagesError, TopicError, message_type
from simspark_ros.simulation.drawings import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_CELLS,
    MOST_DRAWINGS,
    MOST_POINTS,
    MOST_SEGMENTS,
    MOST_TEXTS,
    ORANGE,
    Colours,
    Drawing,
    Drawings,
    Plane,
    tinted,
)

MOST_MARKERS = 1000
FREE, OCCUPIED, UNKNOWN = (245, 245, 245), (30, 30, 30), (150, 165, 160)
"""Colours of cells of a map."""

_CIRCLE = np.column_stack([np.cos(a := np.linspace(0.0, math.tau, 17)), np.sin(a), np.zeros(17)]) / 2.0
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_EDGES = np.array([[a, b] for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1])


class Reader:
    """Reads messages of a topic.

    Attributes:
        adds_up: whether a message changes the drawing of earlier messages instead of replacing it.
    """

    adds_up = False

    def read(self, message: Any) -> Drawing:
        """The drawing after a message.

        Raises:
            ValueError: the message cannot be drawn; the text says why.
        """
        raise NotImplementedError


class PosesReader(Reader):
    """Particles, of geometry_msgs/PoseArray: their places and headings."""

    def read(self, message: Any) -> Drawing:
        """See `Reader.read`."""
        _check_frame(message.header.frame_id)
        _check_count("poses", len(message.poses), MOST_SEGMENTS)
        rows = [(p.position.x, p.position.y, _yaw(p.orientation)) for p in message.poses]
        return Drawing.of_poses(np.array(rows, float).reshape(-1, 3))


class GridReader(Reader):
    """A map, of nav_msgs/OccupancyGrid, at the ground."""

    def read(self, message: Any) -> Drawing:
        """See `Reader.read`."""
        _check_frame(message.header.frame_id)
        info = message.info
        _check_count("cells", info.width * info.height, MOST_CELLS)
        cells = np.asarray(message.data, np.int64)
        if cells.size != info.width * info.height or not cells.size:
            raise ValueError("its number of cells is not width times height")
        share = np.clip(cells, 0, 100)[:, None] / 100.0
        colours = np.where(cells[:, None] < 0, UNKNOWN, np.array(FREE) * (1 - share) + np.array(OCCUPIED) * share)
        # The first row of a map is its southern one, of a picture its upper one.
        pixels = colours.astype(np.uint8).reshape(info.height, info.width, 3)[::-1]
        width, height = info.width * info.resolution, info.height * info.resolution
        heading = _yaw(info.origin.orientation)
        c, s, x, y = math.cos(heading), math.sin(heading), width / 2.0, height / 2.0
        corner = info.origin.position
        centre = (corner.x + c * x - s * y, corner.y + s * x + c * y, max(corner.z, 0.01))
        return Drawing(plane=Plane(pixels, width, height, centre, heading))


class PointsReader(Reader):
    """Points, of sensor_msgs/PointCloud2 with x, y, z of 32 bits."""

    def read(self, message: Any) -> Drawing:
        """See `Reader.read`."""
        _check_frame(message.header.frame_id)
        count = message.width * message.height
        _check_count("points", count, MOST_POINTS)
        offsets = {field.name: field.offset for field in message.fields if field.datatype == field.FLOAT32}
        if not {"x", "y", "z"} <= offsets.keys() or message.is_bigendian:
            raise ValueError("its points need fields x, y and z of 32 bits, little-endian")
        places = [offsets[name] for name in "xyz"]
        kind = np.dtype(
            {"names": list("xyz"), "formats": ["<f4"] * 3, "offsets": places, "itemsize": message.point_step}
        )
        data = bytes(message.data)
        if len(data) != count * message.point_step:
            raise ValueError("its number of bytes does not match its width and height")
        table = np.frombuffer(data, kind)
        points = np.column_stack([table[name] for name in "xyz"]).astype(np.float64)
        points = points[np.isfinite(points).all(axis=1)]
        return Drawing(points=points, point_colours=tinted(len(points), ORANGE))


class MarkersReader(Reader):
    """Features, of visualization_msgs/MarkerArray: outlines of solids, arrows, lines, points, texts.

    Markers stay until they are deleted; their lifetimes and meshes are not looked at.
    """

    adds_up = True

    def __init__(self) -> None:
        self._markers: dict[tuple[str, int], Any] = {}

    def read(self, message: Any) -> Drawing:
        """See `Reader.read`."""
        for marker in message.markers:
            if marker.action == marker.DELETEALL:
                self._markers.clear()
            elif marker.action == marker.DELETE:
                self._markers.pop((marker.ns, marker.id), None)
            else:
                _check_frame(marker.header.frame_id)
                self._markers[marker.ns, marker.id] = marker
        if len(self._markers) > MOST_MARKERS:
            self._markers.clear()
            raise ValueError(f"there are more than {MOST_MARKERS} markers")
        return _drawn(list(self._markers.values()))


READERS: dict[str, Callable[[], Reader]] = {
    "geometry_msgs/msg/PoseArray": PosesReader,
    "nav_msgs/msg/OccupancyGrid": GridReader,
    "sensor_msgs/msg/PointCloud2": PointsReader,
    "visualization_msgs/msg/MarkerArray": MarkersReader,
}
"""Readers by the type of a topic."""


def _drawn(markers: Sequence[Any]) -> Drawing:
    points: list[Array] = [np.zeros((0, 3))]
    lines: list[Array] = [np.zeros((0, 2, 3))]
    point_colours, line_colours = [tinted(0, ORANGE)], [tinted(0, ORANGE)]
    texts: list[tuple[float, float, float, str]] = []
    size = 0.0
    for marker in markers:
        scale = np.array([marker.scale.x, marker.scale.y, marker.scale.z])
        if marker.type == marker.TEXT_VIEW_FACING:
            place = marker.pose.position
            texts.append((place.x, place.y, place.z, marker.text[:LONGEST_TEXT]))
        elif marker.type in (marker.POINTS, marker.SPHERE_LIST, marker.CUBE_LIST):
            placed = _placed(marker, _points(marker))
            points.append(placed)
            point_colours.append(_colours(marker, len(placed)))
            size = max(size, float(scale[0]))
        else:
            segments = _placed(marker, _outline(marker, scale))
            lines.append(segments)
            line_colours.append(_colours(marker, len(segments)))
        _check_count("points", sum(map(len, points)), MOST_POINTS)
        _check_count("lines", sum(map(len, lines)), MOST_SEGMENTS)
    _check_count("texts", len(texts), MOST_TEXTS)
    return Drawing(
        points=np.concatenate(points),
        point_colours=np.concatenate(point_colours),
        point_size=size or 0.05,
        segments=np.concatenate(lines),
        segment_colours=np.concatenate(line_colours),
        texts=tuple(texts),
    )


def _outline(marker: Any, scale: Array) -> Array:
    """Segments (M, 2, 3) of a marker's shape, in its own frame."""
    points = _points(marker)
    if marker.type == marker.LINE_LIST:
        return points[: len(points) // 2 * 2].reshape(-1, 2, 3)
    if marker.type == marker.LINE_STRIP:
        return _strip(points)
    if marker.type == marker.ARROW:
        ends = points[:2] if len(points) >= 2 else np.array([[0.0, 0.0, 0.0], [scale[0], 0.0, 0.0]])
        return ends.reshape(1, 2, 3)
    if marker.type == marker.CUBE:
        edges: Array = (_CORNERS * scale)[_EDGES]
        return edges
    if marker.type == marker.CYLINDER:
        return np.concatenate([_strip((_CIRCLE + np.array([0.0, 0.0, z])) * scale) for z in (-0.5, 0.5)])
    if marker.type == marker.SPHERE:
        return np.concatenate([_strip(np.roll(_CIRCLE, axis, axis=1) * scale) for axis in range(3)])
    return np.zeros((0, 2, 3))


def _strip(points: Array) -> Array:
    return np.stack([points[:-1], points[1:]], axis=1)


def _points(marker: Any) -> Array:
    _check_count("points", len(marker.points), MOST_POINTS)
    return np.array([(point.x, point.y, point.z) for point in marker.points], float).reshape(-1, 3)


def _placed(marker: Any, points: Array) -> Array:
    """Points (..., 3) of a marker in the frame of the world."""
    place, turn = marker.pose.position, marker.pose.orientation
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    length = np.linalg.norm(quaternion)
    rotation = rotations_from_quaternions(quaternion[None] / length)[0] if length > 1e-6 else np.eye(3)
    placed: Array = points @ rotation.T + [place.x, place.y, place.z]
    return placed


def _colours(marker: Any, count: int) -> Colours:
    colour = [marker.color.r, marker.color.g, marker.color.b]
    return tinted(count, tuple(np.clip(np.nan_to_num(np.array(colour) * 255.0), 0.0, 255.0).astype(int).tolist()))


def _yaw(turn: Any) -> float:
    """Heading of a quaternion of any length, rad."""
    x, y, z, w = turn.x, turn.y, turn.z, turn.w
    return math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)


def _check_frame(frame: str) -> None:
    if frame.lstrip("/") not in ("", MAP):
        raise ValueError(f"its frame is '{frame[:40]}'; drawings have to be in '{MAP}'")


def _check_count(what: str, count: int, most: int) -> None:
    if count > most:
        raise ValueError(f"it has {count} {what}; at most {most} are drawn")


FOLDER = "/drawings/"
LOOK, LEAST = 1.0, 0.1
"""Seconds between two looks for topics, and between two messages of a topic that are drawn."""


class DrawingTopics:
    """Subscribes to the topics while somebody watches; in the executor's thread.

    The page draws geometry_msgs/PoseArray (particles), nav_msgs/OccupancyGrid (maps), sensor_msgs/PointCloud2 and,
    where its package is installed, visualization_msgs/MarkerArray (features), all in the frame `map`.
    """

    def __init__(self, node: Node, drawings: Drawings) -> None:
        self._node, self._drawings = node, drawings
        self._subscriptions: dict[str, Any] = {}
        self._due = 0.0

    def refresh(self) -> None:
        """Look for topics that came and went."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + LOOK
        found = self._found() if self._drawings.is_wanted else {}
        for topic in self._subscriptions.keys() - found.keys():
            if (subscription := self._subscriptions.pop(topic)) is not None:
                self._node.destroy_subscription(subscription)
            if self._drawings.is_wanted:
                self._drawings.remove(_name(topic))
        for topic, kind in found.items():
            if topic not in self._subscriptions and len(self._subscriptions) < MOST_DRAWINGS:
                self._subscribe(topic, kind)

    def _found(self) -> dict[str, str]:
        """Types of the topics that are published, by name."""
        return {
            topic: kinds[0]
            for topic, kinds in self._node.get_topic_names_and_types()
            if FOLDER in topic and len(topic) <= LONGEST_NAME and kinds[0] in READERS and self._offers(topic)
        }

    def _offers(self, topic: str) -> list[Any]:
        found: list[Any] = self._node.get_publishers_info_by_topic(topic)
        return found

    def _subscribe(self, topic: str, kind: str) -> None:
        try:
            type_ = message_type(kind)
        except (MissingMessagesError, TopicError) as error:
            self._node.get_logger().warning(f"'{topic}' is not drawn: {error}")
            self._subscriptions[topic] = None
            return
        kept = all(one.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for one in self._offers(topic))
        # Maps are published once, also for later subscribers.
        qos = (
            QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            if kept
            else QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        )
        drawn = _Drawn(topic, READERS[kind](), self._drawings, self._node.get_logger().warning)
        self._subscriptions[topic] = create_subscription(self._node, type_, topic, drawn.take, qos)


class _Drawn:
    """A topic that is drawn; messages that cannot be drawn are reported once."""

    def __init__(self, topic: str, reader: Reader, drawings: Drawings, warn: Callable[[str], object]) -> None:
        self._topic, self._reader, self._drawings = topic, reader, drawings
        self._warn: Callable[[str], object] | None = warn
        self._due = 0.0

    def take(self, message: Any) -> None:
        """Draw a message."""
        now = time.monotonic()
        if now < self._due and not self._reader.adds_up:
            return
        self._due = now + LEAST
        try:
            self._drawings.put(_name(self._topic), self._reader.read(message))
        except ValueError as error:
            if self._warn is not None:
                self._warn(f"'{self._topic}' is not drawn: {error}")
                self._warn = None


def _name(topic: str) -> str:
    return topic.lstrip("/")
