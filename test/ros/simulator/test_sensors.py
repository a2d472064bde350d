"""Range finders of a robot in a real simulator: on their topics, in their frames, with the QoS of parameters."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.srv import DescribeParameters
from rclpy.qos import ReliabilityPolicy
from sensor_msgs.msg import Imu, LaserScan, MagneticField, Range
from std_msgs.msg import String

from simspark_ros.rendering.scene_models import cameras_of_lines
from simspark_ros.ros.topics.world.scene_poses import MODELS_TOPIC, ROBOTS_QOS
from test.rigs.ros_processes import BEST_EFFORT, Observer, Process, seconds
from test.ros.entities import deleted, spawned

PARAMETERS = (
    # A text does for a list of it, and a whole number for one with a point.
    "robots:=r=nao_sensors",
    "qos_overrides./r/scan.publisher.reliability:=best_effort",
    "qos_overrides./r/scan.publisher.depth:=7",
    "qos_overrides./r/imu/mag.publisher.reliability:=sometimes",
    "sensors.r.laser.range_max:=25.0",
    "sensors.r.laser.beams:=1",
    "sensors.r.camera.rate_hz:=5",
    "speed:=1",
    "sensors.r.lazer.range_max:=25.0",
    "sensors.robot.laser.range_max:=25.0",
)


def test_scans_ranges_and_fields_come_with_their_frames_once_they_have_subscribers(observer: Observer) -> None:
    with observer.hear(LaserScan, "/r/scan", BEST_EFFORT) as scans:
        (first, second) = scans.wait(2)[:2]
    assert (first.header.frame_id, len(first.ranges)) == ("laser", 181)
    assert first.scan_time == pytest.approx(0.1)
    assert seconds(second.header.stamp) - seconds(first.header.stamp) == pytest.approx(0.1)
    # At the centre of the field the walls are up to 24.5 m away.
    assert 20.0 < max(distance for distance in first.ranges if math.isfinite(distance)) < 30.0
    with observer.hear(Range, "/r/sonar_left/range") as cones:
        cone = cones.wait()[0]
    assert (cone.header.frame_id, cone.range, cone.min_range) == ("sonar_left", math.inf, pytest.approx(0.2))
    with observer.hear(MagneticField, "/r/imu/mag") as fields:
        field = fields.wait()[0].magnetic_field
    assert math.hypot(field.x, field.y, field.z) == pytest.approx(math.hypot(2.0e-5, 4.4e-5), rel=0.05)
    # Of a detector, whose other messages need packages that may be missing.
    with observer.hear(PoseWithCovarianceStamped, "/r/model/pose") as poses:
        pose = poses.wait()[0]
    assert pose.header.frame_id == "map"
    assert pose.pose.covariance[0] == pytest.approx(0.05**2)


def test_parameters_override_the_qos_of_a_topic_and_a_bad_one_is_reported(observer: Observer, simulator) -> None:
    def reliability(topic: str) -> list[ReliabilityPolicy]:
        return [end.qos_profile.reliability for end in observer.node.get_publishers_info_by_topic(topic)]

    observer.until(lambda: reliability("/r/scan") and reliability("/r/imu/mag"), "the topics")
    assert reliability("/r/scan") == [ReliabilityPolicy.BEST_EFFORT]
    assert reliability("/r/imu/mag") == reliability("/r/joint_states") == [ReliabilityPolicy.RELIABLE]
    assert "qos_overrides./r/imu/mag.publisher" in simulator.output


def test_rate_and_noise_of_sensors_and_truth_change_while_the_simulator_runs(observer: Observer) -> None:
    assert observer.set_parameter("sensors.r.gyroscope.torso.interval", 10) == ""
    assert observer.set_parameter("sensors.r.accelerometer.torso.interval", 20) == ""
    assert observer.set_parameter("sensors.r.gyroscope.torso.noise", 0.5) == ""
    with observer.hear(Imu, "/r/imu/data_raw") as readings:
        # A reading taken before the change may still be on its way.
        observer.until(lambda: any(each.angular_velocity_covariance[0] > 0.1 for each in readings.messages), "noise")
        (first, second) = readings.wait(2)[:2]
    assert seconds(second.header.stamp) - seconds(first.header.stamp) == pytest.approx(0.2)
    assert first.angular_velocity_covariance[0] == pytest.approx(0.25)
    assert first.angular_velocity.x != 0.0
    assert observer.set_parameter("sensors.r.ground_truth.position_noise", 0.2) == ""
    with observer.hear(Odometry, "/r/ground_truth") as truths:
        some = truths.wait(20)
    assert some[0].pose.covariance[0] == pytest.approx(0.04)
    spread = np.std([one.pose.pose.position.x for one in some])
    # 20 draws: their standard deviation is within a factor of two of 0.2 but once in a million runs.
    assert 0.1 < spread < 0.4


def test_start_values_hold_and_what_a_sensor_cannot_be_is_named(observer: Observer, simulator: Process) -> None:
    with observer.hear(LaserScan, "/r/scan", BEST_EFFORT) as scans:
        assert scans.wait()[0].range_max == 25.0
    assert "sensors.r.laser.beams' is not used" in simulator.output
    reason = observer.set_parameter("sensors.r.laser.range_min", 26.0)
    assert "range_min (26) must be less than range_max (25)" in reason
    unknown = "parameter 'sensors.r.laser.range_mim' is unknown; did you mean 'sensors.r.laser.range_min'?"
    assert observer.set_parameter("sensors.r.laser.range_mim", 0.1) == unknown
    assert observer.set_parameter("sensors.r.laser.range_min", "near").endswith("is a double, not a string")
    assert observer.set_parameter("sensors.r.laser.link", "rfoot").endswith("can be set only at the start")
    # rqt_reconfigure shows no reasons.
    assert "range_min (26) must be less than range_max (25)" in simulator.output
    # Other angles and another number of beams.
    assert observer.set_parameter("sensors.r.laser.beams", 11) == ""
    with observer.hear(LaserScan, "/r/scan", BEST_EFFORT) as scans:
        observer.until(lambda: scans.messages and len(scans.messages[-1].ranges) == 11, "a scan of 11 beams")
    hint = "'sensors.r.lazer.range_max' is unknown and ignored; did you mean 'sensors.r.laser.range_max'?"
    assert simulator.output.count(hint) == 1
    assert "'sensors.robot...' wait for a robot 'robot'" in simulator.output


def test_the_link_of_a_sensor_is_read_only_and_its_parameters_go_with_the_robot(observer: Observer) -> None:
    names = ["sensors.guest.gyroscope.torso.link", "sensors.guest.gyroscope.torso.noise"]
    request = DescribeParameters.Request(names=names)

    def described() -> list[ParameterDescriptor]:
        return list(observer.call(DescribeParameters, "/simulator/describe_parameters", request).descriptors)

    spawned(observer, "guest", "nao")
    observer.until(lambda: described(), "the parameters")
    assert [one.read_only for one in described()] == [True, False]
    deleted(observer, "guest")
    observer.until(lambda: "is unknown" in observer.set_parameter(names[0], "torso"), "the end of the parameters")


def test_cameras_have_parameters_which_those_that_draw_are_told(observer: Observer) -> None:
    assert observer.set_parameter("sensors.r.camera.camera_bottom.rate_hz", 30) == ""
    assert "out of range" in observer.set_parameter("sensors.r.camera.camera_bottom.rate_hz", 2000.0)
    assert "unknown link or frame 'nose'" in observer.set_parameter("sensors.r.camera.optical_frame", "nose")
    wanted = {"camera": 5.0, "camera_bottom": 30.0, "camera_depth": 10.0}

    def rates(text: str) -> dict[str, float]:
        return {one.name: one.parameters["rate_hz"] for one in cameras_of_lines(text)["r"]}

    with observer.hear(String, MODELS_TOPIC, ROBOTS_QOS) as told:
        observer.until(lambda: told.messages and rates(told.messages[-1].data) == wanted, "the rates")
