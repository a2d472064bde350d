"""How well the time until a point of simulated time is predicted, by the means of 5, 10, 20 and 50 cycles.

    python benchmarks/speed_prediction.py                                                   # Naos, cycles of 20 ms
    python benchmarks/speed_prediction.py --engine planar --robot omni --world msl --cycle 0.0005 --cycles 12000

After Beck, Ferrein, Lakemeyer, "A Simulation Environment for Middle-size Robots with Multi-level Abstraction" (2007),
section 5.1: errors relative to the length of the interval. The mean of all errors stands first, then the mean of their
sizes; the paper does not say which its "average prediction error" is. `--load` processes that only count keep the
machine busy.

Predictions are made once, as long before as the interval is long. The column "mean of all" predicts by the speed of the
whole run, which nobody knows before: what it errs by is the unsteadiness of the machine. With `--clock cpu` time is
that of the process alone, as on a machine of its own: what is left varies with their work.

Timers begin at any time between two cycles. "In the process" is one that follows `SpeedEstimator.now`, computed from
the ends of the cycles: it errs by the extrapolation within its last cycle, by the median of the last ones or by their
mean. "By /clock" is one that goes off at the first message that is due: the messages are really sent by the simulator's
`ClockPublisher` and `FineClock`, to a subscriber in the same process, and noted when they are sent. What a message
takes to another process comes on top. Errors are in simulated time, which is taken to pass evenly within a cycle.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import rclpy
from rosgraph_msgs.msg import Clock

from simspark_ros.physics.engine import Array
from simspark_ros.physics.presets import DEFAULT_PRESETS, USUAL_CYCLE
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.conversions import set_stamp
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import LATEST
from simspark_ros.ros.topics.world.clock import TOPIC, ClockPublisher, FineClock
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.speed import USUAL, WINDOWS, SpeedEstimator
from simspark_stress.own_domain import use_own_domain

INTERVALS = (0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Of simulated time, s."""

CLOCKS: dict[str, Callable[[], float]] = {"wall": time.monotonic, "cpu": time.process_time}


class Watch(ControlNode):
    """Notes when cycles end, s, and the means and the typical one of the speed then."""

    def __init__(self, speed: SpeedEstimator, clock: Callable[[], float]) -> None:
        self._speed, self._clock = speed, clock
        self.ends: list[float] = []
        self.means: list[list[float]] = []
        self.typical: list[float] = []

    def end_cycle(self, simulation: Simulation) -> None:
        self.ends.append(self._clock())
        self.means.append([self._speed.mean(cycles) for cycles in WINDOWS])
        self.typical.append(self._speed.typical())


class NotedClock(ClockPublisher):
    """`/clock` that notes its messages: when they are sent, s, and the simulated time that they say, s."""

    def __init__(self) -> None:
        super().__init__(Cycle())
        self.sent: list[tuple[float, float]] = []

    def send(self) -> None:
        super().send()
        self._note()

    def advance(self, now: float, rate: float, speed: float, cycle_time: float) -> float:
        before = self.published
        left = super().advance(now, rate, speed, cycle_time)
        if self.published > before:
            self._note()
        return left

    def _note(self) -> None:
        self.sent.append((time.monotonic(), self._shown * 1e-9))


class ClockTopic(ControlNode):
    """Sends the clock at the end of each cycle, as the simulator does."""

    def __init__(self, clock: ClockPublisher) -> None:
        self._clock = clock

    def end_cycle(self, simulation: Simulation) -> None:
        set_stamp(self._clock.cycle.stamp, simulation.time)
        self._clock.publish()


@contextmanager
def noted_clock() -> Iterator[NotedClock]:
    """A clock that has a subscriber."""
    use_own_domain()
    rclpy.init()
    node, clock = rclpy.create_node("speed_prediction"), NotedClock()
    clock.open(node)
    node.create_subscription(Clock, TOPIC, lambda _: None, LATEST)
    deadline = time.monotonic() + 10.0
    while not clock.active and time.monotonic() < deadline:
        clock.refresh()
    yield clock
    node.destroy_node()
    rclpy.shutdown()


def _count() -> None:
    for _ in count():
        pass


@contextmanager
def loaded(processes: int) -> Iterator[None]:
    """Keep the machine busy in this block."""
    busy = [multiprocessing.Process(target=_count, daemon=True) for _ in range(processes)]
    for process in busy:
        process.start()
    yield
    for process in busy:
        process.kill()


def run(options: argparse.Namespace, preset: Path, topic: NotedClock) -> tuple[Watch, float]:
    """What was seen of the cycles of a simulation, and their length, s."""
    clock = CLOCKS[options.clock]
    base = DEFAULT_PRESETS[options.engine][USUAL_CYCLE]
    preset.write_text(f"based_on: {base}\ncycle_time: {options.cycle}\n", encoding="utf-8")
    made = {"engine": options.engine, "preset": str(preset), "world": options.world}
    changes = (f"time.cycle={options.cycle}",)
    settings = replace(load_simulation_settings(), **made, pacing=options.pacing, referee=False, changes=changes)
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    description = load_robot(options.robot)
    for number in range(options.robots):
        place = (number % 4 * 1.0, number // 4 * 1.0, description.spawn_height)
        simulation.world.add_robot(description, place, 0.0, name=f"robot{number}")
    speed = SpeedEstimator(clock)
    watch = Watch(speed, clock)
    simulation.add_node(speed)
    simulation.add_node(watch)
    if options.clock == "wall":
        simulation.add_node(FineClock(topic, options.clock_rate, speed))
        simulation.add_node(ClockTopic(topic))
    with loaded(options.load):
        simulation.run(options.cycles)
    return watch, simulation.world.engine.cycle_time


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="bullet", choices=engine_names())
    parser.add_argument("--world", default="soccer")
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--robots", type=int, default=6)
    parser.add_argument("--cycle", type=float, default=0.02, help="length of one, s")
    parser.add_argument("--pacing", default="fast", choices=("fast", "realtime"))
    parser.add_argument("--clock", default="wall", choices=CLOCKS)
    parser.add_argument("--clock-rate", type=float, default=500.0, help="messages of /clock a simulated second")
    parser.add_argument("--cycles", type=int, default=1500)
    parser.add_argument("--load", type=int, default=4, help="processes that only count")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, noted_clock() as clock:
        watch, cycle = run(options, Path(folder) / "preset.yaml", clock)
    ends, means = np.array(watch.ends), np.array(watch.means)
    total = len(ends) * cycle / (ends[-1] - ends[0])
    means = np.column_stack([means, np.full(len(means), total)])
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    made = f"{options.engine}, {options.robots} {options.robot}, cycles of {1000.0 * cycle:g} ms, {options.pacing}"
    print(f"{made}, {load}: {total:.2f} times real time, {len(clock.sent) / len(ends):.1f} messages of /clock a cycle")
    timers = [f"timer {kind}" for kind in ("in the process", f"in the process, by the mean of {USUAL}", "by /clock")]
    heads = [*(f"mean of {cycles}" for cycles in WINDOWS), "mean of all", *timers]
    print("| interval, ms | " + " | ".join(heads) + " |")
    print("|" + "---|" * (len(heads) + 1))
    for interval in INTERVALS:
        cells = ["-"] * means.shape[1]
        if interval >= cycle:
            mean, spread = errors(ends, means, round(interval / cycle), cycle)
            cells = [f"{100.0 * one:+.1f} % ({100.0 * other:.1f} %)" for one, other in zip(mean, spread, strict=True)]
        for speeds in (np.array(watch.typical), means[:, WINDOWS.index(USUAL)]):
            average, size = timer_errors(ends, speeds, interval, cycle)
            cells.append(f"{100.0 * average:+.1f} % ({100.0 * size:.1f} %)")
        if clock.sent:
            average, size = message_errors(ends, np.array(clock.sent), interval, cycle)
            cells.append(f"{100.0 * average:+.1f} % ({100.0 * size:.1f} %)")
        print(f"| {1000.0 * interval:.0f} | {' | '.join(cells)} |")


def errors(ends: Array, means: Array, cycles: int, cycle: float) -> tuple[Array, Array]:
    """Mean error of all predictions, and mean of its size, by window, as shares of the mean interval."""
    begins = np.arange(WINDOWS[-1] + 1, len(ends) - cycles)
    actual = ends[begins + cycles] - ends[begins]
    wrong = cycles * cycle / means[begins] - actual[:, None]
    return wrong.mean(axis=0) / actual.mean(), np.abs(wrong).mean(axis=0) / actual.mean()


def timer_errors(ends: Array, speeds: Array, interval: float, length: float) -> tuple[float, float]:
    """Mean error of timers in the process over an interval, s, and mean of its size, as shares of the interval.

    Cycles have a `length`, s.
    """
    begins, cycles = timer_begins(ends, interval, length), interval / length
    last = np.floor(begins + cycles).astype(int)
    rest = begins + cycles - last
    expected = rest * length / speeds[last]
    # A cycle that ends earlier brings the time with it.
    passed = np.minimum(expected / (ends[last + 1] - ends[last]), 1.0)
    wrong = (passed - rest) / cycles
    return float(wrong.mean()), float(np.abs(wrong).mean())


def message_errors(ends: Array, sent: Array, interval: float, length: float) -> tuple[float, float]:
    """As `timer_errors`, of timers that go off with the first message that is due; (M, 2) messages `sent`."""
    cycles = interval / length
    due = timer_begins(ends, interval, length) + cycles
    # The first cycle ends at the time `length`.
    first = np.searchsorted(sent[:, 1] / length - 1.0, due)
    wrong = (np.interp(sent[first, 0], ends, np.arange(len(ends))) - due) / cycles
    return float(wrong.mean()), float(np.abs(wrong).mean())


def timer_begins(ends: Array, interval: float, length: float) -> Array:
    """When timers begin, in cycles after the end of the first one."""
    last = len(ends) - interval / length - 2
    return np.random.default_rng(1).uniform(WINDOWS[-1] + 1, last, 20 * len(ends))


if __name__ == "__main__":
    main()
