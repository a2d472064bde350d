from collections.abc import Iterator
from pathlib import Path

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


BOX = """<robot name="b"><link name="base"><inertial><mass value="{mass}"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.3 0.3 0.3"/></geometry></collision></link></robot>"""
WORLD = "based_on: empty\ngravity: [0, 0, -{gravity}]\nrobots: {{box: {{robot: ./box.urdf, position: [0, 0, 0.15]}}}}\n"


def mass(arena: Arena, name: str) -> float:
    return arena[name].description.model.mass


def test_a_robot_a_world_and_its_robots_are_those_of_their_files_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("edited.urdf")
    for number in (5, 9):
        path.write_text(BOX.format(mass=number), encoding="utf-8")
        with Arena("b=edited.urdf", engine="mujoco", world="empty") as arena:
            assert mass(arena, "b") == number
            if number == 9:
                path.write_text(BOX.format(mass=7), encoding="utf-8")
                assert [mass(arena, "b"), mass(arena, arena.add("edited.urdf").name)] == [9, 7]
    for number in (5, 9):
        (tmp_path / "box.urdf").write_text(BOX.format(mass=number), encoding="utf-8")
        (tmp_path / "world.yaml").write_text(WORLD.format(gravity=number), encoding="utf-8")
        with Arena(engine="mujoco", world=str(tmp_path / "world.yaml")) as arena:
            assert (mass(arena, "box"), arena.world.scene.gravity[2]) == (number, -number)
