"""The speed of simulated time is estimated by means over the last cycles."""

from types import SimpleNamespace

import pytest

from simspark_ros.simulation.pacing.speed import SpeedEstimator


class Run:
    """Cycles of 20 ms whose wall times are given, s."""

    def __init__(self) -> None:
        self.now = 0.0
        self.speed = SpeedEstimator(lambda: self.now)
        self.scheduler = SimpleNamespace(paused=False)
        self.time = 0.0

    def cycles(self, *seconds: float, paused: bool = False) -> None:
        for wall in seconds:
            self.now += wall
            self.scheduler.paused = paused
            world = SimpleNamespace(elapsed=0.02)
            self.time += world.elapsed
            simulation = SimpleNamespace(world=world, scheduler=self.scheduler, time=self.time)
            self.speed.end_cycle(simulation)  # type: ignore[arg-type]


def test_means_are_of_the_last_cycles():
    run = Run()
    assert run.speed.mean() == 1.0, "time is expected to be real"
    # The first cycle only begins the measurement.
    run.cycles(*[0.01] * 51, *[0.02] * 5, *[0.04] * 5)
    assert run.speed.mean(5) == pytest.approx(0.5)
    assert run.speed.mean(10) == pytest.approx(10 * 0.02 / (5 * 0.02 + 5 * 0.04))
    assert run.speed.mean(50) == pytest.approx(50 * 0.02 / (40 * 0.01 + 5 * 0.02 + 5 * 0.04))


def test_a_pause_is_no_slow_cycle():
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
