"""The launch files started for real, where `launch` and `launch_ros` are installed (`make test ROS2_PREFIX=...`)."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.clients.wave import wave
from simspark_ros.configuration.resources import resource

if TYPE_CHECKING:
    from test.rigs.ros_processes import Domain, Process

pytestmark = pytest.mark.slow

LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

file, *given = sys.argv[1:]
arguments = [tuple(text.split(":=")) for text in given]
service = LaunchService()
include = IncludeLaunchDescription(PythonLaunchDescriptionSource(file), launch_arguments=arguments)
service.include_launch_description(LaunchDescription([include]))
sys.exit(service.run())
"""


@pytest.fixture
def launched(domain: Domain) -> Iterator[Callable[..., Process]]:
    """Starts a launch file with arguments `name:=value`."""
    pytest.importorskip("launch.actions", reason="launch is not installed", exc_type=ImportError)
    pytest.importorskip("launch_ros.actions", reason="launch_ros is not installed", exc_type=ImportError)
    from test.rigs.ros_processes import Process

    processes: list[Process] = []

    def start(file: str, *arguments: str) -> Process:
        command = [sys.executable, "-c", LAUNCH, str(resource("launch", file)), *arguments]
        processes.append(Process(domain, command=command))
        return processes[-1]

    yield start
    for process in processes:
        process.end(signal.SIGKILL)


def test_the_simulator_starts_with_a_robot_and_ends_at_ctrl_c(launched: Callable[..., Process]) -> None:
    process = launched("simulator.launch.py", "headless:=true", "robots:=nao", "engine:=mujoco")
    process.wait_for_line("ready: engine mujoco, 1 robots")
    assert process.end(signal.SIGINT) == 0
    assert "finished cleanly" in process.output


@pytest.mark.parametrize("composed", ["true", "false"])
def test_a_classic_agent_plays_in_what_the_launch_file_starts(launched: Callable[..., Process], composed: str) -> None:
    process = launched(
        "classic.launch.py", "headless:=true", "agent_port:=0", "monitor_port:=0", f"composed:={composed}"
    )
    process.wait_for_line("monitors  " if composed == "true" else "a simulator was found")
    port = re.search(r"agents? +(?:port |127\.0\.0\.1:)(\d+)", process.output)
    assert port, process.output
    with ClassicClient("127.0.0.1", int(port[1])) as client:
        assert wave(client, "Launched", 1, 0, cycles=60) == "left 1"
    assert process.end(signal.SIGINT) == 0
