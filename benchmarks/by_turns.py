"""How fast two checkouts serve lock-step agents, measured by turns: simulated seconds per wall second, and their ratio.

    python benchmarks/by_turns.py --before DIR --after DIR [--agents 1 2 6 11 22] [--engines bullet ode mujoco]
    python benchmarks/by_turns.py --before DIR --after DIR --agents 22 --rounds 5 --busy 2

Both servers run all the time (`simspark serve --pacing lockstep --headless`, with ROS topics as by default, each in a
ROS domain of its own) with agents that move all their joints, fall, and go on moving. A round is many short bursts:
before, after, after, before, and so on; meanwhile the other server waits for its agents. So whatever else the machine
does slows both. A ratio is that of two neighbouring bursts; above 1 the checkout after is faster. A round restarts both
servers, as two processes with the same code may differ by some percent. `--busy N` lets N processes spin beside
it. The servers' own use of the processor is printed, too: on a busy machine it is the steadier of the two. Nothing is
imported from the package, and environment variables are passed through as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from behaviour.checkout import Process, running
from behaviour.stage import BODY, NAO
from behaviour.wire import DEADLINE, Link, StalledError, framed

CYCLE = 0.02
"""Simulated time of a cycle, s."""

KINDS = 4
"""Types of robots that take turns in either team, as in `agents.py`."""

_SPIN = "while True: pass"


@dataclass(frozen=True)
class Burst:
    """Times of a burst of cycles.

    Attributes:
        wall: s from the first answer until the server had nothing left to do.
        processor: s that the server's threads used.
    """

    wall: float
    processor: float


class Crowd:
    """Agents of one server, all of which move all the time."""

    def __init__(self, process: Process, count: int) -> None:
        """Let the agents join one after the other; time stands still until all are there."""
        port = int(process.told(r"agents +127\.0\.0\.1:(\d+)")[1])
        self._process = process
        self._links = [Link(port) for _ in range(count)]
        self._poll = select.epoll()
        self._by_file: dict[int, int] = {}
        self._down: set[int] = set()
        self._cycle = 0
        for number, link in enumerate(self._links):
            self._by_file[link.socket.fileno()] = number
            self._poll.register(link.socket, select.EPOLLIN)
            link.send(f"(scene {NAO} {number // 2 % KINDS})(syn)")
            link.settle()
        self._answers = [[framed(_flail(number, cycle)) for cycle in range(64)] for number in range(count)]
        self._collect()
        self._exchange([framed(f"(init (unum {n // 2 + 1})(teamname {'AB'[n % 2]}))(syn)") for n in range(count)])
        self._exchange([framed(f"(beam {_place(n)})(syn)") for n in range(count)])

    @property
    def fallen(self) -> int:
        """Number of robots whose acceleration has shown that they lie."""
        return len(self._down)

    def run(self, cycles: int) -> Burst:
        """Answer this many messages of each agent, and wait until the server rests."""
        used, began = self._process.processor_time, time.perf_counter()
        for _ in range(cycles):
            self._cycle += 1
            self._exchange([answers[self._cycle % 64] for answers in self._answers])
        # Its last message was sent before it simulated the cycle.
        rests = 0
        while rests < 2:
            rests = rests + 1 if self._process.sleeping else 0
        return Burst(time.perf_counter() - began, self._process.processor_time - used)

    def look(self) -> None:
        """Note which robots lie."""
        for number, link in enumerate(self._links):
            found = re.search(rb"\(a ([^ ()]+) ([^ ()]+) ([^ ()]+)\)", link.latest)
            if found and abs(float(found[3])) < 5.0:
                self._down.add(number)

    def close(self) -> None:
        """Disconnect all."""
        for link in self._links:
            link.close()

    def _exchange(self, answers: list[bytes]) -> None:
        """Answer all agents, and wait for the next message of each."""
        for link, answer in zip(self._links, answers, strict=True):
            link.forget()
            link.socket.send(answer)
        self._collect()

    def _collect(self) -> None:
        missing = {number for number, link in enumerate(self._links) if not link.count}
        end = time.monotonic() + DEADLINE
        while missing:
            for file, _ in self._poll.poll(1.0):
                number = self._by_file[file]
                self._links[number].pull()
                if self._links[number].count:
                    missing.discard(number)
            if time.monotonic() > end:
                raise StalledError(f"no message for {len(missing)} agents")


def _flail(number: int, cycle: int) -> str:
    """All joints to and fro, in another rhythm for each robot, so that none stands for long or falls asleep."""
    speeds = (3.0 * math.sin(2.0 * math.pi * (cycle / 64.0 * (1 + joint % 3)) + joint + number) for joint in range(99))
    return "".join(f"({joint} {speed:.2f})" for joint, speed in zip(BODY, speeds, strict=False)) + "(syn)"


def _place(number: int) -> str:
    row = number // 2
    return f"{-1.5 - 1.2 * (row % 4):.2f} {-6 + 1.1 * row:.2f} 0"


@dataclass
class Measured:
    """Neighbouring bursts of both checkouts, round by round, for one engine and number of agents."""

    rounds: list[list[tuple[Burst, Burst]]] = field(default_factory=list)
    fallen: str = ""

    def row(self, burst: int) -> str:
        """A row of the table.

        Args:
            burst: cycles of each.
        """
        pairs = [pair for of_round in self.rounds for pair in of_round]
        rates = [statistics.median(burst * CYCLE / pair[side].wall for pair in pairs) for side in (0, 1)]
        spent = [statistics.median(1000.0 * pair[side].processor / burst for pair in pairs) for side in (0, 1)]
        low, middle, high = statistics.quantiles([ratio(pair) for pair in pairs], n=4)
        rounds = " ".join(f"{statistics.median(map(ratio, of_round)):.3f}" for of_round in self.rounds)
        by_processor = statistics.median(before.processor / after.processor for before, after in pairs)
        return (
            f"{rates[0]:8.2f} {rates[1]:8.2f} {middle:7.3f} {low:6.3f} - {high:5.3f}"
            f" {spent[0]:8.3f} {spent[1]:8.3f} {by_processor:7.3f}   {rounds}; {self.fallen}"
        )


HEAD = (
    f"{'engine':7} {'agents':>6} {'before':>8} {'after':>8} {'ratio':>7} {'quartiles':>14}"
    f" {'before':>8} {'after':>8} {'ratio':>7}   ratios of rounds; fallen\n"
    f"{'':14} {'simulated s per s of wall time':>40} {'ms of processor a cycle':>25}"
)


def ratio(pair: tuple[Burst, Burst]) -> float:
    """How many times as fast the second one is."""
    return pair[0].wall / pair[1].wall


@contextlib.contextmanager
def crowd_of(checkout: Path, engine: str, agents: int, domain: int, options: argparse.Namespace) -> Iterator[Crowd]:
    """A checkout's server with its agents, which have fallen already."""
    serve = ["serve", "--engine", engine, "--pacing", "lockstep", "--headless", "--silent-timeout", "0"]
    serve += ["--agent-port", "0", "--monitor-port", "0", "--wait-for-robots", str(agents)]
    serve += ["--no-ros"] if options.no_ros else []
    with (
        tempfile.TemporaryDirectory(prefix="by-turns-") as folder,
        running(checkout.resolve(), serve, Path(folder), "server", domain) as process,
    ):
        crowd = Crowd(process, agents)
        for _ in range(options.warm_up):
            crowd.run(1)
            crowd.look()
        yield crowd
        # The server first: without agents it would run in real time.
        process.interrupt()
        process.wait()
        crowd.close()


def measure(engine: str, agents: int, domain: int, options: argparse.Namespace, measured: Measured) -> None:
    """One round."""
    with (
        crowd_of(options.before, engine, agents, domain, options) as before,
        crowd_of(options.after, engine, agents, domain + 1, options) as after,
    ):
        pairs = []
        for turn in range(max(2, options.cycles // options.burst)):
            # Who is second finds the caches as the other left them; so they take turns in that too.
            order = (before, after) if turn % 2 == 0 else (after, before)
            taken = {crowd: crowd.run(options.burst) for crowd in order}
            pairs.append((taken[before], taken[after]))
        measured.rounds.append(pairs)
        measured.fallen = f"{before.fallen} and {after.fallen} of {agents}"


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Processes that spin."""
    spinning = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def main() -> None:
    """Print a table after each round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, metavar="DIR", help="a checkout")
    parser.add_argument("--after", type=Path, required=True, metavar="DIR", help="the other checkout")
    parser.add_argument("--agents", type=int, nargs="+", default=[1, 2, 6, 11, 22])
    parser.add_argument("--engines", nargs="+", default=["bullet", "ode", "mujoco"])
    parser.add_argument("--rounds", type=int, default=3, help="starts of both servers [3]")
    parser.add_argument("--cycles", type=int, default=600, help="of each server in a round [600]")
    parser.add_argument("--burst", type=int, default=25, help="cycles until it is the other's turn [25]")
    parser.add_argument("--warm-up", type=int, default=150, help="cycles before the first burst: robots fall [150]")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="processes that spin meanwhile [0]")
    parser.add_argument("--no-ros", action="store_true", help="without ROS topics")
    options = parser.parse_args()
    table: dict[tuple[str, int], Measured] = {}
    domain = 10 + os.getpid() % 45 * 2
    with busy(options.busy):
        for count in range(1, options.rounds + 1):
            for engine in options.engines:
                for agents in options.agents:
                    measure(engine, agents, domain, options, table.setdefault((engine, agents), Measured()))
            print(f"after {count} rounds of {options.cycles} cycles, {options.busy} busy processes:\n{HEAD}")
            for (engine, agents), measured in table.items():
                print(f"{engine:7} {agents:6} {measured.row(options.burst)}", flush=True)


if __name__ == "__main__":
    main()
