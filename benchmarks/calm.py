"""Simulated seconds per wall second on a machine whose speed changes from second to second.

    python benchmarks/calm.py [--engines bullet ode mujoco] [--robots 1 2] [--windows 60] [--cycles 300]

Like `agents.py --engines`, but every server is measured in short windows, each between two runs of a fixed loop of
plain Python. Windows beside which the loop took at most a tenth longer than at its best are calm: their median is what
the server does when nothing else slows the machine. The median of all windows is printed as well.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass

from agents import CYCLE, WARM_UP, Agents, server

ROUNDS = 3
LOOPS = 300_000
CALM = 1.1


@dataclass(frozen=True)
class Window:
    """One measurement: simulated s per wall s, and the slower of the loops before and after it, s."""

    rate: float
    loop: float


def plain_loop() -> float:
    """Wall time of a fixed amount of work, s."""
    started = time.perf_counter()
    total = 0
    for number in range(LOOPS):
        total += number * number
    return time.perf_counter() - started


def measure(engine: str, robots: int, windows: int, cycles: int) -> list[Window]:
    """Measure a new server."""
    result = []
    with server("composed", True, engine) as port:
        agents = Agents(port, robots)
        agents.run(WARM_UP)
        for _ in range(windows):
            before = plain_loop()
            rate = cycles * CYCLE / agents.run(cycles)
            result.append(Window(rate, max(before, plain_loop())))
        agents.close()
    return result


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", metavar="ENGINE[:PRESET]", default=["bullet", "ode", "mujoco"])
    parser.add_argument("--robots", type=int, nargs="+", default=[1])
    parser.add_argument("--windows", type=int, default=60, help=f"of each cell, in {ROUNDS} rounds")
    parser.add_argument("--cycles", type=int, default=300, help="in a window")
    options = parser.parse_args()
    cells = [(robots, engine) for robots in options.robots for engine in options.engines]
    found: dict[tuple[int, str], list[Window]] = {cell: [] for cell in cells}
    for _ in range(ROUNDS):
        for robots, engine in cells:
            found[robots, engine] += measure(engine, robots, options.windows // ROUNDS, options.cycles)
    # Not the very shortest, which may be chance.
    best = statistics.quantiles((window.loop for windows in found.values() for window in windows), n=20)[0]
    print(f"simulated seconds per wall second; the plain loop takes {best * 1e3:.1f} ms at its best")
    print(f"{'robots':>6}  {'engine':<16}{'calm':>8}{'(windows)':>12}{'all':>8}{'best':>8}")
    for (robots, engine), windows in found.items():
        rates = [window.rate for window in windows]
        calm = [window.rate for window in windows if window.loop < CALM * best]
        median = f"{statistics.median(calm):.1f}" if calm else "-"
        counts = f"({len(calm)} of {len(windows)})"
        print(
            f"{robots:6}  {engine:<16}{median:>8}{counts:>12}{statistics.median(rates):8.1f}{max(rates):8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
