from types import SimpleNamespace

import pytest

from simspark_ros.simulation.pacing.awake_clock import ABSENCE, AwakeClock
from simspark_ros.simulation.pacing.speed import SpeedEstimator


class Run:
    """Cycles of 20 ms whose wall times are given, s."""

    def __init__(self) -> None:
        self.now = 0.0
        self.speed = SpeedEstimator(lambda: self.now)
        self.time = 0.0

    def cycles(self, *seconds: float, paused: bool = False) -> None:
        for wall in seconds:
            self.now += wall
            self.time += 0.02
            scheduler, world = SimpleNamespace(paused=paused), SimpleNamespace(elapsed=0.02)
            simulation = SimpleNamespace(world=world, scheduler=scheduler, time=self.time)
            self.speed.end_cycle(simulation)  # type: ignore[arg-type]


def test_means_are_of_the_last_cycles_and_a_pause_is_no_slow_one():
    run = Run()
    assert run.speed.mean() == 1.0, "time is expected to be real"
    # The first cycle only begins the measurement.
    run.cycles(*[0.01] * 51, *[0.02] * 5, *[0.04] * 5)
    assert run.speed.mean(5) == pytest.approx(0.5)
    assert run.speed.mean(10) == pytest.approx(10 * 0.02 / (5 * 0.02 + 5 * 0.04))
    assert run.speed.mean(50) == pytest.approx(50 * 0.02 / (40 * 0.01 + 5 * 0.02 + 5 * 0.04))
    run = Run()
    run.cycles(*[0.02] * 10)
    run.cycles(0.02, paused=True)
    run.cycles(60.0, *[0.02] * 3)
    assert run.speed.mean() == pytest.approx(1.0)


def test_between_cycles_time_is_extrapolated_but_not_beyond_the_next():
    run = Run()
    assert run.speed.now() == 0.0
    run.cycles(*[0.04] * 20)
    run.now += 0.02
    assert run.speed.now() == pytest.approx(0.41)
    run.now += 1.0
    assert run.speed.now() == pytest.approx(0.42)
    run.cycles(0.04, paused=True)
    run.now += 1.0
    assert run.speed.now() == pytest.approx(0.42)


def test_within_a_cycle_time_goes_on_as_in_most_of_the_last_ones():
    run = Run()
    # One was interrupted by the machine.
    run.cycles(*[0.02] * 20, 0.4, *[0.02] * 3)
    assert run.speed.mean() == pytest.approx(10 * 0.02 / (9 * 0.02 + 0.4))
    run.now += 0.01
    assert run.speed.now() == pytest.approx(24 * 0.02 + 0.01)


def test_it_leaves_out_times_in_which_nothing_read_it():
    wall = [100.0]
    clock = AwakeClock(lambda: wall[0])
    started = clock()
    for step in (0.5 * ABSENCE, 11.0, 0.25 * ABSENCE, 3600.0):
        wall[0] += step
        clock()
    assert clock() - started == pytest.approx(0.75 * ABSENCE)
