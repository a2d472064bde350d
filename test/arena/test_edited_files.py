"""A user edits files between two arenas of one session, as in a notebook."""

from pathlib import Path

import pytest

from simspark_ros.arena import Arena

BOX = """<robot name="b"><link name="base"><inertial><mass value="{mass}"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.3 0.3 0.3"/></geometry></collision></link></robot>"""
WORLD = "based_on: empty\ngravity: [0, 0, -{gravity}]\nrobots: {{box: {{robot: ./box.urdf, position: [0, 0, 0.15]}}}}\n"


def mass(arena: Arena, name: str) -> float:
    return arena[name].description.model.mass


def test_a_robot_is_that_of_its_file_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("edited.urdf")
    for number in (5, 9):
        path.write_text(BOX.format(mass=number), encoding="utf-8")
        with Arena("b=edited.urdf", engine="mujoco", world="empty") as arena:
            assert mass(arena, "b") == number
            if number == 9:
                path.write_text(BOX.format(mass=7), encoding="utf-8")
                assert [mass(arena, "b"), mass(arena, arena.add("edited.urdf").name)] == [9, 7]


def test_a_world_and_its_robots_are_those_of_their_files_now(tmp_path: Path) -> None:
    for number in (5, 9):
        (tmp_path / "box.urdf").write_text(BOX.format(mass=number), encoding="utf-8")
        (tmp_path / "world.yaml").write_text(WORLD.format(gravity=number), encoding="utf-8")
        with Arena(engine="mujoco", world=str(tmp_path / "world.yaml")) as arena:
            assert (mass(arena, "box"), arena.world.scene.gravity[2]) == (number, -number)
