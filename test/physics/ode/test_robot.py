"""What an ODE robot says when it is built."""

import pytest

from simspark_ros.arena import Arena
from simspark_ros.physics.ode.robot import _warn_of_rollers


@pytest.mark.parametrize(
    ("robot", "preset", "warnings"), [("omni", "", 1), ("omni", "fine", 0), ("differential", "", 0)]
)
def test_robots_on_rollers_name_the_preset_that_they_need(caplog, robot, preset, warnings):
    _warn_of_rollers.cache_clear()
    with Arena(robot, engine="ode", preset=preset, world="empty"):
        told = [record.getMessage() for record in caplog.records if "rollers" in record.getMessage()]
    assert len(told) == warnings
    assert all("--preset fine" in text for text in told)
