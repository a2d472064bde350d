"""Thinking time of agents behind a network with jitter, with a proxy and without one.

`direct`: agents - jitter - `simspark serve` in real time. `proxy`: agents - `simspark proxy` - jitter - `simspark
serve` in lock-step. Every message is delayed by 0 to the given time, each way. Thinking time of a percept is the wall
time from when it leaves the network on the agents' side to the last moment at which an answer can enter it there and
still count for its cycle: what this machine takes to wake an agent up is not the network's doing. Agents answer after
some time, and a command is late if it did not count for its cycle, whatever the reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import numpy as np

from simspark_ros.protocol.framing import frame
from simspark_ros.server.remote.codec import CommandsMessage, Message, PerceptsMessage, header
from test.rigs.network.jitter_relay import Crossing, Relay, Wire

CYCLE = 0.02
WARM_UP = 20
DEADLINE = 60.0
SERVE = ("serve", "--no-ros", "--headless", "--agent-port", "0", "--monitor-port", "0")


@dataclass
class Agent:
    """Times recorded by one agent.

    Attributes:
        received: when it had each percept, s of `time.monotonic`.
        answered: index of the percept that each of its messages after the first two answers.
    """

    received: list[float] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)

    async def play(self, port: int, number: int, think: float, percepts: int) -> None:
        """Join and answer a number of percepts, each after some time."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(frame(b"(scene rsg/agent/nao/nao_hetero.rsg 0)(syn)"))
        init = f"(init (unum {number})(teamname Jitter))(syn)"
        while len(self.received) < percepts:
            length = int.from_bytes(await reader.readexactly(4), "big")
            await reader.readexactly(length)
            self.received.append(time.monotonic())
            if len(self.received) == 1:
                writer.write(frame(init.encode()))
                continue
            index = len(self.received) - 1
            asyncio.get_running_loop().call_later(think, self._answer, writer, index)
        await asyncio.sleep(think + CYCLE)
        writer.close()

    def _answer(self, writer: asyncio.StreamWriter, index: int) -> None:
        self.answered.append(index)
        writer.write(frame(b"(he1 0.1)(lae1 0.1)(rae1 0.1)(syn)"))


@dataclass(frozen=True)
class Result:
    """Figures of a run.

    Attributes:
        thinking: thinking time for every percept of every agent, s.
        late: number of commands that did not count for their cycle.
        commands: number of all commands.
        rate: simulated time per wall time.
    """

    thinking: list[float]
    late: int
    commands: int
    rate: float


class Process:
    """A `simspark` command and what it has printed."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.output = ""

    async def port(self, name: str) -> int:
        """The port that it prints behind a name."""
        assert self._process.stdout is not None
        while not (found := re.search(name + r" +127\.0\.0\.1:(\d+)", self.output)):
            line = await asyncio.wait_for(self._process.stdout.readline(), DEADLINE)
            if not line:
                raise SystemExit(f"ended before it printed its port: {self.output}")
            self.output += line.decode()
        return int(found[1])

    async def end(self) -> str:
        """End it; returns all that it has printed."""
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGINT)
        rest, _ = await asyncio.wait_for(self._process.communicate(), DEADLINE)
        self.output += rest.decode()
        return self.output


@contextlib.asynccontextmanager
async def running(*arguments: str) -> AsyncIterator[Process]:
    """A `simspark` command that ends with the block."""
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "simspark_ros.cli", *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    try:
        yield Process(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def play(port: int, agents: int, think: float, cycles: int) -> tuple[list[Agent], float]:
    """Let agents play; returns their records and simulated per wall time."""
    players = [Agent() for _ in range(agents)]
    percepts = cycles + WARM_UP
    await asyncio.wait_for(
        asyncio.gather(*(player.play(port, number + 1, think, percepts) for number, player in enumerate(players))),
        DEADLINE + 10 * percepts * CYCLE,
    )
    times = players[0].received
    return players, cycles * CYCLE / (times[-1] - times[WARM_UP - 1])


async def direct(agents: int, jitter: float, think: float, cycles: int, seed: int = 1) -> Result:
    """Agents behind the network."""
    async with running(*SERVE, "--pacing", "realtime", "--late-cycles", "slip") as server:
        async with Relay(await server.port("agents"), jitter, seed) as relay:
            players, rate = await play(relay.port, agents, think, cycles)
        await server.end()
    thinking, late, commands = [], 0, 0
    for player, wire in zip(players, _by_first_percept(players, relay.wires), strict=True):
        answers = zip(player.answered, wire.up[2:], strict=False)
        for index, crossing in answers:
            if index < WARM_UP or index + 1 >= len(wire.down):
                continue
            # The simulator takes commands and sends percepts in one go.
            last_moment = wire.down[index + 1].arrived - (crossing.delivered - crossing.arrived)
            thinking.append(last_moment - wire.down[index].delivered)
            commands += 1
            late += crossing.delivered > wire.down[index + 1].arrived
    return Result(thinking, late, commands, rate)


def _by_first_percept(players: list[Agent], wires: list[Wire]) -> list[Wire]:
    """The wire of each agent, the one whose times fit: connections are accepted in any order."""
    return [
        min(wires, key=lambda wire: sum(abs(a - b.delivered) for a, b in zip(player.received, wire.down, strict=False)))
        for player in players
    ]


async def with_proxy(agents: int, jitter: float, think: float, cycles: int, seed: int = 1) -> Result:
    """A proxy near the agents, and the network between it and the simulator."""
    async with running(*SERVE, "--pacing", "lockstep", "--proxy-port", "0") as server:
        async with Relay(await server.port("proxies"), jitter, seed) as relay:
            address = f"127.0.0.1:{relay.port}"
            async with running("proxy", "--server", address, "--agent-port", "0", "--name", "near") as proxy:
                players, rate = await play(await proxy.port("agents"), agents, think, cycles)
                output = await proxy.end()
        await server.end()
    (wire,) = relay.wires
    sent = np.array([crossing.arrived for crossing in _of_kind(wire.up, CommandsMessage)])
    passed = np.array([crossing.delivered for crossing in _of_kind(wire.down, PerceptsMessage)])
    thinking = []
    for player in players:
        for moment in player.received[WARM_UP:-1]:
            # The first commands that leave the proxy after the percept came are those of its cycle.
            last_moment = sent[np.searchsorted(sent, moment)]
            thinking.append(last_moment - passed[np.searchsorted(passed, moment) - 1])
    late = sum(int(count) for count in re.findall(r"was late in (\d+) of", output))
    return Result(thinking, late, agents * cycles, rate)


def _of_kind(crossings: list[Crossing], kind: type[Message]) -> list[Crossing]:
    return [crossing for crossing in crossings if crossing.kind == header(kind)]
