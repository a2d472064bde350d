"""How well timers of a node in another process keep simulated time: rclpy's by `/clock`, and those of `ClientClock`.

    python benchmarks/client_timers.py           # Naos, as fast as possible
    python benchmarks/client_timers.py --engine planar --robot omni --world msl --pacing realtime --load 0

The two take turns of some seconds, in which timers of all lengths begin at any time between two cycles, beside `--load`
processes that only count. Errors are in simulated time, in parts of the interval: mean, and in brackets mean of the
sizes. "Interval": between begin and call, less the interval. "Given time": the call, less the time for which the timer
was set, by the node's own clock. "Woken": the node's own time at the call, less the time for which the timer was set,
which is the executor's and the machine's share. Simulated time is taken to pass evenly within a cycle.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from speed_prediction import ClockTopic, loaded  # type: ignore[import-not-found]

from simspark_ros.physics.engine import Array
from simspark_ros.physics.presets import USUAL_CYCLE
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.clocks import ClientClock
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.world.clock import ClockPublisher
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import SimulationSettings
from simspark_stress.own_domain import use_own_domain

INTERVALS = (0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Of simulated time, s."""

KINDS = ("rclpy", "client")
LONGEST_REST = 0.05
"""Between two timers of a length, s."""


@dataclass
class Trial:
    """A timer: of which kind and interval, s; set for so much more, s; when it began and was called, s.

    `own` and `own_call` are the node's own simulated time then, s.
    """

    kind: str
    interval: float
    more: float
    begin: float
    own: float
    call: float = 0.0
    own_call: float = 0.0


class Client:
    """A node with timers of one kind."""

    def __init__(self, kind: str, done: Callable[[Trial], None]) -> None:
        self._kind, self._done = kind, done
        sim_time = [Parameter("use_sim_time", value=True)] if kind == "rclpy" else []
        self.node = rclpy.create_node(f"timers_{kind}", parameter_overrides=sim_time)
        self._client = ClientClock(self.node) if kind == "client" else None
        self._now = (self._client or self.node.get_clock()).now
        for interval in INTERVALS:
            self._rest(interval)

    def _rest(self, interval: float) -> None:
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        timer = self.node.create_timer(
            random.uniform(0.0, LONGEST_REST), lambda: self._begin(interval, timer), clock=steady
        )

    def _begin(self, interval: float, rest: Any) -> None:
        self.node.destroy_timer(rest)
        more = random.choice((0.0, random.uniform(0.0, USUAL_CYCLE)))
        trial = Trial(self._kind, interval, more, time.monotonic(), self._seconds())
        make = self._client or self.node
        timer = make.create_timer(interval + more, lambda: self._called(trial, timer))

    def _seconds(self) -> float:
        return float(self._now().nanoseconds * 1e-9)

    def _called(self, trial: Trial, timer: Any) -> None:
        trial.call, trial.own_call = time.monotonic(), self._seconds()
        (self._client or self.node).destroy_timer(timer)
        if trial.own:
            self._done(trial)
        self._rest(trial.interval)


def take_turns(turns: int, seconds: float, connection: Connection) -> None:
    """Have clients of both kinds in this process, and send what they did."""
    rclpy.init()
    trials: list[Trial] = []
    for _ in range(turns):
        for kind in KINDS:
            client, executor = Client(kind, trials.append), SingleThreadedExecutor()
            executor.add_node(client.node)
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                executor.spin_once(end - time.monotonic())
            executor.shutdown()
            client.node.destroy_node()
    connection.send(trials)


class Watch(ControlNode):
    """Notes when cycles end, s, and ends the simulation when the clients are done."""

    def __init__(self, client: Connection, clock: ClockPublisher) -> None:
        self._client, self._clock = client, clock
        self.ends: list[float] = []

    def end_cycle(self, simulation: Simulation) -> None:
        self.ends.append(time.monotonic())
        if len(self.ends) % 10 == 0:
            self._clock.refresh()
            if self._client.poll():
                simulation.stop()


def run(options: argparse.Namespace) -> tuple[Array, list[Trial]]:
    """When cycles ended, s, and what the timers did meanwhile."""
    use_own_domain()
    here, there = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=take_turns, args=(options.turns, options.seconds, there))
    process.start()
    rclpy.init()
    node, clock = rclpy.create_node("client_timers"), ClockPublisher(Cycle())
    clock.open(node)
    settings = SimulationSettings(engine=options.engine, world=options.world, pacing=options.pacing, referee=False)
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    description = load_robot(options.robot)
    for number in range(options.robots):
        place = (number % 4 * 1.0, number // 4 * 1.0, description.spawn_height)
        simulation.world.add_robot(description, place, 0.0, name=f"robot{number}")
    watch = Watch(here, clock)
    simulation.add_node(watch)
    simulation.add_node(ClockTopic(clock))
    with loaded(options.load):
        simulation.run()
    node.destroy_node()
    rclpy.shutdown()
    return np.array(watch.ends), here.recv()


def errors(ends: Array, trials: list[Trial], interval: float) -> dict[str, Array]:
    """Errors of timers, in parts of their interval, s, by what they are measured at."""
    simulated = partial(np.interp, xp=ends, fp=USUAL_CYCLE * np.arange(1, len(ends) + 1))

    def parts(values: Iterable[float]) -> Array:
        return np.array(list(values)) / interval

    calls = dict(zip(map(id, trials), simulated([t.call for t in trials]), strict=True))
    return {
        "interval": parts(calls[id(t)] - simulated(t.begin) - interval for t in trials if not t.more),
        "given time": parts(calls[id(t)] - t.own - interval - t.more for t in trials if t.more),
        "woken": parts(t.own_call - t.own - interval - t.more for t in trials),
    }


def cell(wrong: Array) -> str:
    """Mean and mean size of errors, in %; "-": no timer was measured."""
    return f"{wrong.mean():+.1f} % ({np.abs(wrong).mean():.1f} %)" if wrong.size else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="bullet")
    parser.add_argument("--world", default="soccer")
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--robots", type=int, default=6)
    parser.add_argument("--pacing", default="fast", choices=("fast", "realtime"))
    parser.add_argument("--turns", type=int, default=6, help="of each kind")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of a turn")
    parser.add_argument("--load", type=int, default=4, help="processes that only count")
    options = parser.parse_args()
    ends, trials = run(options)
    speed = len(ends) * USUAL_CYCLE / (ends[-1] - ends[0])
    made = (
        f"{options.engine}, {options.robots} {options.robot}, cycles of {1000.0 * USUAL_CYCLE:g} ms, {options.pacing}"
    )
    print(f"{made}, load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores: {speed:.2f} times real time")
    print("| interval, ms | timers | measured | " + " | ".join(KINDS) + " |")
    print("|" + "---|" * (len(KINDS) + 3))
    for interval in INTERVALS:
        found = [errors(ends, [t for t in trials if (t.interval, t.kind) == (interval, k)], interval) for k in KINDS]
        for measure in found[0]:
            wrong = [100.0 * kind[measure] for kind in found]
            cells = " | ".join(map(cell, wrong))
            print(f"| {1000.0 * interval:.0f} | {min(map(len, wrong))} | {measure} | {cells} |")


if __name__ == "__main__":
    main()
