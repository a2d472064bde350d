"""Files of robots that are edited between two uses in one process: what they say now holds, for whatever file it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import body_rules, load_robot, variants
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from test.robots.formats.adaptation.makers import box, link, mesh, robot, write, write_mesh

LIMITS = LimitSettings()
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'

Load = Callable[[Path], RobotDescription]
Edit = Callable[[float], object]


def load_here(path: Path) -> RobotDescription:
    return load_robot(str(path))


def load_elsewhere(path: Path) -> RobotDescription:
    return load_foreign(path, 0, LIMITS)


def urdf(folder: Path) -> tuple[Path, Edit]:
    return folder / "made.urdf", lambda mass: write(folder, robot(link("base", mass=mass)))


def included_xacro(folder: Path) -> tuple[Path, Edit]:
    include = '<xacro:include filename="parts.xacro"/><xacro:base/>'
    main = write(folder, f'<robot name="made" {XACRO}>{include}</robot>', "made.xacro")

    def edit(mass: float) -> None:
        macro = f'<xacro:macro name="base">{link("base", mass=mass)}</xacro:macro>'
        write(folder, f'<robot name="parts" {XACRO}>{macro}</robot>', "parts.xacro")

    return main, edit


def yaml_of_xacro(folder: Path) -> tuple[Path, Edit]:
    xacro = '<xacro:property name="numbers" value="${xacro.load_yaml(\'numbers.yaml\')}"/>'
    base = link("base").replace('value="1.0"', "value=\"${numbers['mass']}\"")
    main = write(folder, f'<robot name="made" {XACRO}>{xacro}{base}</robot>', "made.xacro")
    return main, lambda mass: write(folder, f"mass: {mass}", "numbers.yaml")


def model_of_yaml(folder: Path) -> tuple[Path, Edit]:
    main = write(folder, "model: made.urdf", "made.yaml")
    return main, lambda mass: write(folder, robot(link("base", mass=mass)))


def base_of_yaml(folder: Path) -> tuple[Path, Edit]:
    for mass in (2, 3):
        write(folder, robot(link("base", mass=mass)), f"{mass}.urdf")
    main = write(folder, "based_on: ./base.yaml", "made.yaml")
    return main, lambda mass: write(folder, f"model: {mass:.0f}.urdf", "base.yaml")


def included_mjcf(folder: Path) -> tuple[Path, Edit]:
    pytest.importorskip("mujoco")
    body = '<body><freejoint/><include file="base.xml"/></body>'
    main = write(folder, f'<mujoco model="made"><worldbody>{body}</worldbody></mujoco>', "made.xml")
    return main, lambda mass: write(folder, f'<mujoco><geom size="0.1" mass="{mass}"/></mujoco>', "base.xml")


def included_sdf(folder: Path) -> tuple[Path, Edit]:
    main = write(
        folder,
        '<sdf version="1.9"><model name="made"><include merge="true"><uri>base.sdf</uri></include></model></sdf>',
        "made.sdf",
    )
    inertia = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"

    def edit(mass: float) -> None:
        inertial = f"<inertial><mass>{mass}</mass>{inertia}</inertial>"
        write(
            folder, f'<sdf version="1.9"><model name="b"><link name="base">{inertial}</link></model></sdf>', "base.sdf"
        )

    return main, edit


def imported_rsg(folder: Path) -> tuple[Path, Edit]:
    main = write(folder, "(RSG 0 1)((nd Transform (importScene base.rsg)))", "made.rsg")
    body = "(RSG 0 1)((nd RigidBody (setName base)(setSphereTotal {mass} 0.1)))"
    return main, lambda mass: write(folder, body.format(mass=mass), "base.rsg")


@pytest.mark.parametrize(
    "files",
    [urdf, included_xacro, yaml_of_xacro, model_of_yaml, base_of_yaml, included_mjcf, included_sdf, imported_rsg],
)
def test_a_robot_has_the_mass_that_its_files_say_now(
    tmp_path: Path, files: Callable[[Path], tuple[Path, Edit]]
) -> None:
    path, edit = files(tmp_path)
    load = load_here if path.suffix in (".urdf", ".xacro", ".yaml") else load_elsewhere
    for mass in (2.0, 3.0):
        edit(mass)
        assert load(path).model.mass == pytest.approx(mass)


@pytest.mark.parametrize("load", [load_here, load_elsewhere])
def test_a_mesh_is_read_again_and_nothing_else_twice(tmp_path: Path, load: Load) -> None:
    path = write(tmp_path, robot(link("base", mesh("part.stl"))))
    for edge in (0.2, 0.4):
        file = write_mesh(tmp_path / "part.stl", box(edge, 0.3, 0.3))
        # The time of the last change is that of files which nobody has just written.
        for one in (file, path):
            os.utime(one, ns=(1_000_000_000, 1_000_000_000))
        loaded = load(path)
        assert loaded.model.base.collisions[0].size[0] == pytest.approx(edge)
        assert load(path) is loaded


def test_a_missing_picture_of_a_link_is_seen_when_it_comes(tmp_path: Path) -> None:
    path = write(tmp_path, robot(link("base", mesh("part.stl", "visual"))))
    assert not load_here(path).model.base.surfaces
    write_mesh(tmp_path / "part.stl")
    assert load_here(path).model.base.surfaces


def test_types_are_those_of_the_file_now(tmp_path: Path) -> None:
    write(tmp_path, robot(link("base")))
    for count in (1, 3):
        path = write(
            tmp_path, f"model: made.urdf\nvariants: { ({number: {} for number in range(count)}) }", "made.yaml"
        )
        assert variants(str(path)) == tuple(body_rules(str(path)).variants) == tuple(range(count))
