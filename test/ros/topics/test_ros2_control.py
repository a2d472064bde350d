"""A robot's description with the tag of ros2_control."""

import xml.etree.ElementTree as ET
from contextlib import closing
from dataclasses import replace

from std_msgs.msg import String

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.topics.publisher import LATCHED, RobotEntry
from simspark_ros.ros.topics.ros2_control import with_ros2_control
from test.rigs.ros_processes import Domain, Observer, Process

STANDARD = {"position", "velocity", "effort"}


def test_the_tag_has_all_joints_and_sensors() -> None:
    robot = RobotEntry(1, "striker", "/a", load_robot("nao"), "none")
    document = ET.fromstring(with_ros2_control(robot, "/a/joint_commands", "/a/joint_states"))
    (system,) = document.findall("ros2_control")
    assert system.attrib == {"name": "striker", "type": "system"}
    topics = {param.get("name"): param.text for param in system.findall("hardware/param")}
    assert topics == {"joint_commands_topic": "/a/joint_commands", "joint_states_topic": "/a/joint_states"}
    joints = system.findall("joint")
    assert [joint.get("name") for joint in joints] == [joint.name for joint in robot.description.model.joints]
    # All joints alike: the hardware leaves out joints without an interface, and its numbers would fit no names.
    for joint in joints:
        assert {one.get("name") for one in joint.findall("command_interface")} == STANDARD
        assert {one.get("name") for one in joint.findall("state_interface")} == STANDARD
    parts = {sensor.get("name"): sensor.findall("state_interface") for sensor in system.findall("sensor")}
    sensors = {name: [one.get("name") for one in found] for name, found in parts.items()}
    assert set(sensors) == {"torso_imu", "rfoot_wrench", "lfoot_wrench"}
    assert {"orientation.w", "angular_velocity.x", "linear_acceleration.z"} <= set(sensors["torso_imu"])
    assert sensors["lfoot_wrench"] == ["force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"]


def test_a_tag_of_the_robots_own_file_stays() -> None:
    own = load_robot("nao")
    own = replace(own, urdf=own.urdf.replace("</robot>", '<ros2_control name="mine" type="system"/></robot>'))
    assert with_ros2_control(RobotEntry(1, "nao", "nao", own, "none"), "c", "s") == own.urdf


def test_a_simulators_robot_has_the_tag_with_its_own_topics(domain: Domain) -> None:
    with Process(domain, "robots:=['nao']", "ros2_control:=true"), closing(Observer(domain)) as observer:
        description = observer.hear(String, "/nao/robot_description", LATCHED)
        (system,) = ET.fromstring(description.wait()[0].data).findall("ros2_control")
    texts = [param.text for param in system.findall("hardware/param")]
    assert texts == ["/nao/joint_commands", "/nao/joint_states"]
