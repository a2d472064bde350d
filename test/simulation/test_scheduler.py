from __future__ import annotations

import pytest

from simspark_ros.simulation.scheduler import Pacing, PacingSettings, Scheduler


class Clock:
    """Wall time that passes only in waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Clients:
    def __init__(self, clock: Clock, count: int = 0, ready: bool = True) -> None:
        self._clock, self.count, self.ready = clock, count, ready

    def wait(self, timeout: float) -> None:
        self._clock.now += timeout


def scheduler(clients_ready=True, count=0, **settings):
    clock = Clock()
    warnings: list[str] = []
    clients = Clients(clock, count, clients_ready)
    made = Scheduler(PacingSettings(**settings), 0.02, clients, clock, warnings.append)
    return made, clock, clients, warnings


def run(made, calls, players=0):
    return [made.quanta_due(players) for _ in range(calls)]


def test_real_time_runs_one_cycle_every_cycle_time():
    made, clock, _, _ = scheduler()
    cycles = 0
    start = clock.now
    while clock.now < start + 1.0 - 1e-9:
        cycles += made.quanta_due() or 0
    assert cycles == pytest.approx(50, abs=1)


def test_late_cycles_are_caught_up_one_by_one():
    made, clock, _, warnings = scheduler()
    made.quanta_due()
    clock.now += 0.1
    before = clock.now
    assert [q for q in run(made, 5) if q] == [1] * 5
    assert clock.now - before <= 0.02 + 1e-9
    assert not warnings


def test_the_manuals_mode_runs_missed_physics_in_one_cycle():
    made, clock, _, _ = scheduler(late_cycles="quanta")
    made.quanta_due()
    clock.now += 0.109
    assert made.quanta_due() == 5


def test_beyond_the_limit_catching_up_is_given_up_with_a_warning():
    made, clock, _, warnings = scheduler(catch_up_limit=0.5)
    made.quanta_due()
    clock.now += 2.0
    assert made.quanta_due() == 1
    assert "gives up" in warnings[0]
    assert made.quanta_due() is None or clock.now > 102.0


def test_the_references_mode_lets_time_slip():
    made, clock, _, warnings = scheduler(late_cycles="slip")
    made.quanta_due()
    clock.now += 2.0
    assert made.quanta_due() == 1
    start = clock.now
    assert made.quanta_due() == 1
    assert clock.now - start == pytest.approx(0.02)
    assert not warnings


def test_as_fast_as_possible_waits_for_nobody():
    made, clock, _, _ = scheduler(pacing=Pacing.FAST, count=2, clients_ready=False)
    start = clock.now
    assert run(made, 5) == [1] * 5
    assert clock.now == start


def test_lock_step_waits_until_all_have_answered():
    made, _, clients, _ = scheduler(pacing=Pacing.LOCKSTEP, count=2, clients_ready=False)
    assert run(made, 10) == [None] * 10
    clients.ready = True
    assert made.quanta_due() == 1


def test_lock_step_without_participants_runs_in_real_time():
    made, clock, _, _ = scheduler(pacing=Pacing.LOCKSTEP)
    made.quanta_due()
    start = clock.now
    while made.quanta_due() is None:
        pass
    assert clock.now - start == pytest.approx(0.02)


def test_time_starts_when_enough_robots_are_there():
    made, _, _, _ = scheduler(pacing=Pacing.FAST, wait_for_robots=2)
    assert run(made, 3, players=1) == [0, 0, 0]
    assert run(made, 2, players=2) == [0, 1]
    assert run(made, 1, players=1) == [1]


def test_time_starts_with_fewer_robots_when_that_is_ordered():
    made, _, _, _ = scheduler(pacing=Pacing.FAST, wait_for_robots=2)
    assert run(made, 2, players=1) == [0, 0]
    made.start()
    assert run(made, 2, players=1) == [0, 1]


def test_paused_nothing_runs_but_single_steps():
    made, _, _, _ = scheduler(pacing=Pacing.FAST)
    made.pause()
    assert run(made, 2) == [None, None]
    made.step(2)
    assert run(made, 3) == [1, 1, None]


def test_after_a_pause_no_time_is_caught_up():
    made, clock, _, warnings = scheduler()
    made.quanta_due()
    made.pause()
    clock.now += 10.0
    made.resume()
    assert made.quanta_due() == 1
    start = clock.now
    while made.quanta_due() is None:
        pass
    assert clock.now - start == pytest.approx(0.02)
    assert not warnings
