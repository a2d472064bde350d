"""The tag `ros2_control` of a robot's description, which tells a controller_manager what it may command and read."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from simspark_ros.robots.formats.urdf.document import parse_urdf
from simspark_ros.ros.topics.publisher import RobotEntry

PLUGIN = "joint_state_topic_hardware_interface/JointStateTopicSystem"

_JOINT = ("position", "velocity", "effort")
_IMU: dict[str, tuple[str, ...]] = {
    "orientation": ("x", "y", "z", "w"),
    "angular_velocity": ("x", "y", "z"),
    "linear_acceleration": ("x", "y", "z"),
}
_WRENCH: dict[str, tuple[str, ...]] = {"force": ("x", "y", "z"), "torque": ("x", "y", "z")}


def with_ros2_control(robot: RobotEntry, commands: str, states: str) -> str:
    """A robot's URDF with a tag `ros2_control`; one that has such a tag stays as it is.

    All joints have the interfaces position, velocity and effort, for commands and for states, links with gyroscope or
    accelerometer and feet with force resistance are sensors under the names of imu_sensor_broadcaster and
    force_torque_sensor_broadcaster. The hardware exchanges `JointState` by the topics `commands` and `states`.
    """
    description = robot.description
    document = parse_urdf(description.published, robot.name)
    if document.find("ros2_control") is not None:
        return description.published
    system = ET.SubElement(document, "ros2_control", name=robot.name, type="system")
    hardware = ET.SubElement(system, "hardware")
    ET.SubElement(hardware, "plugin").text = PLUGIN
    for name, topic in {"joint_commands_topic": commands, "joint_states_topic": states}.items():
        ET.SubElement(hardware, "param", name=name).text = topic
    for joint in description.model.joints:
        element = ET.SubElement(system, "joint", name=joint.name)
        for kind in ("command_interface", "state_interface"):
            for name in _JOINT:
                ET.SubElement(element, kind, name=name)
    sensors = {(spec.link, "imu"): _IMU for kind in ("gyroscope", "accelerometer") for spec in robot.perceptors(kind)}
    sensors |= {(spec.link, "wrench"): _WRENCH for spec in robot.perceptors("force_resistance")}
    for (link, what), quantities in sensors.items():
        sensor = ET.SubElement(system, "sensor", name=f"{link}_{what}")
        for quantity, axes in quantities.items():
            for axis in axes:
                ET.SubElement(sensor, "state_interface", name=f"{quantity}.{axis}")
        ET.SubElement(sensor, "param", name="frame_id").text = link
    return ET.tostring(document, encoding="unicode")
