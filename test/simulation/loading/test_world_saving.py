from pathlib import Path

import pytest
import yaml

from simspark_ros.arena import Arena
from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.referee import trainer_of
from simspark_ros.trainer.editing import add_object, change_object
from simspark_ros.trainer.robots import save_world
from simspark_ros.worlds.errors import CommandRejectedError
from test.rigs.machine.full_disk import files_end_at

WORLD = """
based_on: empty
objects:
  crate: {box: [0.4, 0.4, 0.4], mass: 5.0, position: [2.0, 0.0, 0.2]}
robots:
  one: {robot: nao, position: [0.0, 0.0, 0.0], heading_deg: 30.0}
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "world.yaml"
    path.write_text(WORLD)
    return path


def save(arena: Arena, name: str) -> None:
    save_world(trainer_of(arena.simulation), name)


def test_what_was_moved_added_and_turned_stands_there_when_the_file_is_loaded(world: Path, tmp_path: Path) -> None:
    with Arena(world=str(world), saved_worlds=str(tmp_path / "saved"), engine="mujoco") as arena:
        arena["one"].set_positions({"laj1": -1.0})
        arena.add("nao/4", name="two", position=(1.0, 1.0), heading=1.0)
        arena["crate"].place(-2.0, 1.0, 0.5)
        add_object(trainer_of(arena.simulation), "ramp=box/1.2,0.6,0.1/3@0,2,0.5")
        robot = next(one for one in arena.world.robots.values() if one.name == "crate")
        change_object(trainer_of(arena.simulation), robot.handle, "sphere/0.3/2")
        arena.step(60)
        save(arena, "mine")
        before = {name: arena[name].position for name in ("one", "two", "crate", "ramp")}
        arm = arena["one"].joint_positions[arena["one"].joints.index("laj1")]
    path = tmp_path / "saved" / "mine.yaml"
    with Arena(world=str(path), engine="mujoco") as arena:
        for name, position in before.items():
            # Metres are rounded to 0.1 mm, and robots that lean a little stand upright again.
            assert arena[name].position == pytest.approx(position, abs=5e-3)
        joints = arena["one"]
        assert joints.joint_positions[joints.joints.index("laj1")] == pytest.approx(arm, abs=1e-3)
        assert len(arena["two"].joints) == 24
        assert [one.description.model.mass for one in arena.world.robots.values() if one.name == "crate"] == [2.0]
    assert yaml.safe_load(path.read_text())["robots"]["two"]["type"] == 4


def test_trainers_do_not_fill_the_disk_with_worlds_and_a_full_one_costs_none(world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    with Arena(world=str(world), saved_worlds=str(folder), saved_world_files=2, engine="mujoco") as arena:
        for name in ("../mine", "a b", "", "x" * 65):
            with pytest.raises(CommandRejectedError, match="is not a valid name"):
                save(arena, name)
        assert not folder.exists()
        for name in ("mine", "yours", "mine"):
            save(arena, name)
        with pytest.raises(CommandRejectedError, match=r"has 2 worlds, the limit \(saved_world_files\)"):
            save(arena, "one_more")
        before = (folder / "mine.yaml").read_text()
        with files_end_at(20), pytest.raises(CommandRejectedError, match=r"mine.yaml: cannot be written: File too"):
            save(arena, "mine")
        assert (folder / "mine.yaml").read_text() == before
    assert {path.name for path in folder.iterdir()} == {"mine.yaml", "yours.yaml"}


def test_nothing_is_saved_where_it_is_not_allowed(world: Path) -> None:
    with Arena(world=str(world), engine="mujoco") as arena, pytest.raises(CommandRejectedError, match="--saved-worlds"):
        save(arena, "mine")


@pytest.mark.parametrize(
    ("joints", "message"), [("{laj9: 0.1}", "there is no joint 'laj9'"), ("{laj1: 9.0}", "laj1 must be")]
)
def test_joints_that_a_robot_does_not_have_so_are_refused_by_name(world: Path, joints: str, message: str) -> None:
    world.write_text(WORLD.replace("heading_deg: 30.0", f"joints: {joints}"))
    with pytest.raises(UserError, match=rf"{world.name}.*'one': joints: .*{message}|{message}"):
        Arena(world=str(world), engine="mujoco")
