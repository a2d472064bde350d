"""The ramp experiment of the middle-size robots: how drives with PID velocity control follow a rising target velocity.

After Beck, Ferrein, Lakemeyer, "A Simulation Environment for Middle-size Robots with Multi-level Abstraction" (2007),
figure 3: the target rises linearly; each set of gains gives a curve.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from simspark_ros.effectors import EFFECTORS
from simspark_ros.physics.engine import Array
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings

GAINS = ((0.05, 0.0, 0.0), (0.2, 0.0, 0.0), (0.2, 0.5, 0.0), (0.2, 2.0, 0.0))
"""Gains p, i and d, N m per rad/s, per rad, per rad/s2."""

RISE, HOLD = 2.0, 1.0
"""Times for which the target rises, and stays at the top, s."""


@dataclass(frozen=True)
class Run:
    """Times, s, target and actual velocities, m/s; (T,) each."""

    times: Array
    target: Array
    actual: Array

    @property
    def lag(self) -> float:
        """Mean time by which the robot is behind a rising target, s."""
        rising = (self.times > 0.25 * RISE) & (self.times <= RISE)
        slope = self.target.max() / RISE
        return float((self.target - self.actual)[rising].mean() / slope)

    @property
    def overshoot(self) -> float:
        """Largest velocity over that of the target, share."""
        return float(self.actual.max() / self.target.max() - 1.0)

    @property
    def rest(self) -> float:
        """What is missing of the velocity in the end, share."""
        return float(1.0 - self.actual[-10:].mean() / self.target.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="bullet", choices=engine_names())
    parser.add_argument("--robot", default="msl")
    parser.add_argument("--speed", type=float, default=2.0, help="at the top, m/s")
    parser.add_argument("--plot", type=Path, help="a PNG file; needs matplotlib")
    options = parser.parse_args()
    runs = {gains: ramp(options.engine, options.robot, gains, options.speed) for gains in GAINS}
    print(f"{options.robot} on {options.engine}, to {options.speed:g} m/s in {RISE:g} s")
    print("| p, i, d | lag, s | overshoot, % | missing in the end, % |\n|---|---|---|---|")
    for gains, run in runs.items():
        numbers = ", ".join(f"{gain:g}" for gain in gains)
        print(f"| {numbers} | {run.lag:.2f} | {100.0 * run.overshoot:.1f} | {100.0 * run.rest:.1f} |")
    if options.plot is not None:
        plot(runs, options.plot)


def ramp(engine: str, robot: str, gains: tuple[float, float, float], speed: float) -> Run:
    """Drive a robot of that name forward."""
    settings = replace(load_simulation_settings(), pacing="fast", engine=engine, world="msl", referee=False)
    settings = replace(settings, velocity_timeout=0.0)
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    world = simulation.world
    description = with_pid(load_robot(robot), gains)
    driven = world.add_robot(description, (-6.0, 2.0, description.spawn_height), 0.0, name=robot)
    cycle = world.engine.cycle_time
    # It comes down to the ground first.
    for _ in range(round(0.5 / cycle)):
        simulation.run_cycle(1)
    times = np.arange(1, round((RISE + HOLD) / cycle) + 1) * cycle
    target = speed * np.minimum(times / RISE, 1.0)
    actual = []
    for wanted in target.tolist():
        EFFECTORS["wheels"].act(world, driven, (wanted, 0.0, 0.0))
        simulation.run_cycle(1)
        actual.append(float(world.engine.state.linear_velocity[0, 0]))
    world.engine.close()
    return Run(times, target, np.array(actual))


def with_pid(description: RobotDescription, gains: tuple[float, float, float]) -> RobotDescription:
    """The same robot with these gains, and no other limit of acceleration than its motors'."""
    free = {"pid": gains, "max_acceleration": 100.0, "max_turn_acceleration": 100.0}
    effectors = [
        replace(spec, parameters={**spec.parameters, **free}) if spec.kind == "wheels" else spec
        for spec in description.effectors
    ]
    return replace(description, effectors=tuple(effectors))


def plot(runs: dict[tuple[float, float, float], Run], path: Path) -> None:
    """Draw target and actual velocities over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.6), layout="constrained")
    axes = figure.subplots()
    for gains, run in runs.items():
        axes.plot(run.times, run.actual, linewidth=1.2, label="p {:g}, i {:g}, d {:g}".format(*gains))
    run = next(iter(runs.values()))
    axes.plot(run.times, run.target, "r--", label="target")
    axes.set(xlabel="time, s", ylabel="velocity, m/s")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
