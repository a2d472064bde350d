"""Topics below `drawings/` are drawn while somebody watches."""

from collections.abc import Iterator

import pytest
from geometry_msgs.msg import Pose, PoseArray
from nav_msgs.msg import OccupancyGrid
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from simspark_ros.ros.topics.publisher import LATCHED
from simspark_ros.ros.topics.world import drawings as topics
from simspark_ros.ros.topics.world.drawings import DrawingTopics
from simspark_ros.simulation.drawings import Drawings
from test.rigs.waiting import until


@pytest.fixture
def node(ros_here: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    monkeypatch.setattr(topics, "LOOK", 0.0)
    made = Node("room")
    yield made
    made.destroy_node()


def test_a_topic_is_drawn_while_somebody_watches_and_gone_with_its_program(
    node: Node, capfd: pytest.CaptureFixture[str]
) -> None:
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
