"""A long match in which players come and go: what a client that stays is sent, and what the server holds.

    python benchmarks/turnover.py [--minutes 30] [--engine bullet] [--players 6] [--every 50]

Every so many cycles the player that has been there longest is gone, in turns with and without having read everything,
and a new one joins. A client that stays checks that no cycle is missing and that its commands are obeyed.
Prints one line for each simulated minute; the exit status is 1 if something was wrong, too much memory included.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import selectors
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from simspark_ros.clients.classic_client import ClassicClient
from simspark_stress.fuzz.server import Server
from simspark_stress.probe_checks import MessageChecks

CYCLE = 0.02
DEADLINE = 60.0
WARM_UP = 100
"""Robots that have come and gone before the server holds what it needs."""

GROWTH = 16e6
"""Bytes by which the server may grow after its warm-up, however long the match.

Bodies of players that have left are used again. PyBullet never frees the matrices of its direct solver, which grow with
the largest pile of robots so far, in steps that get rare: 8 MB in 30 minutes (docs/reference/faults.md).
"""

OPTIONS = ("--no-ros", "--headless", "--pacing=lockstep", "--set=rules.game.automatic_kick_off=true")


class Player:
    """Joins and moves its limbs."""

    def __init__(self, port: int, number: int) -> None:
        self.client = ClassicClient("127.0.0.1", port, DEADLINE)
        self._number, self._heard = number, 0
        self.client.send(f"(scene rsg/agent/nao/nao_hetero.rsg {number % 5})(syn)")

    def answer(self, message: bytes) -> str:
        """The answer to a message."""
        self._heard += 1
        if self._heard == 1:
            return f"(init (unum 0)(teamname {'AB'[self._number % 2]}))(syn)"
        if self._heard == 2:
            return f"(beam {-2 - self._number % 7} {self._number % 11 - 5} 0)(syn)"
        speed = 2.0 * math.sin(0.2 * self._heard)
        return f"(he2 {speed:.2f})(lae1 {speed:.2f})(lle3 {speed:.2f})(rle4 {-speed:.2f})(syn)"


class Resident(Player):
    """Stays, and checks what it is sent."""

    def __init__(self, port: int) -> None:
        super().__init__(port, 0)
        self.checks = MessageChecks(CYCLE, time.monotonic())
        self.checks.lockstep = True
        self.cycles = 0

    def answer(self, message: bytes) -> str:
        """The answer to a message."""
        self.cycles += 1
        checked = self.checks.see(message, time.monotonic())
        return super().answer(message) if self.cycles <= 2 else checked


class Crowd(contextlib.AbstractContextManager["Crowd"]):
    """A client that stays at a port for agents, and players of whom one is replaced every so many cycles.

    Attributes:
        joined: players that have come so far.
    """

    def __init__(self, port: int, players: int, every: int) -> None:
        self._players, self._every = players, every
        self._selector = selectors.DefaultSelector()
        self._team: list[Player] = []
        self.joined = 0
        self._port = port
        self._resident = Resident(self._port)
        self._register(self._resident)

    def run(self, cycles: int) -> None:
        """Play a number of cycles on."""
        end = self._resident.cycles + cycles
        while self._resident.cycles < end:
            events = self._selector.select(DEADLINE)
            assert events, "the match stands still"
            before = self._resident.cycles
            for key, _ in events:
                player: Player = key.data
                for message in player.client.receive_some():
                    player.client.send(player.answer(message))
            if self._resident.cycles // self._every > before // self._every:
                self._replace()

    def faults(self) -> list[str]:
        """What was wrong, for people; empty if nothing was."""
        seen = self._resident.checks.observation(time.monotonic())
        return [f"{count} times: {kind}" for kind, count in seen.problems.items()] + seen.examples

    def _register(self, player: Player) -> None:
        self._selector.register(player.client.fileno(), selectors.EVENT_READ, player)

    def _replace(self) -> None:
        if len(self._team) == self._players:
            oldest = self._team.pop(0)
            self._selector.unregister(oldest.client.fileno())
            # One that leaves without having read everything resets its connection.
            if self.joined % 2:
                oldest.client.leave(0.01)
            else:
                oldest.client.close()
        self.joined += 1
        self._team.append(Player(self._port, self.joined))
        self._register(self._team[-1])

    def __exit__(self, *error: object) -> None:
        """End everything."""
        for player in (*self._team, self._resident):
            player.client.close()
        self._selector.close()


class Turnover(Crowd):
    """A server, a process of its own, with a crowd.

    Attributes:
        server: its process.
    """

    def __init__(self, options: list[str], players: int, every: int, folder: Path) -> None:
        self.server = Server([*OPTIONS, *options], folder / "output")
        super().__init__(self.server.address("agent_port")[1], players, every)

    def __enter__(self) -> Turnover:
        """Return this one."""
        return self

    def faults(self) -> list[str]:
        """What was wrong, for people; empty if nothing was."""
        printed = self.server.new_output()
        return super().faults() + ([printed] if "Traceback" in printed else [])

    def __exit__(self, *error: object) -> None:
        """End everything."""
        super().__exit__()
        self.server.__exit__()


def growth(memory: Sequence[int]) -> list[str]:
    """What is wrong with the server's memory (bytes) once it was warm, for people; empty if nothing is."""
    grown = max(memory) - memory[0] if memory else 0
    if grown <= GROWTH:
        return []
    most = f"{GROWTH / 1e6:g} MB are expected at most"
    return [f"the server has grown by {grown / 1e6:.1f} MB after {WARM_UP} players; {most}"]


def main() -> int:
    """Print a table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0, help="simulated")
    parser.add_argument("--engine", default="bullet")
    parser.add_argument("--players", type=int, default=6, help="beside the one that stays")
    parser.add_argument("--every", type=int, default=50, help="cycles between two that come and go")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = ["--engine", options.engine]
        with Turnover(engine, options.players, options.every, Path(folder)) as match:
            started, warm = time.monotonic(), []
            print(f"{options.engine}: minute | x real time | joined | MB | files | threads")
            for minute in range(1, math.ceil(options.minutes) + 1):
                match.run(round(60 / CYCLE * min(1.0, options.minutes - minute + 1)))
                use, wall = match.server.use(), time.monotonic() - started
                figures = (minute, f"{60 * minute / wall:.1f}", match.joined, f"{use.memory / 1e6:.1f}")
                print(*figures, use.files, use.threads, sep=" | ", flush=True)
                if match.joined >= WARM_UP:
                    warm.append(use.memory)
            faults = match.faults() + growth(warm)
    print("\n".join(faults) or "no cycle was missed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
