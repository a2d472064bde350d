"""Simulated time of a node goes on between messages, and what is due by it follows; the wall clock is a number here."""

import pytest

from simspark_ros.ros.clocks.client import Schedule, ToldClock


class Program:
    """A program with a clock; messages of a simulator at half speed come every 40 ms, with steps of 20 ms."""

    def __init__(self) -> None:
        self.wall, self.time = 100.0, 0.0
        self.clock = ToldClock(lambda: self.wall)

    def hear(self, steps: int = 1, wall: float = 0.04, late: float = 0.0, step: float = 0.02) -> bool:
        jumped = False
        for _ in range(steps):
            self.time += step
            # The sender's clock is another one.
            sent = self.wall + wall - 7000.0
            self.wall += wall + late
            jumped = self.clock.take(self.time, sent)
            self.wall -= late
        self.wall += late
        return jumped


@pytest.fixture
def program() -> Program:
    one = Program()
    one.hear(20)
    return one


def test_time_stands_before_the_first_message_and_messages_without_a_time_of_sending_count_when_they_come() -> None:
    program = Program()
    schedule = Schedule(program.clock, 0.01)
    schedule.restart()
    program.wall += 1.0
    assert (program.clock.now(), program.clock.told) == (0.0, None)
    assert (schedule.left(), schedule.take()) == (None, False)
    program.hear(2)
    assert schedule.left() == pytest.approx(0.02)
    program = Program()
    for number in range(10):
        program.wall += 0.04
        program.clock.take(0.02 * number)
    program.wall += 0.02
    assert program.clock.now() == pytest.approx(0.19)


def test_between_messages_time_goes_on_at_the_speed_of_the_last_steps_and_stands_a_step_later(program: Program) -> None:
    assert [program.clock.mean(steps) for steps in (5, 10, 50)] == pytest.approx([0.5] * 3)
    program.wall += 0.01
    assert program.clock.now() == pytest.approx(0.405)
    program.wall += 0.5
    assert program.clock.now() == pytest.approx(0.42)


def test_a_message_that_comes_late_changes_no_time_and_one_that_is_lost_is_a_longer_step(program: Program) -> None:
    program.hear(late=0.03)
    assert program.clock.now() == pytest.approx(0.42 + 0.015)
    program.wall -= 0.03
    program.hear(wall=0.08, step=0.04)
    assert program.clock.mean() == pytest.approx(0.5)
    program.wall += 1.0
    assert program.clock.now() == pytest.approx(0.48)


def test_time_goes_back_only_where_a_message_does(program: Program) -> None:
    program.hear(wall=0.04)
    program.wall += 0.04
    assert program.clock.now() == pytest.approx(0.44)
    program.hear(wall=0.0, step=0.005)
    assert program.clock.now() == pytest.approx(0.44)
    program.hear(step=-0.4)
    assert program.clock.now() == pytest.approx(0.025)


@pytest.mark.parametrize("repeats", [0, 3])
def test_a_pause_is_no_slow_step(program: Program, repeats: int) -> None:
    program.hear(repeats, wall=0.1, step=0.0)
    if repeats:
        program.wall += 0.02
        assert program.clock.now() == pytest.approx(0.4)
    program.hear(wall=60.0)
    program.hear(3)
    assert program.clock.mean() == pytest.approx(0.5)


def test_something_is_due_in_the_time_that_its_rest_takes(program: Program) -> None:
    schedule = Schedule(program.clock, 0.05)
    schedule.restart()
    # Beyond the next message nothing is known.
    assert schedule.left() is None
    program.hear(2)
    assert schedule.left() == pytest.approx(0.02)
    program.wall += 0.019
    assert not schedule.take()
    program.wall += 0.002
    assert (schedule.left(), schedule.take(), schedule.take()) == (0.0, True, False)
    # From one due time to the next, not from the call; earlier by the millisecond that the call was late.
    program.hear(2)
    assert schedule.left() == pytest.approx(0.039)
    program.hear()
    assert (schedule.left(), schedule.take()) == (0.0, True)


def test_where_calls_come_late_timers_are_set_earlier(program: Program) -> None:
    wrong = []
    for _ in range(20):
        schedule, begin = Schedule(program.clock, 0.01), program.clock.now()
        passed = (schedule.left() or 0.0) + 0.0012
        program.wall += passed
        assert schedule.take()
        wrong.append((program.clock.now() - begin) / 0.01 - 1.0)
        program.hear(wall=0.04 - passed)
    # Half of 1.2 ms of the wall clock at first, as the simulation has half speed.
    assert wrong[0] == pytest.approx(0.06)
    assert wrong[2:] == pytest.approx([0.0] * 18, abs=0.001)


def test_timers_are_set_earlier_by_two_milliseconds_at_most(program: Program) -> None:
    program.clock.late.extend([0.5] * 20)
    schedule = Schedule(program.clock, 0.01)
    schedule.restart()
    # At half speed they are four milliseconds of the wall clock.
    assert schedule.left() == pytest.approx(0.016)


def test_a_slower_simulation_is_followed(program: Program) -> None:
    schedule = Schedule(program.clock, 0.01)
    schedule.restart()
    assert schedule.left() == pytest.approx(0.02)
    program.hear(11, wall=0.16)
    assert (schedule.left(), schedule.take()) == (0.0, True)
    program.wall += 0.03
    assert schedule.left() == pytest.approx(0.05)


def test_what_was_missed_is_left_out(program: Program) -> None:
    schedule = Schedule(program.clock, 0.01)
    schedule.restart()
    program.hear(wall=2.0, step=2.003)
    assert [schedule.take() for _ in range(3)] == [True, False, False]
    assert schedule.left() == pytest.approx(0.014, abs=1e-6)


def test_when_time_jumps_back_a_whole_period_begins(program: Program) -> None:
    schedule = Schedule(program.clock, 0.03)
    schedule.restart()
    assert program.hear(step=-0.3)
    assert schedule.left() is None
    schedule.restart()
    program.hear(1)
    assert schedule.left() == pytest.approx(0.02)
