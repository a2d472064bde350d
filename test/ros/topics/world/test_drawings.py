"""Topics below `drawings/` are drawn within limits while somebody watches."""

import math
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from geometry_msgs.msg import Pose, PoseArray
from nav_msgs.msg import OccupancyGrid
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2, PointField

from simspark_ros.ros.topics.publisher import LATCHED
from simspark_ros.ros.topics.world import drawings as topics
from simspark_ros.ros.topics.world.drawings import DrawingTopics, GridReader, MarkersReader, PointsReader, PosesReader
from simspark_ros.simulation.drawings import MOST_SEGMENTS, Drawings
from test.rigs.waiting import until


@pytest.fixture
def node(ros_here: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    monkeypatch.setattr(topics, "LOOK", 0.0)
    made = Node("room")
    yield made
    made.destroy_node()


def test_a_topic_is_drawn_while_somebody_watches(node: Node, capfd: pytest.CaptureFixture[str]) -> None:
    drawings = Drawings()
    followed = DrawingTopics(node, drawings)
    particles = node.create_publisher(PoseArray, "drawings/mine", 10)
    grid = OccupancyGrid(data=[0])
    grid.info.width = grid.info.height = 1
    grid.info.resolution = 1.0
    # Published once, before anybody listens.
    node.create_publisher(OccupancyGrid, "one/drawings/map", LATCHED).publish(grid)
    wrong = node.create_publisher(OccupancyGrid, "drawings/wrong", 10)
    executor = SingleThreadedExecutor()
    executor.add_node(node)

    def work() -> None:
        particles.publish(PoseArray(poses=[Pose()] * 3))
        wrong.publish(OccupancyGrid())
        followed.refresh()
        executor.spin_once(timeout_sec=0.01)

    for _ in range(5):
        work()
    assert not drawings.since(0) and node.count_subscribers("drawings/mine") == 0
    drawings.is_wanted = True
    until(lambda: {name for _, name, _ in drawings.since(0)} == {"drawings/mine", "one/drawings/map"}, work)
    said: list[str] = []

    def heard() -> bool:
        said.append(capfd.readouterr().err)
        return "'/drawings/wrong' is not drawn: its number of cells" in "".join(said)

    until(heard, work)
    drawings.is_wanted = False
    until(lambda: node.count_subscribers("drawings/mine") == 0, work)
    executor.shutdown()


def pose(x: float, y: float, yaw: float) -> Pose:
    made = Pose()
    made.position.x, made.position.y = x, y
    made.orientation.z, made.orientation.w = math.sin(yaw / 2.0), math.cos(yaw / 2.0)
    return made


def cloud(points: list[tuple[float, float, float]]) -> PointCloud2:
    of_axis = {"datatype": PointField.FLOAT32, "count": 1}
    fields = [PointField(name=name, offset=4 * place, **of_axis) for place, name in enumerate("xyz")]
    data = b"".join(struct.pack("<3f4x", *point) for point in points)
    return PointCloud2(height=1, width=len(points), fields=fields, point_step=16, data=data)


def test_particles_maps_and_points_are_drawn_where_their_messages_say() -> None:
    ((start, end),) = PosesReader().read(PoseArray(poses=[pose(1.0, 2.0, math.pi / 2)])).segments
    assert start[:2] == pytest.approx([1.0, 2.0])
    assert math.atan2(end[1] - start[1], end[0] - start[0]) == pytest.approx(math.pi / 2)
    grid = OccupancyGrid(data=[0, 100, -1, 0, 0, 0])
    grid.info.width, grid.info.height, grid.info.resolution = 3, 2, 0.5
    grid.info.origin = pose(1.0, -1.0, math.pi / 2)
    plane = GridReader().read(grid).plane
    assert plane is not None
    # The first cell is at the corner: a picture's last row.
    assert plane.pixels[1, 1].tolist() == [30, 30, 30] and plane.pixels[0, 1].tolist() == [245, 245, 245]
    assert (plane.width, plane.height, plane.heading) == (1.5, 1.0, pytest.approx(math.pi / 2))
    assert plane.centre[:2] == pytest.approx((0.5, -0.25))
    drawing = PointsReader().read(cloud([(1.0, 2.0, 3.0), (math.nan, 0.0, 0.0)]))
    assert drawing.points.tolist() == [[1.0, 2.0, 3.0]]


def test_what_cannot_be_drawn_is_refused_with_a_reason() -> None:
    elsewhere = PoseArray(poses=[pose(0.0, 0.0, 0.0)])
    elsewhere.header.frame_id = "base_link"
    short, huge = cloud([(0.0, 0.0, 0.0)]), OccupancyGrid()
    short.width = 2
    huge.info.width = huge.info.height = 60_000
    for reader, message, reason in (
        (PosesReader(), elsewhere, "have to be in 'map'"),
        (PosesReader(), PoseArray(poses=[Pose()] * (MOST_SEGMENTS + 1)), "it has 5001 poses; at most 5000 are drawn"),
        (PosesReader(), PoseArray(poses=[pose(math.nan, 0.0, 0.0)]), "coordinates have to be numbers"),
        (PosesReader(), PoseArray(poses=[pose(1e9, 0.0, 0.0)]), "up to 1000 m"),
        (PointsReader(), short, "number of bytes"),
        (PointsReader(), PointCloud2(width=1, height=1, point_step=16, data=bytes(16)), "x, y and z"),
        (GridReader(), huge, "it has 3600000000 cells"),
        (GridReader(), OccupancyGrid(), "number of cells"),
    ):
        with pytest.raises(ValueError, match=reason):
            reader.read(message)


def test_markers_stay_until_they_are_deleted() -> None:
    messages = pytest.importorskip("visualization_msgs.msg", reason="visualization_msgs is not installed")
    marker, array = messages.Marker, messages.MarkerArray

    def made(number: int, kind: int, **fields: object) -> object:
        one = marker(ns="a", id=number, type=kind, action=marker.ADD, pose=pose(1.0, 0.0, 0.0), **fields)
        one.scale.x = one.scale.y = one.scale.z = 2.0
        one.color.r = one.color.a = 1.0
        return one

    reader = MarkersReader()
    drawing = reader.read(array(markers=[made(1, marker.CUBE), made(2, marker.TEXT_VIEW_FACING, text="pole")]))
    assert (len(drawing.segments), drawing.texts) == (12, ((1.0, 0.0, 0.0, "pole"),))
    assert drawing.segments.reshape(-1, 3).min(axis=0).tolist() == [0.0, -1.0, -1.0]
    assert np.unique(drawing.segment_colours, axis=0).tolist() == [[255, 0, 0]]
    round_ones = [made(3, marker.SPHERE), made(4, marker.CYLINDER), made(5, marker.ARROW)]
    assert len(reader.read(array(markers=round_ones)).segments) == 12 + 48 + 32 + 1
    assert reader.read(array(markers=[marker(action=marker.DELETEALL)])).is_empty
    with pytest.raises(ValueError, match="more than 1000 markers"):
        reader.read(array(markers=[made(number, marker.CUBE) for number in range(1001)]))
