"""The template of docs/how_to/plugins.md on ROS: sensor and actuator are topics, the drive tells odometry."""

import os

import pytest
from geometry_msgs.msg import Twist, Vector3
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Range
from std_msgs.msg import Float64

from simspark_ros import plugins
from simspark_ros.configuration.entry_points import announced
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros import conversions
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics import publisher
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher
from simspark_ros.ros.topics.registry import publishers_of
from test.rigs.ros_processes import Domain, Observer, Process
from test.test_plugins import installed, site  # noqa: F401
from test.test_third_party_plugins import FOLDER


@pytest.mark.usefixtures("installed")
def test_a_sensor_an_actuator_and_a_drive_of_another_distribution_are_topics(domain: Domain) -> None:
    domain.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    process = Process(domain, "robots:=['h=robots/hopper.yaml', 'd=robots/sluggish_rover.yaml']")
    process.wait_for_line("ready")
    observer = Observer(domain)
    with observer.hear(Range, "/h/altitude/belly") as altitude:
        (message,) = altitude.wait()[:1]
        assert (message.header.frame_id, message.max_range) == ("body", 100.0)
        assert message.range == pytest.approx(0.11, abs=0.02)
        hop = observer.publisher(Float64, "/h/hop")
        hop.publish(Float64(data=3.0))
        observer.until(lambda: altitude.messages[-1].range > 0.4, "the robot hopping")
        hop.publish(Float64(data=9.0))
        process.wait_for_line("hop of robot 'h' refused: hop: speed must be 0 to 4.0 m/s, not 9.0")
    # Its odometry comes from its own `motion`.
    with observer.hear(Odometry, "/d/odom") as odometry:
        drive = observer.publisher(Twist, "/d/cmd_vel")
        odometry.wait()
        drive.publish(Twist(linear=Vector3(x=0.5)))
        observer.until(lambda: odometry.messages[-1].pose.pose.position.x > 0.02, "the robot driving")
        assert odometry.messages[-1].pose.pose.position.y == pytest.approx(0.0, abs=0.005)
    observer.close()
    assert process.end() == 0, process.output
    assert "Traceback" not in process.output


def test_authors_of_topics_import_what_they_need_from_one_module() -> None:
    assert (plugins.TopicPublisher, plugins.RobotEntry, plugins.Cycle) == (TopicPublisher, RobotEntry, Cycle)
    helpers = (plugins.interval_of, plugins.covariance, plugins.set_quaternion, plugins.set_xyz)
    assert helpers == (publisher.interval_of, conversions.covariance, conversions.set_quaternion, conversions.set_xyz)


def test_a_broken_topic_is_left_out_by_name(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    announced.cache_clear()
    robot = RobotEntry(1, "r", "r", load_robot(str(FOLDER / "sound.yaml")), "none")
    topics = [publisher.topic for publisher in publishers_of(robot, Cycle(), pytest.fail)]
    assert "r/number" in topics
    (text,) = [text for text in caplog.messages if "'broken_topic'" in text]
    assert "No module named" in text and text.endswith("'pip uninstall broken-parts' removes it")
    announced.cache_clear()
