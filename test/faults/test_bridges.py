"""Bridges and simulators are killed and stopped, and two simulators share a domain."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")

from rosgraph_msgs.msg import Clock

from test.rigs.processes import simspark
from test.rigs.ros_processes import BridgeProcess, Domain, Observer, Process
from test.rigs.waiting import until
from test.rigs.witness import Witness, port

pytestmark = pytest.mark.slow
Using = Callable[[Any], Any]
CYCLES = 60


def wave(agents: int, *options: str) -> Any:
    return simspark("wave", "--team=Waving", f"--port={agents}", *options)


@pytest.fixture
def simulate(domain: Domain, using: Using) -> Callable[[], Process]:
    """Starts simulators for bridges, in lock-step."""

    def start() -> Process:
        process: Process = using(Process(domain, "pacing:=lockstep", "bridge:=true"))
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
    simulator.found("was not heard of for 3 s; its 1 clients leave, and the match goes on without it")
    assert witness.assert_unharmed().longest_gap < 10.0
    assert simulator.running and "Traceback" not in simulator.output
    if number == signal.SIGSTOP:
        # Continued, it comes back; its agents have to join again.
        other.send(signal.SIGCONT)
        other.wait_for_line("the simulator had dropped this bridge and its robot is gone; it has to connect again")
        assert agent.wait() == 1
        assert using(wave(other.agent_port, "--cycles=20")).wait() == 0
        witness.assert_unharmed()


def test_a_simulator_that_is_killed_ends_its_match_and_the_next_one_finds_the_bridge(
    simulate: Callable[[], Process], domain: Domain, using: Using
) -> None:
    first, bridge = simulate(), using(BridgeProcess(domain))
    agent = using(wave(bridge.agent_port))
    bridge.wait_for_line("plays as Waving")
    first.end(signal.SIGKILL)
    simulate()
    bridge.wait_for_line("the simulator was restarted and its robot is gone; it has to connect again")
    assert agent.wait() == 1
    using(Witness(bridge.agent_port, bridge)).assert_unharmed()


def test_a_bridge_serves_one_of_two_simulators_of_a_domain(
    simulate: Callable[[], Process], domain: Domain, using: Using
) -> None:
    first, bridge = simulate(), using(BridgeProcess(domain))
    witness = using(Witness(bridge.agent_port, bridge))
    second = simulate()
    bridge.wait_for_line("a second simulator sends percepts to this bridge; it is ignored. Use namespaces.")
    witness.assert_unharmed()
    assert second.end() == 0
    witness.assert_unharmed()
    assert first.end() == 0


@pytest.fixture
def observer(domain: Domain) -> Iterator[Observer]:
    made = Observer(domain)
    yield made
    made.close()


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
        play(serve(f"alone {seed}", seed, "--no-ros"))
    together = [serve(f"together {seed}", seed) for seed in (1, 2)]
    with observer.hear(Clock, "/clock"):
        observer.until(lambda: observer.node.count_publishers("/clock") == 2, "the clocks of two simulators")
        play(*together)
    for seed in (1, 2):
        assert len(hashes(f"alone {seed}")) == CYCLES
        assert hashes(f"together {seed}") == hashes(f"alone {seed}")
    until(lambda: not any(server.running for server in together))
