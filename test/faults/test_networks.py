"""Agents and proxies behind a network that delays, splits, loses, goes silent or cuts."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.clients.wave import wave
from test.rigs.network.bad_network import BadNetwork
from test.rigs.network.lossy_sockets import lose_packets
from test.rigs.processes import Process, simspark
from test.rigs.witness import Witness, port, serve

pytestmark = pytest.mark.slow
Using = Callable[[Any], Any]
SILENT = 1.5
CYCLES = 40


@pytest.fixture
def server(using: Using) -> Process:
    process: Process = using(serve(f"--silent-timeout={SILENT}", "--proxy-port=0", "--proxy-limit=0.2"))
    return process


def hashes(folder: Path, network: Callable[[int], BadNetwork], lost: float = 0.0) -> list[str]:
    """Of the first cycles of a waving agent behind a network that loses a share of the packets."""
    log = folder / "hashes"
    with serve("--wait-for-robots=1", f"--hash-log={log}") as server, network(port(server, "agents")) as between:
        if lost:
            for process in (server.pid, os.getpid()):
                assert lose_packets(process, socket.SOCK_STREAM, lost)
        with ClassicClient("127.0.0.1", between.port, 60.0) as client:
            assert wave(client, "Far", 1, 0, CYCLES + 5) == "left 1"
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
        (BadNetwork.fall_silent, None, rf"has not answered with \(syn\) for {SILENT} s"),
    ],
    ids=["cut", "silent"],
)
def test_an_agent_behind_a_network_that_fails_is_gone_in_time(
    server: Process, using: Using, fault: Callable[[BadNetwork], None], largest_piece: int | None, line: str
) -> None:
    witness = using(Witness(port(server, "agents"), server))
    network = using(BadNetwork(port(server, "agents"), largest_piece=largest_piece))
    with simspark("wave", f"--port={network.port}"):
        server.wait_for_line("plays as Waving")
        fault(network)
        server.found(rf"agent 2 \(.*{line}")
        witness.assert_unharmed()


def test_a_proxy_behind_a_network_that_falls_silent_is_dropped_in_time(server: Process, using: Using) -> None:
    witness = using(Witness(port(server, "agents"), server))
    network = using(BadNetwork(port(server, "proxies"), largest_delay=0.002, largest_piece=500))
    proxy = using(simspark("proxy", f"--server=127.0.0.1:{network.port}", "--agent-port=0", "--early"))
    with simspark("wave", f"--port={port(proxy, 'agents')}"):
        proxy.wait_for_line("plays as Waving")
        network.fall_silent()
        server.found("has sent nothing for 10 s and is disconnected")
        witness.assert_unharmed()
