"""How fast two servers serve lock-step agents, measured by turns: simulated seconds per wall second, and their ratio.

    python benchmarks/by_turns.py --before DIR --after DIR [--agents 1 2 6 11 22] [--engines bullet ode mujoco:PRESET]
    python benchmarks/by_turns.py --before DIR --after DIR --after-options "--threads 2" --agents 22 --rounds 5 --busy 2
    python benchmarks/by_turns.py --against-command "./server --agents {agent_port} --monitors {monitor_port}"
    python benchmarks/by_turns.py --against 127.0.0.1 3100

Two checkouts are compared, or a checkout (by default this one) with any other server of the classic protocol that
works in lock-step. A command is run by the shell, once a round, and ended with all that it started; it has to open the
ports that are put in. A server that runs already needs its address alone; if it is on another machine or in a
container, its use of the processor cannot be seen.

Both servers run all the time (checkouts: `simspark serve --pacing lockstep --headless`, with ROS topics as by default,
each in a ROS domain of its own) with agents that move all their joints, fall, and go on moving. A round is many short
bursts: before, after, after, before, and so on; meanwhile the other server waits for its agents. So whatever else the
machine does slows both. A ratio is that of two neighbouring bursts; above 1 the second server is faster. A round
restarts both servers, as two processes with the same code may differ by some percent, and the one that starts second is
slower: they change places from round to round, so take an even number of rounds. A round is repeated if a server loses
an agent. `--busy N` lets N processes spin beside it. The servers' own use of the processor is printed, too: on a busy
machine it is the steadier of the two. Nothing is imported from the package, and environment variables are passed
through as they are.
"""

import argparse
import contextlib
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from behaviour.checkout import running
from behaviour.crowd import Burst, Crowd
from behaviour.observed import listener_on
from behaviour.other_server import started_by
from behaviour.wire import DEADLINE, HOST, StalledError

CYCLE = 0.02
"""Simulated time of a cycle, s."""

_ATTEMPTS = 3
"""Number of attempts at a round."""

_SPIN = "while True: pass"


@dataclass
class Measured:
    """Neighbouring bursts of both servers, round by round, for one engine and number of agents."""

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
    f"{'engine':13} {'agents':>6} {'before':>8} {'after':>8} {'ratio':>7} {'quartiles':>14}"
    f" {'before':>8} {'after':>8} {'ratio':>7}   ratios of rounds; fallen\n"
    f"{'':20} {'simulated s per s of wall time':>40} {'ms of processor a cycle':>25}"
)


def ratio(pair: tuple[Burst, Burst]) -> float:
    """How many times as fast the second one is."""
    return pair[0].wall / pair[1].wall


@contextlib.contextmanager
def checkout_server(
    checkout: Path, engine: str, more: str, agents: int, domain: int, options: argparse.Namespace
) -> Iterator[Crowd]:
    """A checkout's server with its agents; `more` options are those of this server alone."""
    name, _, preset = engine.partition(":")
    serve = ["serve", "--engine", name, *(["--preset", preset] if preset else [])]
    serve += ["--pacing", "lockstep", "--headless", "--silent-timeout", "0"]
    serve += ["--agent-port", "0", "--monitor-port", "0", "--wait-for-robots", str(agents)]
    serve += [*(["--no-ros"] if options.no_ros else []), *shlex.split(more)]
    with (
        tempfile.TemporaryDirectory(prefix="by-turns-") as folder,
        running(checkout.resolve(), serve, Path(folder), "server", domain) as process,
    ):
        port = int(process.told(r"agents +127\.0\.0\.1:(\d+)")[1])
        crowd = Crowd(port, process, agents, options.patience)
        yield crowd
        # The server first: without agents it would run in real time.
        process.interrupt()
        process.wait()
        crowd.close()


@contextlib.contextmanager
def other_server(agents: int, options: argparse.Namespace) -> Iterator[Crowd]:
    """A server that is not of this project, with its agents."""
    with contextlib.ExitStack() as stack:
        if options.against:
            host, port = options.against[0], int(options.against[1])
            process = listener_on(port) if host == HOST else None
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="by-turns-"))
            port, _, process = stack.enter_context(started_by(options.against_command, Path(folder)))
            host = HOST
        crowd = Crowd(port, process, agents, options.patience, host=host, together=False)
        yield stack.enter_context(contextlib.closing(crowd))


def measure(engine: str, agents: int, domain: int, options: argparse.Namespace, measured: Measured) -> None:
    """One round."""
    swapped = len(measured.rounds) % 2
    first = (
        checkout_server(options.before, engine, options.before_options, agents, domain + swapped, options)
        if options.before
        else other_server(agents, options)
    )
    second = checkout_server(options.after, engine, options.after_options, agents, domain + 1 - swapped, options)
    with contextlib.ExitStack() as stack:
        servers = (second, first) if swapped else (first, second)
        crowds = {server: stack.enter_context(server) for server in servers}
        for crowd in crowds.values():
            crowd.fall(options.warm_up)
        before, after = crowds[first], crowds[second]
        pairs = []
        for turn in range(max(2, options.cycles // options.burst)):
            # Who is second finds the caches as the other left them; so they take turns in that too.
            order = (before, after) if turn % 2 == swapped else (after, before)
            taken = {crowd: crowd.run(options.burst) for crowd in order}
            pairs.append((taken[before], taken[after]))
        measured.rounds.append(pairs)
        measured.fallen = f"{before.fallen} and {after.fallen} of {agents}"


def measure_safely(engine: str, agents: int, domain: int, options: argparse.Namespace, measured: Measured) -> None:
    """One round, again if a server loses an agent in it."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return measure(engine, agents, domain, options, measured)
        except StalledError as error:
            print(f"{engine}, {agents} agents, attempt {attempt} of {_ATTEMPTS}: {error}", file=sys.stderr, flush=True)
    return None


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
    """Print a table in each round, of all rounds so far."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    first = parser.add_mutually_exclusive_group(required=True)
    first.add_argument("--before", type=Path, metavar="DIR", help="a checkout")
    first.add_argument("--against", nargs=2, metavar=("HOST", "PORT"), help="agent port of another server that runs")
    first.add_argument("--against-command", metavar="COMMAND", help="starts another server, see above")
    here = Path(__file__).parents[1]
    parser.add_argument("--after", type=Path, default=here, metavar="DIR", help="the second checkout [this one]")
    for side in ("before", "after"):
        parser.add_argument(f"--{side}-options", default="", metavar="OPTIONS", help=f"of `serve` for --{side} alone")
    parser.add_argument("--agents", type=int, nargs="+", default=[1, 2, 6, 11, 22])
    parser.add_argument("--engines", nargs="+", metavar="ENGINE[:PRESET]", default=["bullet", "ode", "mujoco"])
    parser.add_argument("--rounds", type=int, default=3, help="starts of both servers [3]")
    parser.add_argument("--cycles", type=int, default=600, help="of each server in a round [600]")
    parser.add_argument("--burst", type=int, default=25, help="cycles until it is the other's turn [25]")
    parser.add_argument("--warm-up", type=int, default=150, help="cycles before the first burst: robots fall [150]")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="processes that spin meanwhile [0]")
    parser.add_argument("--patience", type=float, default=DEADLINE, help="longest silence of a server, s [60]")
    parser.add_argument("--no-ros", action="store_true", help="without ROS topics")
    options = parser.parse_args()
    # So that servers end with this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    table: dict[tuple[str, int], Measured] = {}
    domain = 10 + os.getpid() % 45 * 2
    with busy(options.busy):
        for count in range(1, options.rounds + 1):
            print(
                f"after {count} rounds of {options.cycles} cycles, {options.busy} busy processes:\n{HEAD}", flush=True
            )
            for engine in options.engines:
                for agents in options.agents:
                    measured = table.setdefault((engine, agents), Measured())
                    measure_safely(engine, agents, domain, options, measured)
                    row = measured.row(options.burst) if measured.rounds else "no round was completed"
                    print(f"{engine:13} {agents:6} {row}", flush=True)


if __name__ == "__main__":
    main()
