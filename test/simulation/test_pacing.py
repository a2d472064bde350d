"""Sources of time beside those that test_scheduler.py knows: another program's clock, and plug-ins."""

from __future__ import annotations

import pytest

from simspark_ros.configuration.entry_points import Group
from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.pacing.source import TimeSource
from simspark_ros.simulation.settings import SimulationSettings
from test.simulation.pacing.test_scheduler import run, scheduler


def follow(**settings):
    """A scheduler that follows a clock, what tells it the time and gives the cycles that start then, and its world."""
    made, clock, _, warnings = scheduler(pacing="external", **settings)

    def tell(seconds):
        made.told = seconds
        return sum(quanta or 0 for quanta in run(made, 40))

    return made, tell, clock, warnings


def test_a_cycle_starts_when_the_clock_has_passed_it_and_time_stands_with_the_clock():
    made, tell, _, warnings = follow()
    assert (tell(100.0), made.jump) == (0, 100.0)
    assert [tell(time) for time in (100.01, 100.02, 100.03, 100.10, 100.10)] == [0, 1, 0, 4, 0]
    assert not warnings


def test_a_clock_that_goes_back_is_named_and_followed():
    made, tell, _, warnings = follow()
    tell(100.0)
    tell(100.1)
    made.jump = None
    assert tell(7.0) == 0 and made.jump == 7.0
    assert "went back from 100.10 s to 7.00 s" in warnings[0]
    assert tell(7.02) == 1
    # Two clocks that take turns.
    for time in (100.0, 7.1) * 20:
        tell(time)
    assert len(warnings) <= 3


def test_what_is_too_far_ahead_is_a_jump_and_the_rest_is_caught_up():
    made, tell, _, warnings = follow(catch_up_limit=0.5)
    tell(1.0)
    assert tell(1.5) == 25
    assert not warnings
    made.jump = None
    assert tell(3.0) == 0 and made.jump == 3.0
    assert "1.50 s ahead" in warnings[0] and "catch_up_limit" in warnings[0]


def test_after_a_pause_time_is_that_of_the_clock_and_steps_wait_for_no_clock():
    made, tell, _, warnings = follow()
    tell(1.0)
    made.pause()
    made.step(2)
    assert tell(1.0) == 2
    assert tell(50.0) == 0
    made.resume()
    assert (tell(50.0), made.jump) == (0, 50.0)
    assert not warnings


def test_a_clock_that_never_comes_is_missed_aloud():
    made, _, clock, warnings = follow()
    run(made, 40)
    assert not warnings
    clock.now += 11.0
    run(made, 40)
    assert len(warnings) == 1 and "does anybody publish /clock?" in warnings[0]


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
    assert run(made, 2) == [1, None]
    assert made.settings.pacing == "ended"
    (warning,) = warnings
    assert warning.startswith("plug-in 'gps' of this program fails: OSError: no GPS (test_pacing.py, line ")
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
    assert simulation.time == pytest.approx(100.04)
    assert simulation.world.cycle == 2
