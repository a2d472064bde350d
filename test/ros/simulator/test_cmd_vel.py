"""Naos and a cart are driven by Twists, as teleop_twist_keyboard sends them."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped, Vector3
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, ReliabilityPolicy

from test.rigs.robots.cart import write_cart
from test.rigs.ros_processes import Observer, Process
from test.ros.entities import spawned

PARAMETERS = ("robots:=['nao', 'driven=nao_lola']", "referee:=false")

PERIOD = 0.1
"""Seconds of wall time between two Twists of a key that is held down."""


@contextmanager
def held_key(observer: Observer, robot: str, twist: Twist) -> Iterator[None]:
    publisher = observer.publisher(Twist, f"/{robot}/cmd_vel")
    timer = observer.node.create_timer(PERIOD, lambda: publisher.publish(twist))
    yield
    observer.node.destroy_timer(timer)
    observer.node.destroy_publisher(publisher)


@pytest.mark.parametrize("robot", ["nao", "driven"])
def test_a_nao_walks_while_twists_come_and_stops_when_they_stop(observer: Observer, robot: str) -> None:
    with (
        observer.hear(Odometry, f"/{robot}/ground_truth") as truth,
        observer.hear(Odometry, f"/{robot}/odom") as odometry,
    ):
        start = truth.wait()[0].pose.pose.position
        odometry.wait()

        def way() -> float:
            here = truth.messages[-1].pose.pose.position
            return math.hypot(here.x - start.x, here.y - start.y)

        with held_key(observer, robot, Twist(linear=Vector3(x=0.2))):
            observer.until(lambda: way() > 0.5, "a walk of half a metre")

        def stands() -> bool:
            speeds = (message.twist.twist.linear for message in truth.messages[-25:])
            return all(math.hypot(speed.x, speed.y) < 0.01 for speed in speeds)

        observer.until(stands, "a stop")
        assert truth.messages[-1].pose.pose.position.z > 0.2
        felt = odometry.wait()[0]
        assert (felt.header.frame_id, felt.child_frame_id) == ("odom", "base_link")
        assert felt.pose.pose.position.z == pytest.approx(truth.messages[-1].pose.pose.position.z, abs=0.02)
        assert felt.pose.pose.position.x == pytest.approx(way(), rel=0.25)


def test_publishers_that_are_not_heard_are_named_with_what_is_expected(observer: Observer, simulator: Process) -> None:
    node = observer.node
    hasty = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    wanted = ((TwistStamped, "/nao/cmd_vel", 10), (Twist, "/driven/cmd_vel", hasty))
    publishers = [node.create_publisher(*words) for words in wanted]
    line = "messages of /observer on /{}/cmd_vel are not received: {}"
    remedy = "they are geometry_msgs/msg/TwistStamped; publish geometry_msgs/msg/Twist, or start the simulator with"
    simulator.wait_for_line(line.format("nao", f"{remedy} stamped_cmd_vel:=true"))
    simulator.wait_for_line(line.format("driven", "Best effort publisher and reliable subscription; publish reliably"))
    # A participant has one type for a topic.
    for publisher in publishers:
        node.destroy_publisher(publisher)


def test_a_cart_rolls_and_knows_by_its_wheels_where_it_is(observer: Observer, tmp_path: Path) -> None:
    spawned(observer, "cart", str(write_cart(tmp_path)), y=2.0)
    with observer.hear(Odometry, "/cart/ground_truth") as truth, observer.hear(Odometry, "/cart/odom") as odometry:
        truth.wait()
        odometry.wait()
        with held_key(observer, "cart", Twist(linear=Vector3(x=0.5))):
            observer.until(lambda: truth.messages[-1].pose.pose.position.x > 0.5, "half a metre")
        felt = odometry.wait()[-1]
        assert (felt.header.frame_id, felt.child_frame_id) == ("odom", "base")
        stamp = felt.header.stamp
        observer.until(lambda: any(message.header.stamp == stamp for message in truth.messages))
        true = next(message.pose.pose.position for message in truth.messages if message.header.stamp == stamp)
        # Wheels slip while they gather speed.
        assert felt.pose.pose.position.x == pytest.approx(true.x, rel=0.1)
        assert felt.pose.pose.position.z == pytest.approx(true.z, abs=0.01)


def test_diagnostics_count_twists_that_are_not_finite_and_say_who_commands_a_robot(observer: Observer) -> None:
    publisher = observer.publisher(Twist, "/nao/cmd_vel")
    with observer.hear(DiagnosticArray, "/diagnostics") as diagnostics:
        for twist in (Twist(linear=Vector3(x=math.nan)), Twist()):
            publisher.publish(twist)

        def told() -> bool:
            statuses = [status for message in diagnostics.messages for status in message.status]
            refused = {pair.value for s in statuses for pair in s.values if pair.key == "cmd_vel of nao: refused"}
            return "1" in refused and ("simulator: robot nao", "topics") in {(s.name, s.message) for s in statuses}

        observer.until(told, "the rejection and the commander in the diagnostics")


def test_an_omni_robot_goes_sideways_while_it_turns(observer: Observer) -> None:
    spawned(observer, "omni", "omni", y=-4.0)
    with observer.hear(Odometry, "/omni/odom") as odometry:
        odometry.wait()
        with held_key(observer, "omni", Twist(linear=Vector3(y=0.5), angular=Vector3(z=0.5))):
            # It goes along a circle of 1 m to the left: as far back as it has turned.
            observer.until(lambda: odometry.messages[-1].pose.pose.orientation.z > 0.25, "a turn")
        moved = odometry.messages[-1].pose.pose
        yaw = 2.0 * math.asin(moved.orientation.z)
        assert moved.position.y == pytest.approx(math.sin(yaw), abs=0.1)
        assert moved.position.x == pytest.approx(math.cos(yaw) - 1.0, abs=0.1)
