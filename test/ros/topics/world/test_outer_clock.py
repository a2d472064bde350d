"""The world follows the /clock of another program."""

import threading
from collections.abc import Callable

import pytest
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

from simspark_ros.ros.process import BackgroundExecutor
from test.rigs.ros_processes import seconds
from test.rigs.waiting import until
from test.ros.topics.conftest import Build


class Follower:
    def __init__(self, build: Build) -> None:
        self.node, self.simulation = build("one=pioneer", pacing="external", engine="planar", world="msl")
        self.other = Node("other")
        self.clock = self.other.create_publisher(Clock, "/clock", 10)
        best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self.told: list[float] = []
        self.other.create_subscription(Clock, "/clock", lambda m: self.told.append(seconds(m.clock)), best_effort)
        self.stamps: list[float] = []
        self.other.create_subscription(Odometry, "/one/odom", lambda m: self.stamps.append(seconds(m.header.stamp)), 10)
        self._executors = [BackgroundExecutor(self.node), BackgroundExecutor(self.other)]
        self._thread = threading.Thread(target=self.simulation.run, daemon=True)
        self._thread.start()

    def tell(self, time: float) -> None:
        """Publish a time until the world has it."""
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(round(time * 1e9), 10**9)
        until(lambda: self.simulation.time == pytest.approx(time, abs=0.0199), lambda: self.clock.publish(message))

    def close(self) -> None:
        self.simulation.stop()
        self._thread.join()
        for executor in self._executors:
            executor.close()
        self.other.destroy_node()


@pytest.fixture
def follower(build: Build, close_later: Callable[[Follower], Follower]) -> Follower:
    return close_later(Follower(build))


def test_the_world_follows_another_clock_and_has_none(follower: Follower, capfd: pytest.CaptureFixture[str]) -> None:
    follower.tell(1000.0)
    cycles = follower.simulation.world.cycle
    follower.tell(1000.4)
    assert follower.simulation.world.cycle - cycles == 20
    until(lambda: any(stamp == pytest.approx(1000.4, abs=0.02) for stamp in follower.stamps))
    follower.tell(3.0)
    assert "/clock went back from 1000.40 s to 3.00 s" in capfd.readouterr().err
    assert set(follower.told) == {1000.0, 1000.4, 3.0}


def test_time_is_real_again_when_the_pacing_says_so(follower: Follower) -> None:
    follower.tell(5.0)
    follower.node.set_parameters([Parameter("pacing", value="realtime")])
    until(lambda: follower.told and 5.1 < follower.told[-1] < 60.0)
