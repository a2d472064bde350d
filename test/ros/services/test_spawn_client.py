"""The client that launch files put robots into the world with, against a simulator in another process."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from nav_msgs.msg import Odometry

from simspark_ros.srv import GetEntities
from test.rigs.ros_processes import DEADLINE, Domain, Observer, Process


@pytest.fixture(scope="module")
def observer(domain: Domain) -> Iterator[Observer]:
    process = Process(domain)
    process.wait_for_line("ready")
    observer = Observer(domain)
    yield observer
    observer.close()
    process.end()


def start(domain: Domain, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "simspark_ros.ros.services.spawn_client", *arguments]
    return subprocess.Popen(
        command, env=domain.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def entities(observer: Observer) -> list[str]:
    return list(observer.call(GetEntities, "get_entities").entities)


def test_a_robot_comes_where_it_is_wanted_and_leaves_at_the_end(domain: Domain, observer: Observer) -> None:
    with observer.hear(Odometry, "/own/ground_truth") as truth:
        client = start(domain, "--name", "striker", "--namespace", "/own", "--x=-1.5", "--yaw=3", "--remove-at-end")
        pose = truth.wait()[0].pose.pose
    assert pose.position.x == pytest.approx(-1.5, abs=0.01)  # it settles on its feet
    assert abs(pose.orientation.z) == pytest.approx(0.997, abs=0.01)
    assert "striker" in entities(observer)
    client.send_signal(signal.SIGINT)
    output, _ = client.communicate(timeout=DEADLINE)
    assert client.returncode == 0, output
    assert "striker" not in entities(observer)


def test_a_refusal_is_printed_and_ends_the_client(domain: Domain, observer: Observer) -> None:
    client = start(domain, "--robot", "kuka")
    output, _ = client.communicate(timeout=DEADLINE)
    assert client.returncode == 2
    assert "'kuka' is neither a robot" in output


def test_a_missing_simulator_is_reported(domain: Domain) -> None:
    client = start(domain, "--timeout", "0.3", "--ros-args", "-r", "__ns:=/elsewhere")
    output, _ = client.communicate(timeout=DEADLINE)
    assert client.returncode == 2
    assert "no service '/elsewhere/spawn_entity' within 0.3 s; is the simulator running there?" in output
