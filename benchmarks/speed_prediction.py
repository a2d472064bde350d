"""How well the time until a point of simulated time is predicted, by the means of 5, 10, 20 and 50 cycles.

After Beck, Ferrein, Lakemeyer, "A Simulation Environment for Middle-size Robots with Multi-level Abstraction" (2007),
section 5.1: errors relative to the length of the interval. The mean of all errors stands first, then the mean of their
sizes; the paper does not say which its "average prediction error" is. The column "mean of all" predicts intervals by
the speed of the whole run, which nobody knows before: what it errs by is the unsteadiness of the machine. With
`--clock cpu` time is that of the process alone, as on a machine of its own: what is left varies with their work.

Timers begin at any time between two cycles and are set again at each one, as by the finer clock: what they err by is
the prediction of the rest of their last cycle.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.speed import USUAL, WINDOWS, SpeedEstimator

INTERVALS = (0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.16, 0.2, 0.3, 0.4, 0.5)
"""Of simulated time, s."""


CLOCKS: dict[str, Callable[[], float]] = {"wall": time.monotonic, "cpu": time.process_time}


class Watch(ControlNode):
    """Notes when cycles end, s, and the means of the speed then."""

    def __init__(self, speed: SpeedEstimator, clock: Callable[[], float]) -> None:
        self._speed, self._clock = speed, clock
        self.ends: list[float] = []
        self.means: list[list[float]] = []

    def end_cycle(self, simulation: Simulation) -> None:
        self.ends.append(self._clock())
        self.means.append([self._speed.mean(cycles) for cycles in WINDOWS])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="bullet", choices=engine_names())
    parser.add_argument("--robots", type=int, default=6)
    parser.add_argument("--pacing", default="fast", choices=("fast", "realtime"))
    parser.add_argument("--clock", default="wall", choices=CLOCKS)
    parser.add_argument("--cycles", type=int, default=1500)
    options = parser.parse_args()
    settings = replace(load_simulation_settings(), pacing=options.pacing, engine=options.engine, referee=False)
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    for number in range(options.robots):
        _add(simulation, number)
    clock = CLOCKS[options.clock]
    speed = SpeedEstimator(clock)
    watch = Watch(speed, clock)
    simulation.add_node(speed)
    simulation.add_node(watch)
    simulation.run(options.cycles)
    ends, means, cycle = np.array(watch.ends), np.array(watch.means), simulation.world.engine.cycle_time
    total = len(ends) * cycle / (ends[-1] - ends[0])
    means = np.column_stack([means, np.full(len(means), total)])
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    print(f"{options.engine}, {options.robots} robots, {options.pacing}, {load}: {total:.2f} times real time")
    print("| interval, ms | " + " | ".join(f"mean of {cycles}" for cycles in WINDOWS) + " | mean of all | timer |")
    print("|" + "---|" * (len(WINDOWS) + 3))
    for interval in INTERVALS:
        cells = ["-"] * means.shape[1]
        if interval >= cycle:
            mean, spread = errors(ends, means, round(interval / cycle), cycle)
            cells = [f"{100.0 * one:+.1f} % ({100.0 * other:.1f} %)" for one, other in zip(mean, spread, strict=True)]
        average, size = timer_errors(ends, means[:, WINDOWS.index(USUAL)], interval, cycle)
        timer = f"{100.0 * average:+.1f} % ({100.0 * size:.1f} %)"
        print(f"| {1000.0 * interval:.0f} | {' | '.join(cells)} | {timer} |")


def _add(simulation: Simulation, number: int) -> None:
    description = load_robot("nao")
    place = (number % 4 * 1.0, number // 4 * 1.0, description.spawn_height)
    simulation.world.add_robot(description, place, 0.0, name=f"nao{number}")


def errors(ends: Array, means: Array, cycles: int, cycle: float) -> tuple[Array, Array]:
    """Mean error of all predictions, and mean of its size, by window, as shares of the mean interval."""
    begins = np.arange(WINDOWS[-1] + 1, len(ends) - cycles)
    actual = ends[begins + cycles] - ends[begins]
    wrong = cycles * cycle / means[begins] - actual[:, None]
    return wrong.mean(axis=0) / actual.mean(), np.abs(wrong).mean(axis=0) / actual.mean()


def timer_errors(ends: Array, speeds: Array, interval: float, length: float) -> tuple[float, float]:
    """Mean error of timers over an interval, s, and mean of its size, as shares of the mean interval.

    Cycles have a `length`, s.
    What they are compared with is time that passes evenly within a cycle.
    """
    random, cycle, cycles = np.random.default_rng(1), np.arange(len(ends)), interval / length
    begins = random.uniform(WINDOWS[-1] + 1, len(ends) - cycles - 2, 20 * len(ends))
    last = np.floor(begins + cycles).astype(int)
    rest = begins + cycles - last
    expected = rest * length / speeds[last]
    # A cycle that ends earlier brings the time with it.
    fired = ends[last] + np.minimum(expected, ends[last + 1] - ends[last])
    begun, due = np.interp(begins, cycle, ends), np.interp(begins + cycles, cycle, ends)
    wrong, mean = fired - due, float((due - begun).mean())
    return float(wrong.mean()) / mean, float(np.abs(wrong).mean()) / mean


if __name__ == "__main__":
    main()
