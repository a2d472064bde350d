"""Agents, monitors and proxies are killed, stopped or cut off, or their network fails, while a good client plays on."""

import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.clients.wave import wave as wave_arms
from test.faults.conftest import SILENT, Using, wave
from test.rigs.network.bad_network import BadNetwork
from test.rigs.network.lossy_sockets import lose_packets
from test.rigs.processes import Process, simspark
from test.rigs.witness import Witness, port, serve

pytestmark = pytest.mark.slow
MONITOR = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as monitor:
    # The server has it as soon as it sends something.
    monitor.recv(1)
    print("here", flush=True)
    while monitor.recv(1 << 16):
        pass
"""


def proxy(port: int) -> Process:
    return simspark("proxy", f"--server=127.0.0.1:{port}", "--agent-port=0", "--early")


def test_an_agent_that_is_killed_leaves(server: Process, witness: Witness, using: Using) -> None:
    other = using(wave(port(server, "agents")))
    server.wait_for_line("plays as Waving")
    other.end(signal.SIGKILL)
    server.found(r"agent 2 \(.*: (disconnected|connection lost)")
    assert witness.assert_unharmed().longest_gap < SILENT


def test_a_stopped_agent_is_waited_for_while_it_may_be_silent(server: Process, witness: Witness, using: Using) -> None:
    other = using(wave(port(server, "agents")))
    server.wait_for_line("plays as Waving")
    other.send(signal.SIGSTOP)
    server.found(r"agent 2 \(.*has not answered for 1.5 s and is disconnected")
    assert witness.assert_unharmed().longest_gap >= SILENT
    # Continued, it learns that it is out, and another one may take its number.
    other.send(signal.SIGCONT)
    other.wait_for_line("closed the connection")
    witness.begin()
    with using(wave(port(server, "agents"))):
        server.found(r"agent 3 \(.*plays as Waving 1")
    witness.assert_unharmed()


def test_in_real_time_a_stopped_agent_is_not_waited_for_and_plays_on_when_it_is_continued(using: Using) -> None:
    server = using(serve("--pacing=realtime", "--late-cycles=slip"))
    agents = port(server, "agents")
    witness, other = using(Witness(agents, server)), using(wave(agents, "--cycles=200"))
    server.wait_for_line("plays as Waving")
    other.send(signal.SIGSTOP)
    witness.begin()
    witness.assert_unharmed()
    other.send(signal.SIGCONT)
    assert other.wait() == 0, other.output
    witness.assert_unharmed()


def test_a_killed_proxy_takes_its_agents_and_nothing_else(server: Process, witness: Witness, using: Using) -> None:
    network = using(BadNetwork(port(server, "proxies"), largest_delay=0.002, largest_piece=500))
    near = using(proxy(network.port))
    using(wave(port(near, "agents")))
    near.wait_for_line("plays as Waving")
    near.end(signal.SIGKILL)
    server.wait_for_line("its 1 clients leave, and the match goes on without")
    assert witness.assert_unharmed().longest_gap < SILENT


def test_a_stopped_proxy_slows_the_match_until_it_is_dropped(server: Process, witness: Witness, using: Using) -> None:
    near = using(proxy(port(server, "proxies")))
    other = using(wave(port(near, "agents")))
    near.wait_for_line("plays as Waving")
    near.send(signal.SIGSTOP)
    server.wait_for_line("did not send its commands within 0.1 s; they count for the next cycle")
    server.wait_for_line("has sent nothing for 10 s and is disconnected")
    # No cycle waited for the whole time.
    assert witness.assert_unharmed().longest_gap < 5.0
    near.send(signal.SIGCONT)
    assert near.wait() == 1 and "the proxy ends" in near.output
    assert other.wait() == 1


def test_a_stopped_or_killed_monitor_costs_the_match_nothing(server: Process, witness: Witness, using: Using) -> None:
    monitor = using(Process([sys.executable, "-c", MONITOR, str(port(server, "monitors"))]))
    monitor.wait_for_line("here")
    witness.begin()
    monitor.send(signal.SIGSTOP)
    assert witness.assert_unharmed().longest_gap < SILENT
    monitor.end(signal.SIGKILL)
    server.found("monitor 1 .*(disconnected|connection lost)")
    assert witness.assert_unharmed().longest_gap < SILENT


CYCLES = 40


def hashes(folder: Path, network: Callable[[int], BadNetwork], lost: float = 0.0) -> list[str]:
    """Of the first cycles of a waving agent behind a network that loses a share of the packets."""
    log = folder / "hashes"
    with serve("--wait-for-robots=1", f"--hash-log={log}") as server, network(port(server, "agents")) as between:
        if lost:
            for process in (server.pid, os.getpid()):
                assert lose_packets(process, socket.SOCK_STREAM, lost)
        with ClassicClient("127.0.0.1", between.port, 60.0) as client:
            assert wave_arms(client, "Far", 1, 0, CYCLES + 5) == "left 1"
        server.end()
    return log.read_text().splitlines()[:CYCLES]


def test_in_lock_step_delays_splits_and_losses_change_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    good = hashes(tmp_path / "good", BadNetwork)
    bad = hashes(tmp_path, lambda number: BadNetwork(number, largest_delay=0.003, largest_piece=200), 0.03)
    assert len(good) == CYCLES
    assert bad == good


@pytest.mark.parametrize(
    ("fault", "largest_piece", "line"),
    [
        (BadNetwork.reset, 7, "(connection lost|disconnected)"),
        (BadNetwork.fall_silent, None, rf"has not answered for {SILENT} s"),
    ],
    ids=["cut", "silent"],
)
def test_an_agent_behind_a_network_that_fails_is_gone_in_time(
    server: Process,
    witness: Witness,
    using: Using,
    fault: Callable[[BadNetwork], None],
    largest_piece: int | None,
    line: str,
) -> None:
    network = using(BadNetwork(port(server, "agents"), largest_piece=largest_piece))
    with wave(network.port):
        server.wait_for_line("plays as Waving")
        fault(network)
        server.found(rf"agent 2 \(.*{line}")
        witness.assert_unharmed()
