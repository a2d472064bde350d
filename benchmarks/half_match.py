"""A half with 22 scripted agents of all five types: is any message lost or late, and does the server's memory grow?

    python benchmarks/half_match.py --engine ode [--cycles 15000]

Each agent answers every message with nine joint commands and a (syn), in lock-step; both teams have every type 0 to 4.
A message is lost or late when its time is not exactly one cycle after that of the message before. Memory is compared
after the first tenth with the end. The exit status is 1 if a message was lost or late.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

import psutil  # type: ignore[import-untyped]
from agents import CYCLE, Agents, server  # type: ignore[import-not-found]

PLAYERS = 22
TOLERANCE = 0.005
"""s; half of the last digit in which messages give the time, twice."""

GROWN_UP = 10
"""Memory is first measured after this fraction (1/N) of a run: by then all code has run once."""


class CountingAgents(Agents):  # type: ignore[misc]
    """Agents of all types that check the time in every message."""

    types = 5

    def __init__(self, port: int, count: int) -> None:
        """Join as many agents as `count`, both teams with all types."""
        self.irregular = 0
        self._last: dict[int, float] = {}
        super().__init__(port, count)

    def heard(self, number: int, message: bytes) -> None:
        """Compare with the time of the message before."""
        now = float(message[len(b"(time (now ") : message.index(b")")])
        last = self._last.get(number)
        if last is not None and abs(now - last - CYCLE) > TOLERANCE + 1e-9:
            self.irregular += 1
        self._last[number] = now


@dataclass(frozen=True)
class Half:
    """Figures of a half.

    Attributes:
        pace: simulated seconds per second.
        irregular: messages that were lost or late.
        before, after: resident memory of the server, MiB.
    """

    pace: float
    irregular: int
    before: float
    after: float

    def __str__(self) -> str:
        """One line."""
        growth = 100.0 * (self.after / self.before - 1.0)
        return (
            f"{self.pace:.2f} simulated s per s, {self.irregular} messages lost or late, "
            f"memory {self.before:.0f} to {self.after:.0f} MiB ({growth:+.1f} %)"
        )


def play(engine: str, cycles: int) -> Half:
    """Play a number of cycles on an engine, `NAME` or `NAME:PRESET`."""
    with server("composed", ros=False, engine=engine) as port:
        (process,) = psutil.Process().children()
        agents = CountingAgents(port, PLAYERS)
        started = time.perf_counter()
        agents.run(cycles // GROWN_UP)
        before = process.memory_info().rss
        agents.run(cycles - cycles // GROWN_UP)
        pace = cycles * CYCLE / (time.perf_counter() - started)
        half = Half(pace, agents.irregular, before / 2**20, process.memory_info().rss / 2**20)
        agents.close()
        return half


def main() -> int:
    """Print a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="bullet", metavar="ENGINE[:PRESET]")
    parser.add_argument("--cycles", type=int, default=15000, help="a half of 300 s has 15000 [15000]")
    options = parser.parse_args()
    half = play(options.engine, options.cycles)
    print(f"{options.engine}, {PLAYERS} agents, {options.cycles} cycles: {half}")
    return 1 if half.irregular else 0


if __name__ == "__main__":
    sys.exit(main())
