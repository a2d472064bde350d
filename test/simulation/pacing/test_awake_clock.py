"""The clock by which servers judge silence, and matches a server that stands still."""

import pytest

from simspark_ros.simulation.pacing.awake_clock import ABSENCE, AwakeClock


def test_it_leaves_out_times_in_which_nothing_read_it():
    wall = [100.0]
    clock = AwakeClock(lambda: wall[0])
    started = clock()
    for step in (0.5 * ABSENCE, 11.0, 0.25 * ABSENCE, 3600.0):
        wall[0] += step
        clock()
    assert clock() - started == pytest.approx(0.75 * ABSENCE)
