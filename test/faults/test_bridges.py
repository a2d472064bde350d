"""Bridges and simulators are killed and stopped, packets lost; two simulators share a domain; robots come and go."""

import re
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")

from rosgraph_msgs.msg import Clock

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from test.faults.conftest import Using, wave
from test.rigs.network.lossy_sockets import lose_packets, lost_datagrams
from test.rigs.processes import simspark
from test.rigs.ros_processes import BridgeProcess, Domain, Observer, Process
from test.rigs.waiting import DEADLINE, until
from test.rigs.witness import Witness, port
from test.ros.entities import deleted, spawned

pytestmark = pytest.mark.slow
CYCLES = 60


@pytest.fixture
def simulate(domain: Domain, using: Using) -> Callable[..., Process]:
    """Starts simulators for bridges, in lock-step."""

    def start(*parameters: str) -> Process:
        process: Process = using(Process(domain, "pacing:=lockstep", "bridge:=true", *parameters))
        process.wait_for_line("ready")
        return process

    return start


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_bridge_that_is_killed_or_stopped_takes_its_agents_with_it_and_nothing_else(
    simulate: Callable[[], Process], domain: Domain, using: Using, number: int
) -> None:
    simulator, near, other = simulate(), using(BridgeProcess(domain)), using(BridgeProcess(domain))
    witness = using(Witness(near.agent_port, near))
    agent = using(wave(other.agent_port))
    other.wait_for_line("plays as Waving")
    other.send(number)
    line = "has sent nothing for 3 s (bridge_timeout); its 1 clients leave, and the match goes on without it"
    simulator.wait_for_line(line)
    assert witness.assert_unharmed().longest_gap < 10.0
    assert simulator.running and "Traceback" not in simulator.output
    if number == signal.SIGSTOP:
        # Continued, it comes back; its agents have to join again.
        other.send(signal.SIGCONT)
        other.wait_for_line("the simulator had dropped this bridge and this agent's robot is gone; connect again")
        assert agent.wait() == 1
        assert using(wave(other.agent_port, "--cycles=20")).wait() == 0
        witness.assert_unharmed()


def test_a_simulator_that_is_killed_ends_its_match_and_the_next_one_finds_the_bridge(
    simulate: Callable[[], Process], domain: Domain, using: Using
) -> None:
    first, bridge = simulate(), using(BridgeProcess(domain))
    # It waits for longer than `wave` does: the next simulator may take its time on a busy machine.
    agent = using(ClassicClient(port=bridge.agent_port, timeout=DEADLINE))
    agent.send("(scene rsg/agent/nao/nao_hetero.rsg 0)")
    agent.receive()
    agent.send("(init (unum 1)(teamname Waiting))(syn)")
    bridge.wait_for_line("plays as Waiting")
    first.end(signal.SIGKILL)
    simulate()
    bridge.wait_for_line("the simulator was restarted and this agent's robot is gone; connect again")
    with pytest.raises(ConnectionLostError, match="closed the connection"):
        while True:
            agent.receive()
    using(Witness(bridge.agent_port, bridge)).assert_unharmed()


def test_packets_that_are_lost_between_bridge_and_simulator_cost_time_and_nothing_else(
    simulate: Callable[..., Process], domain: Domain, using: Using, tmp_path: Path
) -> None:
    simulator, bridge = simulate(), using(BridgeProcess(domain))
    witness = using(Witness(bridge.agent_port, bridge))
    both = (simulator.pid, bridge.pid)
    assert all(lose_packets(process, socket.SOCK_DGRAM, 0.02) for process in both)
    # Fast DDS asks for a lost packet every 0.2 s (config/ros/), not every 3 s, when the bridge is dropped.
    while not all(lost_datagrams(process) >= 5 for process in both):
        assert witness.assert_unharmed().longest_gap < 1.5
    assert simulator.running and "Traceback" not in simulator.output


def test_a_bridge_serves_one_of_two_simulators(simulate: Callable[[], Process], domain: Domain, using: Using) -> None:
    first, bridge = simulate(), using(BridgeProcess(domain))
    witness = using(Witness(bridge.agent_port, bridge))
    second = simulate()
    bridge.wait_for_line("a second simulator sends percepts to this bridge; it is ignored. Use namespaces.")
    witness.assert_unharmed()
    assert second.end() == 0
    witness.assert_unharmed()
    assert first.end() == 0


def test_two_servers_in_one_domain_share_topics_and_keep_the_hashes_that_they_have_alone(
    domain: Domain, observer: Observer, using: Using, tmp_path: Path
) -> None:
    def serve(name: str, seed: int, *options: str) -> Any:
        # Each server starts with its own agent.
        ports = ("--agent-port=0", "--monitor-port=0", "--headless", "--pacing=lockstep", "--wait-for-robots=1")
        files = (f"--seed={seed}", f"--hash-log={tmp_path / name}")
        return using(simspark("serve", *ports, *files, *options, environment=domain.environment))

    def play(*servers: Any) -> None:
        agents = [using(wave(port(server, "agents"), f"--cycles={CYCLES + 5}")) for server in servers]
        assert [agent.wait() for agent in agents] == [0] * len(agents)
        for server in servers:
            assert server.end() == 0, server.output

    def hashes(name: str) -> list[str]:
        return (tmp_path / name).read_text().splitlines()[:CYCLES]

    for seed in (1, 2):
        play(serve(f"alone {seed}", seed, "--no-ros", "--robot=r=nao"))
    together = [serve(f"together {seed}", seed, "--robot=r=nao") for seed in (1, 2)]
    node = observer.node
    with observer.hear(Clock, "/clock"):
        observer.until(lambda: node.count_publishers("/clock") == 2, "the clocks of two simulators")
        observer.until(lambda: node.count_publishers("/r/joint_states") == 2, "a topic of both")
        observer.until(lambda: node.count_subscribers("/r/joint_command") == 2, "commands to both")
        observer.until(lambda: node.count_services("/get_entities") == 2, "a service of both")
        play(*together)
    for seed in (1, 2):
        assert len(hashes(f"alone {seed}")) == CYCLES
        assert hashes(f"together {seed}") == hashes(f"alone {seed}")
    until(lambda: not any(server.running for server in together))


def test_robots_of_new_names_leave_no_topic_file_or_thread(domain: Domain, observer: Observer, using: Using) -> None:
    server = using(Process(domain))

    def join_and_leave(numbers: range) -> None:
        for number in numbers:
            spawned(observer, f"r{number}")
            deleted(observer, f"r{number}")

    join_and_leave(range(10))
    held, memory = server.held(), server.memory()
    join_and_leave(range(10, 60))
    observer.until(lambda: not [name for name in observer.topics() if re.match(r"/r\d", name)], "the end of topics")
    until(lambda: server.held() <= held)
    # A heap profiler sees 3 KB a robot; pages of the allocator, which come and go, are up to 3 MB beside it.
    assert server.memory() - memory < 50 * 100_000
