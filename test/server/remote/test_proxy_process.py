"""`simspark proxy` as a user starts it: processes and real ports. What jitter does, in virtual time: test_proxy.py."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.clients.wave import wave
from test.rigs.processes import finished, simspark
from test.rigs.waiting import DEADLINE
from test.rigs.witness import port, serve


@pytest.mark.slow
def test_agents_of_two_proxies_and_a_direct_one_play_in_one_match() -> None:
    def play(agent_port: int, unum: int) -> str:
        with ClassicClient("127.0.0.1", agent_port, DEADLINE) as client:
            return wave(client, "Mixed", unum, 0, cycles=60)

    with serve("--proxy-port=0") as server:
        near = ("proxy", "--server", f"127.0.0.1:{port(server, 'proxies')}", "--agent-port", "0", "--early", "--name")
        with simspark(*near, "east") as east, simspark(*near, "west") as west, ThreadPoolExecutor(3) as agents:
            ports = [port(process, "agents") for process in (east, west, server)]
            assert list(agents.map(play, ports, (1, 2, 3))) == ["left 1", "left 2", "left 3"]


@pytest.mark.slow
def test_a_proxy_changes_nothing_but_time(tmp_path: Path) -> None:
    """The same agent behind a proxy and without one: the same fingerprint of the world in every cycle."""
    cycles = 80

    def log_of(name: str, with_proxy: bool) -> list[str]:
        log = tmp_path / name
        with serve("--wait-for-robots=1", f"--hash-log={log}", "--proxy-port=0", "--proxy-limit=60") as server:
            address = f"127.0.0.1:{port(server, 'proxies')}"
            # As long as it takes: a busy machine is not to change what counts.
            with simspark("proxy", "--server", address, "--agent-port", "0", "--cycle", "50", "--early") as proxy:
                agent_port = port(proxy if with_proxy else server, "agents")
                with ClassicClient("127.0.0.1", agent_port, DEADLINE) as client:
                    # The last messages are on their way when it leaves.
                    wave(client, "Same", 1, 0, cycles + 10)
            assert server.end() == 0
        return log.read_text().splitlines()[:cycles]

    direct_log, proxy_log = log_of("direct", False), log_of("proxy", True)
    assert len(direct_log) == cycles
    assert proxy_log == direct_log


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--server", "nowhere"], "HOST:PORT"),
        (["--server", "127.0.0.1:70000"], "70000"),
        (["--server", "127.0.0.1:1", "--agent-port", "0"], "--proxy-port 1"),
        (["--server", "127.0.0.1:1", "--cycle", "0"], "above 0"),
        (["--server", "127.0.0.1:1", "--agent-port", "0", "--profile", "1999"], "1999"),
    ],
)
def test_a_wrong_argument_is_named(arguments: list[str], named: str) -> None:
    done = finished("proxy", *arguments)
    assert done.status == 2
    assert named in done.errors and "Traceback" not in done.errors
