"""Robots of files that the operator names, by any way: wide limits, and files in the folder above."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import SimulationSettings
from test.robots.formats.adaptation.makers import box, link, mesh, robot, write_mesh

BOXES = LimitSettings.max_colliding + 4
BOX = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A robot with many boxes, and a mesh in a neighbour of its folder."""
    write_mesh(tmp_path / "shapes" / "part.stl", box(0.2, 0.2, 0.2))
    (tmp_path / "made").mkdir()
    path = tmp_path / "made" / "robot.urdf"
    path.write_text(robot(link("base", mesh("../shapes/part.stl") + BOXES * BOX)), encoding="utf-8")
    return path


def by_world(file: Path) -> int:
    world = file.parent / "world.yaml"
    world.write_text(f"based_on: empty\nrobots: {{r: {{robot: {file}}}}}\n", encoding="utf-8")
    simulation, _ = build_simulation(SimulationSettings(world=str(world)), (), lambda: 0.0, lambda _: None)
    (one,) = simulation.world.robots.values()
    return len(one.description.model.base.collisions)


def by_sdf_world(file: Path) -> int:
    world = file.parent / "world.sdf"
    geometry = "<geometry><mesh><uri>../shapes/part.stl</uri></mesh></geometry>"
    model = (
        f"<model name='m'><static>1</static><link name='l'><collision name='c'>{geometry}</collision></link></model>"
    )
    world.write_text(f"<sdf version='1.9'><world name='w'>{model}</world></sdf>", encoding="utf-8")
    simulation, _ = build_simulation(SimulationSettings(world=str(world)), (), lambda: 0.0, lambda _: None)
    return BOXES + len(simulation.world.scene.obstacles)


def by_arena(file: Path) -> int:
    with Arena(str(file), world="empty") as arena:
        return len(arena.robots[0].description.model.base.collisions)


def by_name(file: Path) -> int:
    return len(load_robot(str(file)).model.base.collisions)


@pytest.mark.parametrize("way", [by_world, by_sdf_world, by_arena, by_name])
def test_the_operator_has_wide_limits_and_files_in_the_folder_above(file: Path, way: Callable[[Path], int]) -> None:
    assert way(file) == BOXES + 1


def test_a_client_has_neither(file: Path) -> None:
    with pytest.raises(RobotError, match=r"leads out of|max_colliding"):
        load_foreign(file, 0, LimitSettings())
