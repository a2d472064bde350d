"""An agent behind a network that delays, splits and loses."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.clients.wave import wave
from test.rigs.network.bad_network import BadNetwork
from test.rigs.network.lossy_sockets import lose_packets
from test.rigs.witness import port, serve

pytestmark = pytest.mark.slow
CYCLES = 40


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
