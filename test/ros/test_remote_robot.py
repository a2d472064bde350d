"""The robot of a program on a network: the same program as in a simulation's own process."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import Image, LaserScan

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.ros.remote_robot import RemoteRobot
from simspark_ros.ros.services.spawn_client import CallError, call_standard, delete
from simspark_ros.ros.services.standard import set_resource
from simspark_ros.sensors.access import RobotRefusedError
from test.rigs.robots import sensor_program as program
from test.rigs.ros_processes import Domain, Process

CHANGES = "changes:=['create.heading_deg=0']"
PARAMETERS = ("engine:=planar", "world:=msl", "referee:=false", CHANGES, "robot_file_time:=60.0")
PATIENT = LimitSettings(robot_file_time=60.0)


@pytest.fixture
def node(domain: Domain, simulator: Process) -> Iterator[Node]:
    """That of a program, which no executor serves."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain.number, args=[])
    made = Node("program", context=context)
    yield made
    made.destroy_node()
    rclpy.try_shutdown(context=context)


def test_a_program_sends_its_robot_and_drives_it_by_its_container_or_is_told_why_it_cannot_be_built(node: Node) -> None:
    robot = RemoteRobot(node, program.CONFIGURATION, "mine", limits=PATIENT)
    assert robot.name == "mine"
    # It goes on until it is told to stop, by a machine that may be busy.
    assert 0.04 < program.drive_a_little(robot, 30.0) < 0.5
    assert 0.1 <= program.turn_a_little(robot, 30.0) < 1.0
    with pytest.raises(UserError, match="fly"):
        robot.command("fly", 1.0)
    with pytest.raises(UserError, match="there is no joint 2; they are 0 to 1"):
        robot.command("hinge", 2, 1.0)
    robot.close()
    with pytest.raises(RobotRefusedError, match="beams"):
        RemoteRobot(node, program.NEEDS_BEAMS, "other", limits=PATIENT)


def test_drivers_of_a_real_robot_fill_the_same_container(domain: Domain, node: Node) -> None:
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain.number, args=[])
    driver = Node("sick", context=context)
    scans = driver.create_publisher(LaserScan, "real/scan", 10)
    images = driver.create_publisher(Image, "real/omni_camera/image_raw", 10)
    robot = RemoteRobot(node, program.SEEING, "real", spawned=False, limits=PATIENT)
    program.find_all_kinds_of_sight(robot.sensors)
    scan, image = robot.sensors.get(model="LMS200"), robot.sensors.get(model="omni", feature="image")
    message = LaserScan(ranges=[2.5] * 180)
    # Two pixels in each of its two rows, which are filled up.
    picture = Image(height=2, width=2, encoding="bgr8", step=8, data=[*range(8), *range(100, 108)])
    message.header.stamp.sec = picture.header.stamp.sec = 7
    for _ in range(100):
        # Until the subscriptions, which are made when the program asks first, are known there.
        scans.publish(message)
        images.publish(picture)
        if robot.sensors.update(scan, image, patience=0.1):
            break
    assert (scan.values.tolist(), scan.stamp) == ([2.5] * 180, 7.0)
    assert image.values.tolist() == [[[2, 1, 0], [5, 4, 3]], [[102, 101, 100], [105, 104, 103]]]
    robot.close()
    driver.destroy_node()
    rclpy.try_shutdown(context=context)


def test_a_player_is_started_as_an_entity_and_ends_with_it(node: Node) -> None:
    def spawn(uri: str) -> Any:
        def fill(request: Any) -> None:
            request.name = "keeper"
            set_resource(request, uri)

        return call_standard(node, "", "spawn_entity", fill, lambda: False, 60.0)

    with pytest.raises(CallError, match="unknown player 'dreamer'"):
        spawn("player:dreamer")
    assert spawn("player:goalkeeper?policy=block").entity_name == "keeper"
    with pytest.raises(CallError, match="taken"):
        spawn("player:avoider")
    delete(node, "", "keeper")


def test_clocks_are_compared_and_a_stamp_is_told_by_the_own_clock_but_none_without_a_simulator(node: Node) -> None:
    robot = RemoteRobot(node, program.CONFIGURATION, "timed", limits=PATIENT)
    wall = robot.compare_clocks("wall", patience=30.0)
    # The same machine: both clocks are the same one.
    assert abs(wall.offset) <= wall.round_trip / 2.0
    pose, asked = robot.sensors.get(feature="odometry_pose"), time.time()
    assert robot.sensors.update(pose, patience=30.0)
    simulated = robot.compare_clocks()
    # It was measured after it was asked for, or in the cycle before, by a machine that may be busy.
    assert asked - 0.5 < simulated.here(pose.stamp or 0.0) < time.time() + simulated.round_trip
    robot.close()
    alone = Node("alone", context=node.context, namespace="elsewhere")
    robot = RemoteRobot(alone, program.CONFIGURATION, "real", spawned=False, limits=PATIENT)
    with pytest.raises(UserError, match="program answers on '/elsewhere/clock_answer' to '/elsewhere/clock_request'"):
        robot.compare_clocks(patience=0.2)
    robot.close()
    alone.destroy_node()
