"""The template of docs/how_to/plugins.md on ROS: its sensor is a topic, its actuator another one."""

from __future__ import annotations

import os

import pytest
from sensor_msgs.msg import Range
from std_msgs.msg import Float64

from test.rigs.ros_processes import Domain, Observer, Process
from test.test_plugins import installed, site  # noqa: F401


@pytest.mark.usefixtures("installed")
def test_a_sensor_and_an_actuator_of_another_distribution_are_topics(domain: Domain) -> None:
    domain.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    process = Process(domain, "robots:=['h=robots/hopper.yaml']")
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
    observer.close()
    assert process.end() == 0, process.output
    assert "Traceback" not in process.output
