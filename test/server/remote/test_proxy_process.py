"""`simspark proxy` as a user starts it: processes, real ports, and a network with jitter."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.clients.wave import wave
from test.rigs.network.jitter import CYCLE, SERVE, direct, running, with_proxy
from test.rigs.processes import finished

DEADLINE = 60.0
JITTER, THINK, CYCLES = 0.012, 0.008, 60


@pytest.mark.slow
def test_jitter_takes_thinking_time_from_direct_agents_and_none_from_those_of_a_proxy() -> None:
    behind = asyncio.run(with_proxy(2, JITTER, THINK, CYCLES))
    # A busy machine can only lengthen this time, which the proxy's own clock measures.
    assert min(behind.thinking) >= CYCLE
    exposed = asyncio.run(direct(2, JITTER, THINK, CYCLES))
    # 20 ms less up to 12 ms each way; some of the cycles have to come near it.
    assert min(exposed.thinking) < CYCLE / 2


@pytest.mark.slow
def test_agents_of_two_proxies_and_a_direct_one_play_in_one_match() -> None:
    async def match() -> list[str]:
        async with running(*SERVE, "--pacing", "lockstep", "--proxy-port", "0") as server:
            address = f"127.0.0.1:{await server.port('proxies')}"
            near = ("proxy", "--server", address, "--agent-port", "0", "--early", "--name")
            async with running(*near, "east") as east, running(*near, "west") as west:
                ports = [await east.port("agents"), await west.port("agents"), await server.port("agents")]
                return await asyncio.gather(
                    *(asyncio.to_thread(play, port, unum + 1) for unum, port in enumerate(ports))
                )

    def play(port: int, unum: int) -> str:
        with ClassicClient("127.0.0.1", port, DEADLINE) as client:
            return wave(client, "Mixed", unum, 0, cycles=60)

    assert asyncio.run(match()) == ["left 1", "left 2", "left 3"]


@pytest.mark.slow
def test_a_proxy_changes_nothing_but_time(tmp_path: Path) -> None:
    """The same agent behind a proxy and without one: the same fingerprint of the world in every cycle."""
    cycles = 80

    def play(port: int) -> None:
        with ClassicClient("127.0.0.1", port, DEADLINE) as client:
            # The last messages are on their way when it leaves.
            wave(client, "Same", 1, 0, cycles + 10)

    async def log_of(name: str, with_proxy: bool) -> list[str]:
        lockstep = ("--pacing", "lockstep", "--wait-for-robots", "1", "--hash-log", str(tmp_path / name))
        async with running(*SERVE, *lockstep, "--proxy-port", "0", "--proxy-limit", "60") as server:
            address = f"127.0.0.1:{await server.port('proxies')}"
            # As long as it takes: a busy machine is not to change what counts.
            async with running("proxy", "--server", address, "--agent-port", "0", "--cycle", "50", "--early") as proxy:
                await asyncio.to_thread(play, await (proxy if with_proxy else server).port("agents"))
            await server.end()
        return (tmp_path / name).read_text().splitlines()[:cycles]

    direct_log, proxy_log = asyncio.run(log_of("direct", False)), asyncio.run(log_of("proxy", True))
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
