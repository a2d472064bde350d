"""Files of robots that are edited between two uses in one process: what they say now holds, for whatever file it is."""

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


def load_here(path: Path) -> RobotDescription:
    return load_robot(str(path))


def load_elsewhere(path: Path) -> RobotDescription:
    return load_foreign(path, 0, LIMITS)


BASE = link("base").replace('value="1.0"', 'value="MASS"')
INERTIA = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"
SDF_PART = "<include merge='true'><uri>b.sdf</uri></include>"
SDF_BASE = f"<link name='base'><inertial><mass>MASS</mass>{INERTIA}</inertial></link>"
NUMBERS = """<xacro:property name="numbers" value="${xacro.load_yaml('numbers.yaml')}"/>"""
FILES: dict[str, tuple[dict[str, str], str, str]] = {
    "urdf": ({}, "made.urdf", robot(BASE)),
    "part of xacro": (
        {"made.xacro": f'<robot name="made" {XACRO}><xacro:include filename="parts.xacro"/><xacro:base/></robot>'},
        "parts.xacro",
        f'<robot name="parts" {XACRO}><xacro:macro name="base">{BASE}</xacro:macro></robot>',
    ),
    "values of xacro": (
        {"made.xacro": f'<robot name="made" {XACRO}>{NUMBERS}{BASE.replace("MASS", "${numbers.mass}")}</robot>'},
        "numbers.yaml",
        "mass: MASS",
    ),
    "model of yaml": ({"made.yaml": "model: made.urdf"}, "made.urdf", robot(BASE)),
    "base of yaml": (
        {"made.yaml": "based_on: ./base.yaml", **{f"{m}.urdf": robot(link("base", mass=m)) for m in (2.0, 3.0)}},
        "base.yaml",
        "model: MASS.urdf",
    ),
    "part of mjcf": (
        {"made.xml": "<mujoco><worldbody><body><freejoint/><include file='base.xml'/></body></worldbody></mujoco>"},
        "base.xml",
        '<mujoco><geom size="0.1" mass="MASS"/></mujoco>',
    ),
    "part of sdf": (
        {"made.sdf": f"<sdf version='1.9'><model name='m'>{SDF_PART}</model></sdf>"},
        "b.sdf",
        f"<sdf version='1.9'><model name='b'>{SDF_BASE}</model></sdf>",
    ),
    "part of rsg": (
        {"made.rsg": "(RSG 0 1)((nd Transform (importScene base.rsg)))"},
        "base.rsg",
        "(RSG 0 1)((nd RigidBody (setName base)(setSphereTotal MASS 0.1)))",
    ),
}
"""Files that stay, the first of which is the robot's, and name and text of the one that is edited."""


@pytest.mark.parametrize("what", FILES)
def test_a_robot_has_the_mass_that_its_files_say_now(tmp_path: Path, what: str) -> None:
    if "mjcf" in what:
        pytest.importorskip("mujoco")
    kept, edited, text = FILES[what]
    for name, content in kept.items():
        write(tmp_path, content, name)
    path = tmp_path / next(iter(kept), edited)
    load = load_here if path.suffix in (".urdf", ".xacro", ".yaml") else load_elsewhere
    for mass in (2.0, 3.0):
        write(tmp_path, text.replace("MASS", str(mass)), edited)
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
