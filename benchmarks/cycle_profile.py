"""Where the milliseconds of a cycle go, with lock-step agents in another process."""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents import Agents

from simspark_ros.nodes.agent_server import AgentServerSettings
from simspark_ros.nodes.bridge_core import BridgeCore, BridgeSettings
from simspark_ros.nodes.direct_link import DirectLink
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.control_node import ControlNode
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import load_simulation_settings

WARM_UP = 100


class Stages:
    """Adds up the time spent in methods that it has wrapped."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def watch(self, owner: Any, method: str, stage: str) -> None:
        """Time a method from now on."""
        inner: Callable[..., Any] = getattr(owner, method)
        self.seconds[stage] = 0.0

        def timed(*arguments: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return inner(*arguments, **options)
            finally:
                self.seconds[stage] += time.perf_counter() - started

        setattr(owner, method, timed)


class Until(ControlNode):
    """Counts the cycles in which all agents play, and stops after enough of them."""

    def __init__(self, robots: int, cycles: int, start: Callable[[], None]) -> None:
        self._robots, self._left, self._start = robots, cycles + WARM_UP, start
        self._cycles = cycles

    def end_cycle(self, simulation: Simulation) -> None:
        if sum(1 for robot in simulation.world.robots.values() if robot.unum) < self._robots:
            return
        self._left -= 1
        if self._left == self._cycles:
            self._start()
        if self._left == 0:
            simulation.stop()


def play(port: int, robots: int, cycles: int) -> None:
    """The agents' process."""
    Agents(port, robots).run(cycles)


def profile(robots: int, cycles: int) -> tuple[float, dict[str, float]]:
    """Milliseconds of a cycle in all and by stage."""
    core = BridgeCore(BridgeSettings(AgentServerSettings(port=0), None))
    link = DirectLink(core)
    link.lockstep = True
    settings = replace(load_simulation_settings(), pacing="lockstep")
    simulation, control = build_simulation(settings, [link], time.monotonic, time.sleep)
    stages = Stages()
    started = 0.0

    def start() -> None:
        nonlocal started
        started = time.perf_counter()
        for owner, method, stage in (
            (simulation.world.engine, "step", "physics, state read"),
            (simulation._sensing, "sense", "perceptors"),
            (core.agents._encoder, "encode", "encode messages"),
            (core, "deliver", "encode and send"),
            (core, "poll", "receive, parse, wait"),
            (control, "start_cycle", "collect commands"),
            (control, "act_agent", "effectors"),
        ):
            stages.watch(owner, method, stage)

    simulation.add_node(Until(robots, cycles, start))
    agents = multiprocessing.get_context("spawn").Process(
        target=play, args=(core.agents.port, robots, 10**6), daemon=True
    )
    agents.start()
    simulation.run()
    total = time.perf_counter() - started
    agents.terminate()
    return 1e3 * total / cycles, {stage: 1e3 * seconds / cycles for stage, seconds in stages.seconds.items()}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 11, 22])
    parser.add_argument("--cycles", type=int, default=1000)
    options = parser.parse_args()
    results = {robots: profile(robots, options.cycles) for robots in options.robots}
    print("ms per cycle" + " " * 16 + "".join(f"{robots:>9}" for robots in results))
    for stage in next(iter(results.values()))[1]:
        print(f"{stage:<28}" + "".join(f"{stages[stage]:9.3f}" for _, stages in results.values()))
    print(f"{'whole cycle':<28}" + "".join(f"{total:9.3f}" for total, _ in results.values()))


if __name__ == "__main__":
    main()
