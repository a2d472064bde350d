"""An arena's robot under a program for robots anywhere."""

from collections.abc import Iterator

import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.errors import UserError
from test.rigs.robots.sensor_program import CONFIGURATION, NEEDS_BEAMS, drive_a_little, turn_a_little


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena(engine="planar", world="msl", referee=False, changes=("create.heading_deg=0",)) as made:
        yield made


def test_a_program_drives_it_by_its_container(arena: Arena) -> None:
    # Time has passed before.
    arena.step(60)
    robot = arena.add(CONFIGURATION, name="mine")
    # It goes on a little after it was told to stop; the goal is seen every third cycle.
    assert drive_a_little(robot, 2.0) == pytest.approx(0.06, abs=0.03)
    assert turn_a_little(robot, 2.0) == pytest.approx(0.11, abs=0.03)
    arena.reset()
    assert drive_a_little(robot, 2.0) == pytest.approx(0.06, abs=0.03)
    with pytest.raises(UserError, match="fly"):
        robot.command("fly", 1.0)
    with pytest.raises(UserError, match="wheels needs 3 arguments"):
        robot.command("wheels", 1.0)
    arena.remove("mine")
    arena.step(60)


def test_a_configuration_that_cannot_be_built_is_refused_with_the_reason(arena: Arena) -> None:
    with pytest.raises(UserError, match="beams"):
        arena.add(NEEDS_BEAMS)
    assert not arena.robots
