"""Calls of a cycle, counted and not timed: the same on a busy machine.

    python benchmarks/calls.py [--engines mujoco] [--robots 1] [--callers 30]
    python benchmarks/calls.py --write

A server with agents over TCP in lock-step, all in one thread: robots stand, turn their heads, so that ODE lets none
sleep, and get commands for nine joints each in every cycle. A cycle is what a server does from one message of an agent
to the next, without what agents do. Columns:

    python    calls of Python functions, and resumptions of generators; what compiled kernels call is not seen
    c         calls of functions and methods in C; of these
    numpy     functions and methods of numpy; operators such as `a + b` are not seen
    engine    functions of the engine's library; those of ODE are called by ctypes, and are no part of `c`
    system    calls of sockets and of epoll: each is a system call
    blocks    blocks of memory that Python's allocators give out or resize, for Python, kernels and numpy's objects;
              objects from free lists are not seen, nor what libraries take from C. As the counting of calls allocates,
              they are counted in cycles of their own, by allocations.c, which needs a C compiler as the kernels do

`test/simulation/test_calls_per_cycle.py` holds each number to the table that `--write` keeps, of Python 3.11.
"""

import argparse
import contextlib
import ctypes
import gc
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from simspark_ros.kernels import compiled
from simspark_ros.physics.ode.library import OdeLibrary, load_library
from simspark_ros.physics.ode.native import native_of
from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.attachments import Monitors
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.simulation.assembly import Assembly
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.pacing.awake_clock import AwakeClock
from simspark_ros.simulation.pacing.speed import SpeedEstimator
from simspark_ros.simulation.settings import load_simulation_settings

TABLE = Path(__file__).with_name("calls_per_cycle.txt")
ENGINES = ("mujoco", "ode", "bullet:J1", "bullet:legacy", "planar")
ROBOTS = (1, 22)
COLUMNS = ("python", "c", "numpy", "engine", "system", "blocks")
TOLERANCE = 0.03
"""Share by which a number may differ from the table's: other versions of libraries call a little more or less."""

SETTLING = 15
"""Cycles between the last robot's arrival and the first that is counted."""
CYCLES = 12
"""Cycles whose calls are counted, and then as many whose blocks are: robots that see in every second, third or fourth
cycle all do so equally often."""

DEADLINE = 20.0
"""Longest wait for bytes on their way from one socket to another, s."""

JOINTS = ("he1", "he2", "lae1", "rae1", "lle3", "rle3", "lle4", "rle4", "lle5")
COMMANDS = "".join(f"({name} {0.3 if name == 'he1' else 0.0:.2f})" for name in JOINTS) + "(syn)"

Counts = dict[str, float]
Case = tuple[str, int]


def _allocations() -> ctypes.PyDLL:
    """Compile and load allocations.c."""
    source = TABLE.with_name("allocations.c")
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/allocations.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
        return ctypes.PyDLL(library)


class Counting:
    """Counts calls in this thread, and in threads that are started while it is `installed`, or blocks in all."""

    def __init__(self) -> None:
        self._on = False
        self._on_blocks = False
        self._allocations = _allocations()
        self.counts: dict[str, int] = defaultdict(int)
        self.callers: dict[str, int] = defaultdict(int)

    def __call__(self, frame: types.FrameType, event: str, function: Any) -> None:
        """See `sys.setprofile`."""
        if not self._on:
            return
        if event == "call" and frame.f_globals.get("__name__") != __name__:
            self._count(getattr(frame.f_code, "co_qualname", frame.f_code.co_name), "python")
        # A thread that has done its part may ask for work before or after the counting ends.
        elif event == "c_call" and frame.f_code.co_name != "_serve":
            kinds = ["c", *_kinds(function)]
            self._count(f"{getattr(function, '__module__', None) or ''} {function.__qualname__}", *kinds)

    def turn(self, on: bool) -> None:
        """Begin to count, or pause."""
        self._on = on
        sys.setprofile(self if on else None)

    def turn_blocks(self, on: bool) -> None:
        """Begin to count blocks, or pause."""
        if self._on_blocks:
            self.counts["blocks"] += self._allocations.end()
        self._on_blocks = on
        if on:
            self._allocations.begin()

    def _count(self, name: str, *kinds: str) -> None:
        # Of a function of ODE this is called outside of the hook: nothing here is counted.
        for kind in kinds:
            self.counts[kind] += 1
        self.callers[f"{kinds[-1]:8} {name}"] += 1

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Follow new threads, and the library of ODE."""
        threading.setprofile(self)
        try:
            # What ODE's compiled callbacks call is not seen: they take the functions as they are.
            native_of(load_library())
            self._follow(load_library())
            yield
        finally:
            self.turn(False)
            threading.setprofile(None)

    def _follow(self, library: OdeLibrary) -> None:
        """Count calls of a library by ctypes, of which the interpreter says nothing."""
        for name, function in list(vars(library).items()):
            if name.startswith("d"):
                setattr(library, name, self._followed(name, function))

    def _followed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if self._on:
                self._count(name, "engine")
            return function(*arguments)

        return call


def _kinds(function: Any) -> list[str]:
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (socket.socket, select.epoll)) or (owner is None and function.__module__ == "_socket"):
        return ["system"]
    module = getattr(function, "__module__", None) or type(owner).__module__
    if module.startswith("numpy") or isinstance(owner, (np.ndarray, np.generic, np.ufunc)):
        return ["numpy"]
    return ["engine"] if module.split(".")[0] in ("mujoco", "pybullet") else []


class Agents(ControlNode):
    """Agents that join and then command all the same, each in the moment in which it has its message."""

    def __init__(self, server: ClassicServer, count: int, counting: Counting, wall: types.SimpleNamespace) -> None:
        self._server, self._counting, self._wall = server, counting, wall
        self._frames = [FrameDecoder(1 << 20) for _ in range(count)]
        self._calls = 0
        self._left = SETTLING + 2 * CYCLES + 1
        self._talks = [iter(self._talk(number)) for number in range(count)]
        self._sockets = [socket.create_connection(("127.0.0.1", server.agents.port)) for _ in range(count)]
        for agent, talk in zip(self._sockets, self._talks, strict=True):
            agent.setblocking(False)
            agent.sendall(frame(next(talk)))

    def _talk(self, number: int) -> Iterator[bytes]:
        yield f"(scene rsg/agent/nao/nao_hetero.rsg {number // 2 % 4})(syn)".encode()
        yield f"(init (unum {number // 2 + 1})(teamname {'AB'[number % 2]}))(syn)".encode()
        yield f"(beam {-1.5 - 1.2 * (number // 2 % 4):.2f} {-6 + 1.1 * (number // 2):.2f} 0)(syn)".encode()
        while True:
            yield COMMANDS.encode()

    def end_cycle(self, simulation: Simulation) -> None:
        """Count from when all have settled; answer what has come."""
        self._counting.turn_blocks(False)
        self._counting.turn(False)
        if self._left in range(CYCLES + 1, 2 * CYCLES + 1):
            self._counting.counts["system"] += self._server.selector.calls - self._calls
        playing = sum(1 for robot in simulation.world.robots.values() if robot.unum)
        if playing == len(self._sockets):
            self._left -= 1
        # More than a cycle: no time of the clock is ever waited for.
        self._wall.now += 2.0 * simulation.scheduler.cycle_time
        for agent, frames, talk in zip(self._sockets, self._frames, self._talks, strict=True):
            with contextlib.suppress(BlockingIOError):
                for _ in frames.feed(agent.recv(1 << 16)):
                    agent.sendall(frame(next(talk)))
                    self._await_arrival(agent)
        if self._left == 0:
            simulation.stop()
        self._calls = self._server.selector.calls
        self._counting.turn(self._left in range(CYCLES + 1, 2 * CYCLES + 1))
        self._counting.turn_blocks(self._left in range(1, CYCLES + 1))

    def _await_arrival(self, agent: socket.socket) -> None:
        """Wait until the server's poll finds what an agent has sent, whatever else the machine does."""
        home = agent.getsockname()
        for there in self._server.agents.agents:
            if there.sock.getpeername() == home and not select.select([there.sock], [], [], DEADLINE)[0]:
                raise TimeoutError("no bytes come through the loopback device")

    def close(self) -> None:
        """Disconnect."""
        for agent in self._sockets:
            agent.close()


def count(case: Case, counting: Counting) -> Counts:
    """The calls and blocks of a cycle."""
    (engine, _, preset), robots = case[0].partition(":"), case[1]
    counting.counts.clear()
    settings = load_simulation_settings().with_classic_agents()
    settings = replace(settings, pacing="lockstep", engine=engine, preset=preset, seed=1)
    with ExitStack() as stack:
        wall = types.SimpleNamespace(now=0.0)
        clock = AwakeClock(lambda: wall.now)
        ports = ClassicServerSettings(AgentServerSettings(port=0), MonitorServerSettings(port=0))
        core = ClassicServer(ports, clock=clock)
        core.lockstep = True
        simulation, _ = Assembly(settings).build([core], clock, lambda seconds: None)
        stack.callback(simulation.world.engine.close)
        Monitors(core).attach(simulation, stack)
        simulation.add_node(SpeedEstimator(clock))
        agents = Agents(core, robots, counting, wall)
        stack.callback(agents.close)
        simulation.add_node(agents)
        # At the same moments in each run.
        gc.collect()
        gc.disable()
        stack.callback(gc.enable)
        simulation.run()
    return {column: counting.counts[column] / CYCLES for column in COLUMNS}


def read_table() -> dict[Case, Counts]:
    """The numbers that are kept."""
    table: dict[Case, Counts] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        engine, robots, *numbers = line.split()
        table[engine, int(robots)] = dict(zip(COLUMNS, map(float, numbers), strict=True))
    return table


def text_of(table: dict[Case, Counts]) -> str:
    """A table as it is kept."""
    lines = [f"{'engine':14}{'robots':>6}" + "".join(f"{column:>10}" for column in COLUMNS)]
    for (engine, robots), counts in table.items():
        lines.append(f"{engine:14}{robots:6}" + "".join(f"{counts[column]:10.2f}" for column in COLUMNS))
    return "\n".join(lines) + "\n"


def differences(kept: dict[Case, Counts], now: dict[Case, Counts]) -> Iterator[str]:
    """A line for each number that is no more the table's."""
    for case, counts in now.items():
        for column, number in counts.items():
            before = kept.get(case, {}).get(column, 0.0)
            if abs(number - before) > TOLERANCE * before:
                yield f"{case[0]}, {case[1]} robots: {before:.2f} -> {number:.2f} a cycle ({column})"


def main() -> int:
    """Print a table; the status tells whether it is the one that is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", default=ENGINES, choices=ENGINES)
    parser.add_argument("--robots", nargs="+", type=int, default=ROBOTS)
    parser.add_argument("--write", action="store_true", help="keep the numbers, in the commit that changes them")
    parser.add_argument("--callers", type=int, default=0, metavar="N", help="also tell what is called most often")
    options = parser.parse_args()
    if not compiled():
        raise SystemExit("The kernels are not compiled, and their calls would be counted: run a target of make first.")
    counting = Counting()
    now: dict[Case, Counts] = {}
    with counting.installed():
        for case in product(options.engines, options.robots):
            counting.callers.clear()
            now[case] = count(case, counting)
            for name, calls in sorted(counting.callers.items(), key=lambda one: -one[1])[: options.callers]:
                print(f"{calls / CYCLES:8.2f} {name}")
    print(text_of(now), end="")
    if options.write:
        TABLE.write_text(text_of({**(read_table() if TABLE.exists() else {}), **now}), encoding="utf-8")
        return 0
    changed = list(differences(read_table() if TABLE.exists() else {}, now))
    print("\n".join(changed))
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
