"""A simulator with a robot at its place from the start, and a second one of the same name."""

import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from simspark_ros.ros.neighbours import UnheardPublishers
from simspark_ros.srv import ResetSimulation
from test.rigs.ros_processes import Observer, Process

PARAMETERS = ("robots:=['keeper=nao@-2.0,1.0,1.5']", "robot_namespaces:=['keeper=/away']")


def test_a_robot_of_the_start_has_its_place_and_namespace_and_keeps_them_at_a_reset(observer: Observer) -> None:
    with observer.hear(Odometry, "/away/ground_truth") as truth:
        for _ in range(2):
            pose = truth.wait()[0].pose.pose
            # It settles on its feet.
            assert (pose.position.x, pose.position.y) == pytest.approx((-2.0, 1.0), abs=0.02)
            assert pose.orientation.z == pytest.approx(0.68, abs=0.02)
            assert observer.call(ResetSimulation, "/reset_simulation").result.result == 1
    assert "keeper" in observer.entities()


@pytest.mark.usefixtures("simulator")
def test_a_simulator_does_not_start_beside_one_of_its_name(start: Callable[..., Process]) -> None:
    def is_refused() -> bool:
        second = start("simulator_node", parameters=("share_domain:=false",))
        if second.found("runs already in ROS domain|ready") == "ready":
            second.end(signal.SIGKILL)
            return False
        assert "/simulator runs already in ROS domain" in second.output
        return second.wait() == 2

    # On a busy machine DDS may take longer than the second for which a simulator looks for others.
    assert any(is_refused() for _ in range(8))


def test_a_publisher_is_named_by_its_node_even_if_that_is_told_later() -> None:
    info = SimpleNamespace(endpoint_gid=[1], topic_type="a/msg/B", node_namespace="/", node_name="_NODE_NAME_UNKNOWN_")
    lines: list[str] = []
    node: Any = SimpleNamespace(
        subscriptions=[SimpleNamespace(topic_name="/one", msg_type=JointState)],
        count_publishers=lambda topic: 1,
        get_publishers_info_by_topic=lambda topic: [info],
        get_logger=lambda: SimpleNamespace(warning=lines.append),
    )
    looking = UnheardPublishers(node)
    looking.look()
    assert not lines
    info.node_name = "late"
    looking.look()
    assert len(lines) == 1 and "messages of /late on /one" in lines[0]
