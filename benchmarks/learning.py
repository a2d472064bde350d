"""Environment steps a second: one robot, many in one world, several processes; and of games.

    python benchmarks/learning.py [--tasks stand drive] [--engines mujoco bullet] [--robots 1 16 64] [--processes 1 2]
    python benchmarks/learning.py --tasks --games 1v1 11v11
    python benchmarks/learning.py --tasks stand drive --robots 32 128 --processes 1 2 --turns 3

A step is the action of one robot, two cycles of 20 ms, in games five. Actions are random, episodes that are over begin
again. Steps a core are those in a second of CPU time of all processes together: what else the machine does counts
little. It takes its part of wall time: all are measured by `--turns`, and the best turn of each counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import product

import numpy as np
import psutil

from simspark_ros.learning.soccer import SoccerParallelEnv
from simspark_ros.learning.tasks import TASKS
from simspark_ros.learning.worlds import Wish, make_episodes

WARM_UP = 5
"""Steps before the measurement."""


def used() -> float:
    """CPU time of this process and those that it has started, s."""
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def timed(step: Callable[[], object], steps: int) -> tuple[float, float]:
    """Steps in a second of CPU time and of wall time."""
    for _ in range(WARM_UP):
        step()
    wall, before = time.perf_counter(), used()
    for _ in range(steps):
        step()
    return steps / (used() - before), steps / (time.perf_counter() - wall)


def measure(wish: Wish, robots: int, processes: int, steps: int) -> tuple[float, float]:
    """As `timed`, of all robots."""
    episodes = make_episodes(wish, robots, processes)
    random = np.random.default_rng(1)
    episodes.begin(1)
    core, wall = timed(lambda: episodes.step_on(random.uniform(-0.5, 0.5, (robots, episodes.action_size))), steps)
    episodes.close()
    return robots * core, robots * wall


def measure_game(left: int, right: int, engine: str, steps: int) -> tuple[float, float]:
    """As `timed`, of all players."""
    env = SoccerParallelEnv(left, right, engine=engine)
    env.reset(seed=1)
    random = np.random.default_rng(1)

    def step() -> None:
        if not env.agents:
            env.reset()
        env.step({agent: random.uniform(-1.0, 1.0, 3) for agent in env.agents})

    core, wall = timed(step, steps)
    env.close()
    return (left + right) * core, (left + right) * wall


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="*", default=["stand"], choices=TASKS)
    parser.add_argument("--games", nargs="*", default=[], metavar="NvM")
    parser.add_argument("--engines", nargs="+", default=[""], help="empty = the task's")
    parser.add_argument("--observations", nargs="+", default=["truth"])
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 16, 64])
    parser.add_argument("--processes", type=int, nargs="+", default=[1])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--turns", type=int, default=1)
    options = parser.parse_args()
    print(
        f"{'task':12} {'engine':8} {'observes':9} {'robots':>6} {'processes':>9} {'steps/s a core':>15} {'steps/s':>9}"
    )

    def show(task: str, engine: str, observes: str, robots: int, processes: int, core: float, wall: float) -> None:
        print(f"{task:12} {engine:8} {observes:9} {robots:6} {processes:9} {core:15.0f} {wall:9.0f}", flush=True)

    best: dict[tuple[str, str, str, int, int], tuple[float, float]] = {}
    combined = list(product(options.tasks, options.engines, options.observations, options.robots, options.processes))
    for turn in range(options.turns):
        for task, engine, observes, robots, processes in combined:
            if processes <= robots:
                engine = engine or TASKS[task].engine
                kind = task, engine, observes, robots, processes
                speeds = measure(Wish(task, observes, {"engine": engine}), robots, processes, options.steps)
                core, wall = map(max, speeds, best.get(kind, (0.0, 0.0)))
                best[kind] = core, wall
                if turn == options.turns - 1:
                    show(*kind, core, wall)
    for game, engine in product(options.games, options.engines):
        left, right = map(int, game.split("v"))
        engine = engine or "planar"
        show(game, engine, "truth", left + right, 1, *measure_game(left, right, engine, options.steps))


if __name__ == "__main__":
    main()
