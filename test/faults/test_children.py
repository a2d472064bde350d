"""The processes beside a server, its camera and its viewer, are killed or stopped, and the server is."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

pytest.importorskip("rclpy")

from sensor_msgs.msg import Image

from simspark_watching.viewer.screenshot import NAMES, SHOWN, Chromium, find_browser
from test.faults.conftest import Using
from test.rigs.processes import Process, gone, simspark, state
from test.rigs.ros_processes import Domain, Observer
from test.rigs.waiting import DEADLINE, until
from test.rigs.witness import Witness, port, serve

pytestmark = pytest.mark.slow
Stop = Callable[[int, int], None]
BOTH = pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
STALL = 3.0
"""No cycle may take longer on a busy machine, s."""


def serve_with_camera(domain: Domain, *options: str) -> Process:
    ports = ("--agent-port=0", "--monitor-port=0", "--pacing=lockstep")
    return simspark("serve", *ports, *options, environment=domain.environment)


@pytest.fixture
def stop() -> Iterator[Callable[[int, int], None]]:
    """Sends signals to processes that are not the test's own, which end with the test at the latest."""
    pids = []

    def send(pid: int, number: int) -> None:
        pids.append(pid)
        os.kill(pid, number)

    yield send
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def assert_ends_in_order(server: Process, child: int) -> None:
    assert server.end() == 0, server.output
    assert gone(child)


@BOTH
def test_a_match_needs_no_camera(domain: Domain, observer: Observer, using: Using, stop: Stop, number: int) -> None:
    server = using(serve_with_camera(domain))
    witness = using(Witness(port(server, "agents"), server))
    with observer.hear(Image, "/left_1/camera/image_raw") as images:
        images.wait()
        witness.begin()
        camera = server.child("camera")
        stop(camera, number)
        if number == signal.SIGKILL:
            server.wait_for_line("camera: has ended by signal 9; the match goes on without pictures")
        assert witness.assert_unharmed().longest_gap < STALL
    assert_ends_in_order(server, camera)


@pytest.mark.skipif(find_browser() is None, reason=f"no browser is installed ({', '.join(NAMES)})")
@BOTH
def test_a_match_needs_no_viewer(using: Using, stop: Stop, number: int) -> None:
    server = using(serve("--viewer=0"))
    witness = using(Witness(port(server, "agents"), server))
    with Chromium(320, 240) as browser:
        browser.open(server.found(r"viewer +(http\S+)"))
        browser.wait_for(SHOWN, DEADLINE)
        viewer = server.child("view")
        witness.begin()
        stop(viewer, number)
        if number == signal.SIGKILL:
            server.wait_for_line("viewer: has ended by signal 9; the match goes on without its page")
        assert witness.assert_unharmed().longest_gap < STALL
    assert_ends_in_order(server, viewer)


@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_a_killed_server_takes_its_processes_with_it(domain: Domain, using: Using, stop: Stop, stopped: bool) -> None:
    server = using(serve_with_camera(domain, "--viewer=0", "--demo=1"))
    children = [server.child(word) for word in ("camera", "view", "Lions", "Dragons")]
    if stopped:
        for child in children:
            stop(child, signal.SIGSTOP)
        until(lambda: all(state(child) == "T" for child in children))
    server.end(signal.SIGKILL)
    until(lambda: all(map(gone, children)))
