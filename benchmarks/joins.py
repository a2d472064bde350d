"""How long joins, spawns and the like hold a running game: processor time of the loop's thread between two cycles.

    python benchmarks/joins.py [--engines mujoco ode] [--robots 0 11 21]

A server with agents over TCP in lock-step, all in one thread. For each event a line tells the processor time of a cycle
before it and the longest time between two cycles after it, in ms. What agents do is not counted, nor the thread in
which MuJoCo compiles worlds, for which lock-step waits. On a busy machine numbers are up to twice as high: compare
those of one run.
"""

import argparse
import contextlib
import gc
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.simulation.assembly import Assembly
from simspark_ros.simulation.attachments import attach_all
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.loading.world_saving import WorldSaving
from simspark_ros.simulation.settings import load_simulation_settings

ENGINES = ("mujoco", "ode", "bullet:J1", "bullet:legacy", "planar")
ROBOTS = (0, 11, 21)
BURST = 11
SETTLING = 6
"""Cycles in which an agent joins, and its robot stands."""


class Agent:
    """Joins, and answers each message."""

    def __init__(self, port: int, number: int) -> None:
        self._frames, self._talk = FrameDecoder(1 << 20), self._texts(number)
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.socket.sendall(frame(next(self._talk)))

    def _texts(self, number: int) -> Iterator[bytes]:
        yield f"(scene rsg/agent/nao/nao_hetero.rsg {number // 2 % 5})(syn)".encode()
        yield f"(init (unum 0)(teamname {'AB'[number % 2]}))(syn)".encode()
        yield f"(beam {-1.5 - 1.2 * (number // 2 % 4):.2f} {-6 + 1.1 * (number // 2):.2f} 0)(syn)".encode()
        while True:
            yield b"(he1 0.30)(syn)"

    def answer(self) -> None:
        """Answer what has come."""
        with contextlib.suppress(BlockingIOError):
            for _ in self._frames.feed(self.socket.recv(1 << 18)):
                self.socket.sendall(frame(next(self._talk)))


class Game:
    """A server whose cycles are made by hand."""

    def __init__(self, case: str, stack: ExitStack) -> None:
        engine, _, preset = case.partition(":")
        settings = load_simulation_settings().with_classic_agents()
        self.settings = replace(settings, pacing="lockstep", engine=engine, preset=preset, seed=1)
        self._core = ClassicServer(ClassicServerSettings(AgentServerSettings(port=0), MonitorServerSettings(port=0)))
        self._core.lockstep = True
        self.simulation, _ = Assembly(self.settings).build([self._core], time.monotonic, lambda seconds: None)
        stack.callback(self.simulation.world.engine.close)
        self._agents: list[Agent] = []
        self.simulation.begin()
        stack.callback(self.simulation.end)
        # As servers do.
        gc.collect()
        gc.freeze()

    def cycles(self, count: int) -> list[float]:
        """Make cycles; processor time of each, ms."""
        times = []
        for _ in range(count):
            begun = time.thread_time()
            self.simulation.requests.run(time.monotonic, self.settings.request_time)
            self._core.wait(0.0)
            self.simulation.run_cycle()
            times.append(1e3 * (time.thread_time() - begun))
            for agent in self._agents:
                agent.answer()
        return times

    def join(self, count: int = 1) -> None:
        """Let agents connect at once."""
        for _ in range(count):
            self._agents.append(Agent(self._core.agents.port, len(self._agents)))

    def leave(self, count: int = 1) -> None:
        """Let agents go at once."""
        for _ in range(count):
            self._agents.pop().socket.close()

    def spawn(self, count: int = 1) -> None:
        """Have as many requests spawn a Nao each."""
        world, nao = self.simulation.world, load_robot("nao")
        for _ in range(count):
            self.simulation.requests.submit(lambda: spawn(world, nao, self.settings))

    def delete(self) -> None:
        """Have a request delete all spawned robots."""
        world = self.simulation.world
        gone = [robot for robot in world.robots.values() if not robot.client]
        self.simulation.requests.submit(lambda: world.remove_robots(gone))

    def reset(self) -> None:
        """Have a request begin a new game."""
        self.simulation.requests.submit(self.simulation.reset_state)

    def save(self) -> None:
        """Have a request save the world."""
        with tempfile.TemporaryDirectory() as folder:
            saving = WorldSaving(Path(folder), 1)
            attach_all([saving], self.simulation, ExitStack())
            self.simulation.requests.submit(partial(saving.save, "saved"))
            self.simulation.requests.run()


def measure(case: str, robots: int) -> None:
    """Print a line for each event."""
    with ExitStack() as stack:
        game = Game(case, stack)
        for _ in range(robots):
            game.join()
            game.cycles(SETTLING)
        events: dict[str, Callable[[], None]] = {
            "an agent joins": game.join,
            "an agent leaves": game.leave,
            f"{BURST} agents join": partial(game.join, BURST),
            f"{BURST} agents leave": partial(game.leave, BURST),
            "a robot is spawned": game.spawn,
            f"{BURST} robots are spawned": partial(game.spawn, BURST),
            "a new game": game.reset,
            "the world is saved": game.save,
            "spawned robots are deleted": game.delete,
        }
        for name, event in events.items():
            before = statistics.median(game.cycles(SETTLING))
            begun = time.thread_time()
            event()
            # A save is done here, as its folder goes afterwards; other events are done by the cycles.
            own = 1e3 * (time.thread_time() - begun) if event == game.save else 0.0
            longest = max(own, *game.cycles(SETTLING + 2 * BURST))
            print(f"| {name} | {case} | {robots} | {before:.1f} | {longest:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", default=ENGINES, choices=ENGINES, help="(default: all)")
    parser.add_argument("--robots", nargs="+", type=int, default=ROBOTS, help="agents there (default: 0 11 21)")
    options = parser.parse_args()
    print("| event | engine | robots | a cycle before, ms | longest after, ms |\n|---|---|---|---|---|")
    for case in options.engines:
        for robots in options.robots:
            measure(case, robots)


if __name__ == "__main__":
    main()
