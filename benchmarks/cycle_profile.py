"""Where the milliseconds of a cycle go, with lock-step agents in another process that move all their joints.

    python benchmarks/cycle_profile.py [--engine bullet:legacy] [--robots 1 22] [--monitors 1]

Figures are CPU time of the simulation's thread, the lower quartile of blocks of six cycles: whatever else the machine
does counts little. Waiting for agents is not in them.
"""

import argparse
import contextlib
import multiprocessing
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from behaviour.crowd import Crowd
from behaviour.wire import StalledError

from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.server.monitor_server import MonitorServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.referee import Referee
from simspark_ros.simulation.settings import load_simulation_settings

WARM_UP = 100
PATIENCE = 120.0
"""Longest silence of the server, s."""
BLOCK = 6
"""Within this many cycles every robot looks, and every monitor gets a frame, equally often."""
WHOLE = "whole cycle"


class Stages:
    """Adds up the time spent in methods that it has wrapped, by cycle."""

    def __init__(self) -> None:
        self._cycles: list[dict[str, float]] = []
        self._now: dict[str, float] = {}
        self._started = 0.0

    def watch(self, owner: Any, method: str, stage: str) -> None:
        """Time a method from now on."""
        inner: Callable[..., Any] = getattr(owner, method)
        self._now[stage] = 0.0

        def timed(*arguments: Any, **options: Any) -> Any:
            started = time.thread_time()
            try:
                return inner(*arguments, **options)
            finally:
                self._now[stage] += time.thread_time() - started

        setattr(owner, method, timed)

    def start(self) -> None:
        """Begin the first cycle."""
        self._started = time.thread_time()

    def end_cycle(self) -> None:
        """Begin the next cycle."""
        ended = time.thread_time()
        self._cycles.append(self._now | {WHOLE: ended - self._started})
        self._now = dict.fromkeys(self._now, 0.0)
        self._started = ended

    def milliseconds(self) -> dict[str, float]:
        """Times of one cycle, by stage."""
        starts = range(0, len(self._cycles) - BLOCK + 1, BLOCK)
        blocks = [self._cycles[start : start + BLOCK] for start in starts]
        result = {}
        for stage in self._cycles[0]:
            sums = sorted(sum(cycle[stage] for cycle in block) for block in blocks)
            result[stage] = 1e3 * sums[len(sums) // 4] / BLOCK
        return result


class Until(ControlNode):
    """Counts the cycles in which all agents play, and stops after enough of them."""

    def __init__(self, robots: int, cycles: int, stages: Stages, watch: Callable[[], None]) -> None:
        self._robots, self._left = robots, cycles + WARM_UP
        self._cycles, self._stages, self._watch = cycles, stages, watch

    def end_cycle(self, simulation: Simulation) -> None:
        if self._left < self._cycles:
            self._stages.end_cycle()
        elif sum(1 for robot in simulation.world.robots.values() if robot.unum) < self._robots:
            return
        self._left -= 1
        if self._left == self._cycles - 1:
            self._watch()
            self._stages.start()
        if self._left == 0:
            simulation.stop()


def play(port: int, robots: int, cycles: int) -> None:
    """The agents' process, until the server ends."""
    with contextlib.suppress(StalledError):
        Crowd(port, None, robots, PATIENCE).run(cycles)


def look_on(port: int) -> None:
    """A monitor's process."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        while connection.recv(1 << 20):
            pass


def profile(engine: str, robots: int, monitors: int, cycles: int) -> dict[str, float]:
    """Milliseconds of a cycle by stage."""
    core = ClassicServer(ClassicServerSettings(AgentServerSettings(port=0), MonitorServerSettings(port=0)))
    assert core.monitors is not None
    core.lockstep = True
    name, _, preset = engine.partition(":")
    settings = replace(load_simulation_settings().with_classic_agents(), pacing="lockstep", engine=name, preset=preset)
    simulation, control = build_simulation(settings, [core], time.monotonic, time.sleep)
    referees = [node for node in simulation._nodes if isinstance(node, Referee)]
    stages = Stages()

    def watch() -> None:
        for owner, method, stage in (
            (simulation.world.engine, "step", "physics, state read"),
            (simulation.sensing, "sense", "perceptors, poses"),
            (core.agents._encoder, "encode", "encode messages"),
            (core.agents, "send", "send"),
            (core.monitors, "deliver", "monitors"),
            (core, "deliver", "encode, send, monitors"),
            (core, "poll", "receive, parse"),
            (control, "start_cycle", "collect commands"),
            (control, "act_agent", "effectors"),
            *((referee, "sense_agent", "referee") for referee in referees),
        ):
            stages.watch(owner, method, stage)

    simulation.add_node(Until(robots, cycles, stages, watch))
    spawn = multiprocessing.get_context("spawn").Process
    clients = [spawn(target=play, args=(core.agents.port, robots, 10**6), daemon=True)]
    clients += [spawn(target=look_on, args=(core.monitors.port,), daemon=True) for _ in range(monitors)]
    for client in clients:
        client.start()
    simulation.run()
    for client in clients:
        client.terminate()
    return stages.milliseconds()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="bullet", metavar="ENGINE[:PRESET]")
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 11, 22])
    parser.add_argument("--monitors", type=int, default=0, help="connected monitors")
    parser.add_argument("--cycles", type=int, default=1200)
    options = parser.parse_args()
    results = {robots: profile(options.engine, robots, options.monitors, options.cycles) for robots in options.robots}
    print(f"ms per cycle, {options.engine:<15}" + "".join(f"{robots:>9}" for robots in results))
    for stage in next(iter(results.values())):
        print(f"{stage:<28}" + "".join(f"{result[stage]:9.3f}" for result in results.values()))


if __name__ == "__main__":
    main()
