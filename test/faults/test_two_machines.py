"""Simulator on one machine; bridge, camera, viewer and listeners on another one, with a bad cable between them."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")


from simspark_ros.clients import idle_probes
from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from test.faults.conftest import Using
from test.rigs import processes
from test.rigs.network.two_machines import Listener, SecondMachine
from test.rigs.processes import simspark
from test.rigs.ros_processes import BridgeProcess, Domain, Process, without_shared_memory
from test.rigs.waiting import DEADLINE, until
from test.rigs.witness import Witness
from watching.test.viewer.conftest import browser, viewing

pytestmark = pytest.mark.slow
SIMULATOR = [sys.executable, "-m", "simspark_ros.ros.simulator_node"]
CAMERA = [sys.executable, "-m", "simspark_ros.ros.camera.node"]


@pytest.fixture
def cable(domain: Domain) -> Iterator[SecondMachine]:
    with SecondMachine(domain.number, delay=0.02, loss=0.02) as machine:
        yield machine


@pytest.fixture
def open_domain(cable: SecondMachine, domain: Domain, tmp_path: Path) -> Domain:
    """A domain that is open to the network; its processes find each other by it alone."""
    without_shared_memory(domain, "network.xml")
    return domain


@pytest.fixture
def simulate(cable: SecondMachine, open_domain: Domain, using: Using) -> Callable[..., Process]:
    """Starts simulators on the other machine."""

    def start(*parameters: str) -> Process:
        words = [*cable.prefix, *SIMULATOR]
        process: Process = using(Process(open_domain, "bridge:=true", *parameters, command=words))
        process.wait_for_line("ready")
        return process

    return start


def test_classic_agents_play_in_lock_step_on_a_simulator_elsewhere(
    simulate: Callable[..., Process], cable: SecondMachine, open_domain: Domain, using: Using
) -> None:
    simulator = simulate("pacing:=lockstep", "bridge_timeout:=20.0")
    bridge = using(BridgeProcess(open_domain))
    witness = using(Witness(bridge.agent_port, bridge))
    lost = cable.lost
    while cable.lost < lost + 5:
        assert witness.assert_unharmed().longest_gap < 20.0
    assert simulator.running and "Traceback" not in simulator.output


def test_time_waits_for_nothing_in_real_time_and_what_is_lost_is_counted(
    simulate: Callable[..., Process], cable: SecondMachine, open_domain: Domain, using: Using
) -> None:
    simulator = simulate("pacing:=realtime", "bridge_timeout:=60.0")
    bridge = using(BridgeProcess(open_domain))
    player = using(simspark("wave", "--team=Far", f"--port={bridge.agent_port}"))
    until(lambda: "plays as Far" in bridge.output or not player.running)
    assert player.running, player.output
    clock = using(Listener(open_domain, "/clock", "rosgraph_msgs/Clock", "BEST_EFFORT", "VOLATILE"))
    reports = using(Listener(open_domain, "/diagnostics", "diagnostic_msgs/DiagnosticArray"))
    before = float(clock.hear()[-1][0])
    cable.pull_out()
    # One a second, of the bridge: for longer than a second, whose percepts DDS keeps.
    reports.hear(6)
    cable.put_in()
    after = float(clock.hear(10)[-1][0])
    # The simulator went on while nobody heard it.
    assert after - before > 2.0
    until(lambda: any(int(number) for words in reports.heard for number in words[2:]))
    assert player.running and simulator.running


def test_who_comes_late_gets_what_is_latched_and_pictures(
    simulate: Callable[..., Process], open_domain: Domain, using: Using
) -> None:
    simulate("robots:=['r=nao']")
    description = using(Listener(open_domain, "/r/robot_description", "std_msgs/String", "RELIABLE", "TRANSIENT_LOCAL"))
    until(lambda: description.heard)
    assert int(description.heard[0][1]) > 1000
    using(Process(open_domain, command=CAMERA))
    pictures = using(Listener(open_domain, "/r/camera/image_raw", "sensor_msgs/Image"))
    assert int(pictures.hear()[0][1]) == 320 * 240 * 3


def test_pictures_arrive_although_packets_are_lost(
    simulate: Callable[..., Process], cable: SecondMachine, open_domain: Domain, using: Using
) -> None:
    simulate("robots:=['r=nao']", "pacing:=realtime")
    using(Process(open_domain, command=[*cable.prefix, *CAMERA]))
    lost = cable.lost
    # Of 158 packets each: in datagrams of 64 KB not one in ten of these arrives, and they are sent again without end.
    pictures = using(Listener(open_domain, "/r/camera/image_raw", "sensor_msgs/Image")).hear(20)
    steps = np.diff([float(stamp) for stamp, _ in pictures])
    assert np.median(steps) < 0.25
    assert cable.lost > lost


def test_after_a_cable_was_out_for_long_all_find_each_other_again(
    simulate: Callable[..., Process], cable: SecondMachine, open_domain: Domain, using: Using
) -> None:
    simulator = simulate("robots:=['r=nao']", "pacing:=realtime")
    bridge = using(BridgeProcess(open_domain))
    player = using(ClassicClient(port=bridge.agent_port, timeout=3 * DEADLINE))
    player.send("(scene rsg/agent/nao/nao_hetero.rsg 0)")
    player.receive()
    player.send("(init (unum 1)(teamname Far))")
    bridge.wait_for_line("plays as Far")
    states = using(Listener(open_domain, "/r/joint_states", "sensor_msgs/JointState"))
    states.hear()
    cable.pull_out()
    simulator.wait_for_line("has sent nothing for 3 s (bridge_timeout); its 1 clients leave")
    # Fast DDS forgets the other side after 20 s.
    until(lambda: not states.publishers)
    cable.put_in()
    states.hear(10)
    with pytest.raises(ConnectionLostError, match="closed the connection"):
        while True:
            player.receive()
    bridge.wait_for_line("the simulator had dropped this bridge and this agent's robot is gone; connect again")
    # On a busy machine the bridge may be dropped once more.
    wave = ("wave", "--team=Again", f"--port={bridge.agent_port}", "--cycles=20")
    until(lambda: using(simspark(*wave)).wait() == 0)
    assert simulator.running


def test_a_viewer_shows_a_server_elsewhere_and_finds_it_again_after_the_cable_was_out_for_long(
    cable: SecondMachine, using: Using, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not after a minute.
    monkeypatch.setattr(idle_probes, "IDLE_PROBES", {"TCP_KEEPIDLE": 1, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3})
    words = ["simspark_ros.cli", "serve", "--no-ros", f"--bind={cable.there}", "--agent-port=0", "--monitor-port=0"]
    server = using(processes.Process([*cable.prefix, sys.executable, "-m", *words]))
    port = int(server.found(r"--serverPort=(\d+)"))

    def shows_more(viewer: Any) -> None:
        before = viewer.pictures
        until(lambda: viewer.pictures > before + 20)

    with viewing(port, host=cable.there) as viewer, browser(viewer.url):
        lost = cable.lost
        until(lambda: cable.lost > lost)
        shows_more(viewer)
        cable.pull_out()
        lost = cable.lost
        # Frames that TCP sends again and again, less and less often.
        until(lambda: cable.lost > lost + 3)
        cable.put_in()
        shows_more(viewer)
        assert viewer.lines == []
        cable.pull_out()
        until(lambda: viewer.lines)
        assert f"{cable.there}:{port} is gone" in viewer.lines[0]
        cable.put_in()
        shows_more(viewer)
    assert server.running
