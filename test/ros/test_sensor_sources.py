"""Which topics features of sensors come from, and how their messages are read."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Pose, PoseArray
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image, Imu, LaserScan

from simspark_ros.configuration.errors import UserError
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.sensor_sources import TopicSource, source_of, source_of_camera
from simspark_ros.simulation.registry import perceptor_types

ROBOT, TYPES = load_robot("differential_sensors"), perceptor_types()


def source(kind: str, feature: str, name: str = "") -> TopicSource:
    spec = next(spec for spec in ROBOT.perceptors if spec.kind == kind and name in ("", spec.name))
    found = source_of(spec, TYPES[kind], feature, ROBOT.model.base.name)
    assert found is not None
    return found


def test_every_feature_of_the_example_but_those_of_joints_has_a_topic():
    features = [(spec, one.name) for spec in ROBOT.perceptors for one in TYPES[spec.kind].features_of(spec)]
    base = ROBOT.model.base.name
    lacking = {spec.kind for spec, name in features if source_of(spec, TYPES[spec.kind], name, base) is None}
    assert lacking == {"hinge_joint"}
    assert source("range", "range", "sonar_3").topic == "sonar_3/range"
    assert source("gyroscope", "gyroscope").topic == "imu/data_raw"


def test_scans_turns_and_odometry_are_read():
    scan = source("laser", "scan")
    assert scan.topic == "scan"
    read = scan.read(LaserScan(ranges=[1.5] * 179 + [math.inf]))["scan"]
    assert (read[0], read[-1], len(read)) == (1.5, math.inf, 180)
    imu = Imu()
    imu.angular_velocity.z, imu.linear_acceleration.x = 0.5, 2.0
    values = source("gyroscope", "gyroscope").read(imu)
    assert (values["gyroscope"].tolist(), values["accelerometer"][0]) == ([0.0, 0.0, 0.5], 2.0)
    odometry = Odometry()
    odometry.pose.pose.position.x, odometry.twist.twist.angular.z = 3.0, -1.0
    odometry.pose.pose.orientation.z, odometry.pose.pose.orientation.w = math.sin(0.4), math.cos(0.4)
    values = source("odometry", "odometry_pose").read(odometry)
    assert values["odometry_pose"] == pytest.approx([3.0, 0.0, 0.8])
    assert values["odometry_velocity"].tolist() == [0.0, 0.0, -1.0]


def test_robots_of_a_scanners_software_are_read_as_distances_and_angles():
    found = source("laser_objects", "robot_distance")
    message = PoseArray(poses=[Pose(), Pose()])
    message.poses[0].position.x, message.poses[1].position.y = 2.0, -1.0
    values = found.read(message)
    assert found.topic == "laser_robots"
    assert values["robot_distance"][:2].tolist() == [2.0, 1.0]
    assert values["robot_angle"][:2] == pytest.approx([0.0, -math.pi / 2.0])
    assert np.isnan(values["robot_angle"][2:]).all()
    assert source("laser_objects", "pose").topic == "laser_pose"


def test_seen_lines_and_pictures_are_read_and_what_cannot_be_is_named():
    seen = source("restricted_vision", "line_distance")
    assert seen.topic == "seen_lines" and source("restricted_vision", "ball_angle").topic == "seen_objects"
    message = SimpleNamespace(ranges=[2.0, 4.0], bearings=[0.5, -0.5], elevations=[math.pi / 3.0, 0.0])
    values = seen.read(message)
    assert values["line_distance"][:3] == pytest.approx([1.0, 4.0, math.nan], nan_ok=True)
    assert values["line_angle"][:2].tolist() == [0.5, -0.5]
    spec = next(spec for spec in ROBOT.perceptors if spec.kind == "camera")
    depth, image = source_of_camera(spec, "depth"), source_of_camera(spec, "image")
    assert (depth.topic, image.topic) == ("camera/depth/image_raw", "camera/image_raw")
    far = Image(height=1, width=2, encoding="32FC1", step=8, data=np.array([1.5, 2.5], ">f4").tobytes(), is_bigendian=1)
    assert depth.read(far)["depth"].tolist() == [[[1.5], [2.5]]]
    with pytest.raises(UserError, match="encoding 'yuv422' cannot be read; use one of rgb8"):
        image.read(Image(encoding="yuv422"))
