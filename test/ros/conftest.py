"""The simulator in a process of its own, and nodes and processes beside it."""

import signal
import sys
from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.signals import SignalHandlerOptions

from test.rigs.ros_nodes import RosNodes
from test.rigs.ros_processes import Domain, Observer, Process


@pytest.fixture(scope="module")
def simulator(domain: Domain, request: pytest.FixtureRequest) -> Iterator[Process]:
    """A simulator with the `PARAMETERS` of the test's module."""
    process = Process(domain, *getattr(request.module, "PARAMETERS", ()))
    process.wait_for_line("ready")
    yield process
    assert process.end(signal.SIGINT) == 0, process.output
    assert "Traceback" not in process.output


@pytest.fixture(scope="module")
def observer(domain: Domain, simulator: Process) -> Iterator[Observer]:
    observer = Observer(domain)
    yield observer
    observer.close()


@pytest.fixture
def start(domain: Domain) -> Iterator[Callable[..., Process]]:
    """Starts modules of the package as processes, with arguments or, by the key `parameters`, ROS parameters."""
    started: list[Process] = []

    def run(module: str, *arguments: str, parameters: tuple[str, ...] = ()) -> Process:
        command = [sys.executable, "-m", f"simspark_ros.ros.{module}", *arguments]
        started.append(Process(domain, *parameters, command=command))
        return started[-1]

    yield run
    for process in started:
        process.end(signal.SIGKILL)


@pytest.fixture
def room(close_later: Callable[[RosNodes], RosNodes]) -> RosNodes:
    return close_later(RosNodes())


@pytest.fixture
def ros_here(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """ROS in this process, in the domain of the test's module."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init(args=[], domain_id=domain.number, signal_handler_options=SignalHandlerOptions.NO)
    yield
    rclpy.shutdown()
