"""How well the time until a point of simulated time is predicted, by the means of 5, 10, 20 and 50 cycles.

After Beck, Ferrein, Lakemeyer, "A Simulation Environment for Middle-size Robots with Multi-level Abstraction" (2007),
section 5.1: errors relative to the length of the interval.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.speed import WINDOWS, SpeedEstimator

INTERVALS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.16, 0.2, 0.3, 0.4, 0.5)
"""Of simulated time, s."""


class Watch(ControlNode):
    """Notes when cycles end, s, and the means of the speed then."""

    def __init__(self, speed: SpeedEstimator) -> None:
        self._speed = speed
        self.ends: list[float] = []
        self.means: list[list[float]] = []

    def end_cycle(self, simulation: Simulation) -> None:
        self.ends.append(time.monotonic())
        self.means.append([self._speed.mean(cycles) for cycles in WINDOWS])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="bullet", choices=engine_names())
    parser.add_argument("--robots", type=int, default=6)
    parser.add_argument("--pacing", default="fast", choices=("fast", "realtime"))
    parser.add_argument("--cycles", type=int, default=1500)
    options = parser.parse_args()
    settings = replace(load_simulation_settings(), pacing=options.pacing, engine=options.engine, referee=False)
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    for number in range(options.robots):
        _add(simulation, number)
    speed = SpeedEstimator(time.monotonic)
    watch = Watch(speed)
    simulation.add_node(speed)
    simulation.add_node(watch)
    simulation.run(options.cycles)
    ends, means, cycle = np.array(watch.ends), np.array(watch.means), simulation.world.engine.cycle_time
    total = len(ends) * cycle / (ends[-1] - ends[0])
    print(f"{options.engine}, {options.robots} robots, {options.pacing}: {total:.2f} times real time")
    print("| interval, ms | " + " | ".join(f"mean of {cycles}" for cycles in WINDOWS) + " |")
    print("|" + "---|" * (len(WINDOWS) + 1))
    for interval in INTERVALS:
        mean, spread = errors(ends, means, round(interval / cycle), cycle)
        cells = (f"{100.0 * one:+.1f} % ({100.0 * other:.0f} %)" for one, other in zip(mean, spread, strict=True))
        print(f"| {1000.0 * interval:.0f} | " + " | ".join(cells) + " |")


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


if __name__ == "__main__":
    main()
