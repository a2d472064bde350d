"""Environment steps a second: one robot, many in one world, several processes; and of games.

    python benchmarks/learning.py [--tasks stand drive] [--engines mujoco bullet] [--robots 1 16 64] [--processes 1 2]
    python benchmarks/learning.py --tasks --games 1v1 11v11
    python benchmarks/learning.py --tasks stand drive --robots 32 128 --processes 1 2 --turns 8 --steps 20

A step is the action of one robot, two cycles of 20 ms, in games five. Actions are random, episodes that are over begin
again. Steps a core are those in a second of CPU time of all processes together: what else the machine does counts
little. It takes its part of wall time: numbers of processes work by `--turns`, and the best turn of each counts.
"""

import argparse
import time
from collections.abc import Callable
from itertools import product

import numpy as np
import psutil

from simspark_learning.soccer import SoccerParallelEnv
from simspark_learning.tasks import TASKS
from simspark_learning.worlds import Wish, make_episodes

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


class Worlds:
    """Robots that learn, in some processes; `best` is the most of what `timed` said, of all robots."""

    def __init__(self, wish: Wish, robots: int, processes: int) -> None:
        self.robots, self.processes = robots, processes
        self.best = (0.0, 0.0)
        self._episodes = make_episodes(wish, robots, processes)
        self._random = np.random.default_rng(1)
        self._episodes.begin(1)

    def turn(self, steps: int) -> None:
        """Take some steps, timed."""
        core, wall = timed(self._step, steps)
        self.best = max(self.best[0], self.robots * core), max(self.best[1], self.robots * wall)

    def _step(self) -> None:
        self._episodes.step_on(self._random.uniform(-0.5, 0.5, (self.robots, self._episodes.action_size)))

    def close(self) -> None:
        """End its processes."""
        self._episodes.close()


def measure_game(left: int, right: int, engine: str, observes: str, steps: int) -> tuple[float, float]:
    """As `timed`, of all players."""
    env = SoccerParallelEnv(left, right, engine=engine, observation=observes)
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

    combined = product(options.tasks, options.engines, options.observations, options.robots)
    for task, engine, observes, robots in combined:
        wish = Wish(task, observes, {"engine": engine or TASKS[task].engine})
        several = [Worlds(wish, robots, processes) for processes in options.processes if processes <= robots]
        for _ in range(options.turns):
            for worlds in several:
                worlds.turn(options.steps)
        for worlds in several:
            show(task, engine or TASKS[task].engine, observes, robots, worlds.processes, *worlds.best)
            worlds.close()
    for game, engine, observes in product(options.games, options.engines, options.observations):
        left, right = map(int, game.split("v"))
        engine = engine or "planar"
        show(game, engine, observes, left + right, 1, *measure_game(left, right, engine, observes, options.steps))


if __name__ == "__main__":
    main()
