import math

import pytest

from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.pacing.scheduler import SETTLING, Scheduler
from simspark_ros.simulation.pacing.source import TimeSource
from simspark_ros.simulation.settings import SimulationSettings
from test.rigs.stub_world import Clock


class Clients:
    """Wall time passes only in waits for them."""

    def __init__(self, clock: Clock, count: int = 0, ready: bool = True) -> None:
        self._clock, self.count, self.ready = clock, count, ready

    def wait(self, timeout: float) -> None:
        self._clock.now += timeout


def scheduler(clients_ready=True, count=0, **settings):
    clock = Clock()
    warnings: list[str] = []
    clients = Clients(clock, count, clients_ready)
    made = Scheduler(SimulationSettings(**settings), 0.02, clients, clock, warnings.append)
    return made, clock, clients, warnings


def settled(**settings):
    """One whose start is over."""
    made, clock, _, warnings = scheduler(**settings)
    clock.now += SETTLING
    made.restart()
    made.quanta_due()
    return made, clock, warnings


def run(made, calls, players=0):
    return [made.quanta_due(players) for _ in range(calls)]


def cycles_of_a_second(made, clock):
    end, cycles = clock.now + 1.0 - 1e-9, 0
    while clock.now < end:
        cycles += made.quanta_due() or 0
    return cycles


def test_late_cycles_are_caught_up_one_by_one_and_beyond_the_limit_given_up_with_a_warning():
    made, clock, _, warnings = scheduler()
    made.quanta_due()
    clock.now += 0.1
    before = clock.now
    assert [q for q in run(made, 5) if q] == [1] * 5 and clock.now - before <= 0.02 + 1e-9
    assert not warnings
    made, clock, warnings = settled(catch_up_limit=0.5)
    clock.now += 2.0
    late = clock.now
    assert made.quanta_due() == 1 and "cannot be made up" in warnings[0]
    assert made.quanta_due() is None or clock.now > late


def test_lateness_of_the_first_seconds_is_given_up_in_silence_and_a_slow_machine_warned_of_now_and_then():
    made, clock, _, warnings = scheduler(catch_up_limit=0.5, wait_for_robots=1)
    clock.now += 100.0
    made.quanta_due(players=1)
    made.quanta_due()
    clock.now += 0.9 * SETTLING
    assert made.quanta_due() == 1 and not warnings
    clock.now += 2.0
    made.quanta_due()
    assert float(warnings[0].split()[0]) == pytest.approx(2.0, abs=0.1)
    made, clock, warnings = settled(catch_up_limit=0.5)
    for _ in range(12):
        # Each time 2 s later than due.
        clock.now += 2.02
        made.quanta_due()
    assert [float(line.split()[0]) for line in warnings] == pytest.approx([2.0, 10.0, 10.0], abs=0.1)


@pytest.mark.parametrize(("speed", "kept"), [(1.0, "0.75"), (2.0, "1.50")])
def test_a_slow_machine_is_told_what_it_keeps_but_not_after_a_long_time_or_a_pause(speed, kept):
    made, clock, warnings = settled(catch_up_limit=0.5, speed=speed)

    def run_slowly(seconds):
        """Three quarters of the ordered speed, until a warning comes."""
        warnings.clear()
        end = clock.now + seconds
        while clock.now < end and not warnings:
            clock.now += 0.02 / speed / 0.75 if made.quanta_due() else 0.0
        return warnings[0].split(". ")[0].partition("machine ")[2]

    assert run_slowly(10.0) == "is too slow"
    assert run_slowly(15.0) == f"keeps {kept} times real time"
    assert run_slowly(15.0) == f"keeps {kept} times real time"
    made.pause()
    made.resume()
    assert run_slowly(15.0) == "is too slow"
    for _ in range(30):
        cycles_of_a_second(made, clock)
    assert run_slowly(15.0) == "is too slow"


@pytest.mark.parametrize(("late_cycles", "quanta"), [("quanta", 5), ("slip", 1)])
def test_the_manuals_mode_runs_missed_physics_in_one_cycle_and_the_references_mode_lets_time_slip(late_cycles, quanta):
    made, clock, _, warnings = scheduler(late_cycles=late_cycles)
    made.quanta_due()
    clock.now += 0.109
    assert made.quanta_due() == quanta
    start = clock.now
    assert made.quanta_due() == 1 and clock.now - start == pytest.approx(0.02 - 0.009 * (quanta > 1))
    assert not warnings


@pytest.mark.parametrize("speed", [None, 4.0, math.inf])
def test_lock_step_waits_until_all_have_answered_at_any_speed(speed):
    made, _, clients, _ = scheduler(pacing="lockstep", count=2, clients_ready=False)
    made.set_speed(speed)
    assert run(made, 10) == [None] * 10
    clients.ready = True
    assert made.quanta_due() == 1


def test_lock_step_without_participants_runs_in_real_time_and_catches_nothing_up():
    made, clock, _, warnings = scheduler(pacing="lockstep")
    assert cycles_of_a_second(made, clock) == pytest.approx(50, abs=1)
    clock.now += 2.0
    assert cycles_of_a_second(made, clock) <= 51 and not warnings


@pytest.mark.parametrize("setting", [0.5, 1.0, 4.0])
def test_paced_lock_step_runs_at_most_at_its_speed(setting):
    made, clock, _, warnings = scheduler(pacing="lockstep", count=2, speed=setting)
    assert cycles_of_a_second(made, clock) == pytest.approx(50 * setting, abs=1)
    # As one who watches orders, and again as the settings say.
    made.set_speed(2.0)
    assert cycles_of_a_second(made, clock) == pytest.approx(100, abs=1)
    made.set_speed(None)
    assert cycles_of_a_second(made, clock) == pytest.approx(50 * setting, abs=1) and not warnings


def test_a_slow_player_slows_paced_lock_step_and_nothing_is_caught_up():
    made, clock, clients, warnings = scheduler(pacing="lockstep", count=1, speed=1.0)
    serve, answer, cycles, end = clients.wait, clock.now, 0, clock.now + 7.0

    def think(timeout):
        clock.now = min(clock.now + timeout, max(clock.now, answer)) if not clients.ready else clock.now + timeout
        clients.ready = clients.ready or clock.now >= answer

    clients.wait = think
    while clock.now < end:
        quanta = made.quanta_due()
        assert quanta in (None, 1)
        if quanta:
            assert clients.ready, "no cycle passes by without the player"
            # It needs 70 ms for its next answer.
            cycles, clients.ready, answer = cycles + 1, False, clock.now + 0.07
    assert cycles == pytest.approx(100, abs=1)
    # Quick again: one cycle comes sooner than real time at most.
    clients.wait, clients.ready = serve, True
    assert cycles_of_a_second(made, clock) <= 51 and not warnings


def test_waits_that_last_a_little_too_long_do_not_slow_paced_lock_step():
    made, clock, clients, _ = scheduler(pacing="lockstep", count=1, speed=1.0)
    wait = clients.wait
    clients.wait = lambda timeout: wait(timeout + 0.001)
    assert cycles_of_a_second(made, clock) == pytest.approx(50, abs=1)


@pytest.mark.parametrize("ordered", [False, True])
def test_time_starts_when_enough_robots_are_there_or_that_is_ordered(ordered):
    made, _, _, _ = scheduler(pacing="fast", wait_for_robots=2)
    assert run(made, 3, players=1) == [0, 0, 0]
    if ordered:
        made.start()
    assert run(made, 2, players=1 if ordered else 2) == [0, 1]
    assert run(made, 1, players=1) == [1]


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
    assert clock.now - start == pytest.approx(0.02) and not warnings


@pytest.mark.parametrize("pacing", ["realtime", "fast", "lockstep"])
@pytest.mark.parametrize("speed", [0.25, 1.0, 4.0])
def test_time_runs_as_fast_as_it_is_told_to(pacing, speed):
    made, clock, _, warnings = scheduler(pacing=pacing, count=2)
    made.set_speed(speed)
    assert cycles_of_a_second(made, clock) == pytest.approx(50 * speed, abs=1) and not warnings


def test_as_fast_as_possible_nothing_and_nobody_is_waited_for():
    made, clock, _, _ = scheduler(pacing="fast", count=2, clients_ready=False)
    assert run(made, 5) == [1] * 5 and clock.now == Clock().now
    made, clock, _, warnings = scheduler()
    made.set_speed(math.inf)
    assert run(made, 1000) == [1] * 1000 and clock.now == Clock().now and not warnings
    made.set_speed(None)
    assert cycles_of_a_second(made, clock) == pytest.approx(50, abs=1)
    assert not warnings, "time is not caught up after a change"


def test_paused_nothing_runs_but_single_steps_which_run_at_once_at_any_speed():
    made, clock, _, _ = scheduler(pacing="lockstep", count=1)
    made.set_speed(0.01)
    assert made.quanta_due() == 1
    made.pause()
    assert run(made, 2) == [None, None]
    made.step(2)
    before = clock.now
    assert run(made, 2) == [1, 1] and clock.now == before and made.quanta_due() is None


def test_a_pause_that_comes_while_clients_are_served_holds_at_once():
    made, _, clients, _ = scheduler(pacing="fast")
    serve, clients.wait = clients.wait, lambda timeout: made.pause()
    assert made.quanta_due() is None
    clients.wait = serve
    made.step(1)
    assert run(made, 3) == [1, None, None]


def follow(**settings):
    """A scheduler that follows a clock, what tells it the time and gives the cycles that start then, and its world."""
    made, clock, _, warnings = scheduler(pacing="external", **settings)

    def tell(seconds):
        made.told = seconds
        return sum(quanta or 0 for quanta in run(made, 40))

    return made, tell, clock, warnings


def test_a_cycle_starts_when_the_clock_has_passed_it_and_time_stands_with_the_clock_missed_aloud_until_it_comes():
    made, tell, clock, warnings = follow()
    assert run(made, 40) == [None] * 40 and not warnings
    clock.now += 11.0
    run(made, 40)
    assert "does a program publish it?" in warnings.pop() and (tell(100.0), made.jump) == (0, 100.0)
    assert [tell(time) for time in (100.01, 100.02, 100.03, 100.10, 100.10)] == [0, 1, 0, 4, 0]
    assert not warnings


def test_a_clock_that_goes_back_is_named_and_followed():
    made, tell, _, warnings = follow()
    tell(100.0)
    tell(100.1)
    made.jump = None
    assert tell(7.0) == 0 and made.jump == 7.0
    assert "went back from 100.10 s to 7.00 s" in warnings[0] and tell(7.02) == 1
    # Two clocks that take turns.
    for time in (100.0, 7.1) * 20:
        tell(time)
    assert len(warnings) <= 3


def test_what_is_too_far_ahead_is_a_jump_and_the_rest_is_caught_up():
    made, tell, _, warnings = follow(catch_up_limit=0.5)
    tell(1.0)
    assert tell(1.5) == 25 and not warnings
    made.jump = None
    assert tell(3.0) == 0 and made.jump == 3.0
    assert "1.50 s ahead" in warnings[0] and "catch_up_limit" in warnings[0]


def test_after_a_pause_time_is_that_of_the_clock_and_steps_wait_for_no_clock():
    made, tell, _, warnings = follow()
    tell(1.0)
    made.pause()
    made.step(2)
    assert tell(1.0) == 2 and tell(50.0) == 0
    made.resume()
    assert (tell(50.0), made.jump) == (0, 50.0) and not warnings


class Halves(TimeSource):
    """Every second question."""

    def restart(self):
        self.asked = 0

    def quanta_due(self):
        self.asked += 1
        return self.at_once() if self.asked % 2 else None


class Ended(Halves):
    ended = False

    def done(self):
        Ended.ended = True


def fail(asked):
    raise OSError("no GPS")


def test_pacings_of_plug_ins_are_known_and_one_that_fails_changes_nothing(monkeypatch):
    sources = {"halves": Halves, "ended": Ended, "gps": fail}
    monkeypatch.setattr(Group, "plug_ins", lambda group: sources)
    made, _, _, warnings = scheduler(pacing="ended")
    assert run(made, 4) == [1, None, 1, None]
    made.settings = SimulationSettings(pacing="gps")
    assert run(made, 2) == [1, None] and made.settings.pacing == "ended"
    (warning,) = warnings
    assert warning.startswith("plug-in 'gps' of this program fails: OSError: no GPS (test_scheduler.py, line ")
    assert warning.endswith("it cannot be used; the pacing stays 'ended'")
    made.settings = SimulationSettings(pacing="halves")
    assert run(made, 2) == [1, None] and Ended.ended
    with pytest.raises(UserError, match="no GPS"):
        scheduler(pacing="gps")


def test_the_world_has_the_time_of_the_clock(play):
    simulation = play(world="msl", engine="planar").simulation
    simulation.scheduler.settings = SimulationSettings(pacing="external")
    simulation.scheduler.told = 100.0
    clock = iter([100.0, 100.02, 100.04, 100.06])
    simulation.scheduler.participants.wait = lambda timeout: setattr(simulation.scheduler, "told", next(clock))
    simulation.run(2)
    assert simulation.time == pytest.approx(100.04) and simulation.world.cycle == 2
