"""How fast time runs when those who watch say so."""

from __future__ import annotations

import math

import pytest

from simspark_ros.simulation.scheduler import Pacing
from test.simulation.test_scheduler import scheduler


def cycles_of_a_second(made, clock):
    end, cycles = clock.now + 1.0 - 1e-9, 0
    while clock.now < end:
        cycles += made.quanta_due() or 0
    return cycles


@pytest.mark.parametrize("pacing", [Pacing.REALTIME, Pacing.FAST, Pacing.LOCKSTEP])
@pytest.mark.parametrize("speed", [0.25, 1.0, 4.0])
def test_time_runs_as_fast_as_it_is_told_to(pacing, speed):
    made, clock, _, warnings = scheduler(pacing=pacing, count=2)
    made.set_speed(speed)
    assert cycles_of_a_second(made, clock) == pytest.approx(50 * speed, abs=1)
    assert not warnings


def test_as_fast_as_possible_nothing_is_waited_for():
    made, clock, _, warnings = scheduler()
    made.set_speed(math.inf)
    before = clock.now
    assert [made.quanta_due() for _ in range(1000)] == [1] * 1000
    assert clock.now == before and not warnings
    made.set_speed(None)
    assert cycles_of_a_second(made, clock) == pytest.approx(50, abs=1)
    assert not warnings, "time is not caught up after a change"


def test_lockstep_waits_for_agents_at_any_speed():
    made, _, _, _ = scheduler(clients_ready=False, pacing=Pacing.LOCKSTEP, count=1)
    for speed in (4.0, math.inf, None):
        made.set_speed(speed)
        assert [made.quanta_due() for _ in range(5)] == [None] * 5


def test_single_steps_run_at_once_at_any_speed():
    made, clock, _, _ = scheduler(pacing=Pacing.LOCKSTEP, count=1)
    made.set_speed(0.01)
    assert made.quanta_due() == 1
    made.pause()
    made.step(2)
    before = clock.now
    assert [made.quanta_due() for _ in range(2)] == [1, 1]
    assert clock.now == before


def test_a_pause_that_comes_while_clients_are_served_holds_at_once():
    made, _, clients, _ = scheduler(pacing=Pacing.FAST)
    serve, clients.wait = clients.wait, lambda timeout: made.pause()
    assert made.quanta_due() is None
    clients.wait = serve
    made.step(1)
    assert [made.quanta_due() for _ in range(3)] == [1, None, None]
