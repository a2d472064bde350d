"""Files in any format and encoding: read as what they show, with a report of each part, or refused by all readers."""

import codecs
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from simspark_ros.configuration.schema import build, plain
from simspark_ros.robots.catalogue import body_rules, load_robot, variants
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.foreign import load_foreign, load_foreign_text
from simspark_ros.robots.files.formats import ending_of, read_format
from simspark_ros.robots.files.report import MAX_NOTES, ImportReport, Verdict
from simspark_ros.robots.files.xml_text import read_xml, xml_text
from simspark_ros.robots.formats.mjcf.sources import check_sources
from test.physics.engine_availability import skip_without
from test.rigs.robots.driven import drive_all
from test.robots.formats.adaptation.makers import LIMITS, box, link, mesh, robot, write, write_mesh

SAMPLES = Path(__file__).parents[2] / "data" / "robots"
HALF_OF_A_FINGER = 0.015
"""Least way of a joint that is driven for half a second each way, rad or m: the finger slides by 0.04 m in all."""


@pytest.mark.parametrize("name", ["quadruped.xml", "arm.xml", "rover.sdf", "rsg/crawler/crawler.rsg"])
def test_every_joint_of_a_foreign_robot_moves_and_its_sensors_sense(play, engine: str, name: str) -> None:
    skip_without("mujoco")
    description = load_foreign(SAMPLES / name, 0, LIMITS)
    driven = drive_all(play(engine=engine).simulation, description)
    still = [joint for joint, way in driven.moved.items() if way < HALF_OF_A_FINGER]
    assert (still, driven.bad_values) == ([], 0)
    assert description.report.counts()["understood"] > 10


def test_a_text_is_read_in_the_format_that_it_shows_within_the_limits() -> None:
    skip_without("mujoco")
    named = {
        "<robot/>": ".urdf",
        "<!-- an <sdf> --><mujoco/>": ".xml",
        "<?xml version='1.0'?>\n<sdf version='1.9'/>": ".sdf",
        "; a scene\n(RSG 0 1) ()": ".rsg",
        "model: a.urdf": ".yaml",
    }
    assert {text: ending_of(text) for text in named} == named
    # An expression that looks for the ends of comments takes minutes.
    assert ending_of("<!--" * 200_000 + "<sdf/>") == ".sdf"
    text = (SAMPLES / "quadruped.xml").read_text(encoding="utf-8")
    assert load_foreign_text(text, LIMITS).model == load_foreign(SAMPLES / "quadruped.xml", 0, LIMITS).model
    with pytest.raises(RobotError, match="has xacro in it, which is run for files only"):
        load_foreign_text(f'<robot name="r" {XACRO}><xacro:include filename="/own.xacro"/></robot>', LIMITS)
    with pytest.raises(RobotError, match=r"quadruped\.xml: the robot has 8 joints; max_joints allows 7"):
        load_foreign(SAMPLES / "quadruped.xml", 0, replace(LIMITS, max_joints=7))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("quadruped.xml", "robot 'quadruped' has no variant 3, only 0"),
        ("rover.sdf", "unknown type 3; the types are the file's models that move, 0 to 0"),
    ],
)
def test_types_that_a_format_or_file_does_not_have_are_refused(name: str, told: str) -> None:
    with pytest.raises(RobotError, match=f"{name}: {told}"):
        read_format(SAMPLES / name, 3, LIMITS)


def test_a_report_comes_back_from_its_text_and_notes_beyond_its_bound_are_counted_only() -> None:
    report = ImportReport()
    report.dropped("sensor 'gps'", "no such sensor here", "r.urdf", 3)
    again = build(ImportReport, json.loads(json.dumps(plain(report))), "report")
    assert again == report and again.notes[0].verdict is Verdict.DROPPED
    for _ in range(MAX_NOTES + 4):
        report.dropped("plugin")
    assert len(report.notes) == MAX_NOTES
    assert report.counts()["dropped"] == MAX_NOTES + 5
    assert report.lines()[-1] == "and 5 more"


DECLARED = '<?xml version="1.0" encoding="{}"?>\n'
ROBOT = (
    '<robot name="made"><!-- gr\u00f6\u00dfer --><link name="base"><inertial><mass value="5"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("ISO-8859-1", b""), ("windows-1252", b""), ("UTF-8", b""), ("UTF-8", codecs.BOM_UTF8), ("UTF-16", b"")],
)
def test_a_file_is_read_in_the_encoding_that_it_names(tmp_path: Path, encoding: str, mark: bytes) -> None:
    path = tmp_path / "made.urdf"
    path.write_bytes(mark + (DECLARED.format(encoding) + ROBOT).encode(encoding))
    assert xml_text(path).lstrip("\ufeff") == DECLARED.format("UTF-8") + ROBOT
    assert read_xml(path, LIMITS).tag == "robot"
    assert load_foreign(path, 0, LIMITS).model.base.mass == 5.0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (ROBOT.encode("latin-1"), "cannot be read as utf-8 text: .*; save the file as UTF-8"),
        ((DECLARED.format("klingon") + ROBOT).encode(), "its encoding 'klingon' is unknown; save the file as UTF-8"),
        ((DECLARED.format("hex") + ROBOT).encode(), "its encoding 'hex' is unknown"),
        ((DECLARED.format("utf-7") + ROBOT).encode(), "its encoding 'utf-7' is unknown"),
    ],
)
def test_other_files_are_refused_with_the_remedy(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "made.urdf").write_bytes(content)
    with pytest.raises(RobotError, match=problem):
        xml_text(tmp_path / "made.urdf")


def test_a_client_s_text_is_what_it_is_and_an_mjcf_file_is_checked_as_mujoco_reads_it(tmp_path: Path) -> None:
    for encoding in ("ISO-8859-1", "UTF-16", "UTF-8"):
        robot = load_foreign_text(DECLARED.format(encoding) + ROBOT.replace('"base"', '"b\u00e4se"'), LIMITS)
        assert robot.model.base.name == "b\u00e4se"
    # MuJoCo ignores what a file declares: nothing may be hidden from the check that MuJoCo sees.
    skip_without("mujoco")
    hidden = '<mujoco><compiler meshdir="+AC8APgA8ACEALQAt-"/><include file="/etc/hostname"/><!-- --></mujoco>'
    path = tmp_path / "made.xml"
    path.write_text(DECLARED.format("utf-7") + hidden, encoding="utf-8")
    with pytest.raises(RobotError, match=r"made\.xml:2: <include>: '/etc/hostname' lies neither in the model's folder"):
        check_sources(path, LIMITS)


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


def test_a_missing_picture_is_seen_when_it_comes_and_types_are_those_of_the_file_now(tmp_path: Path) -> None:
    path = write(tmp_path, robot(link("base", mesh("part.stl", "visual"))))
    assert not load_here(path).model.base.surfaces
    write_mesh(tmp_path / "part.stl")
    assert load_here(path).model.base.surfaces
    write(tmp_path, robot(link("base")))
    for count in (1, 3):
        path = write(
            tmp_path, f"model: made.urdf\nvariants: { ({number: {} for number in range(count)}) }", "made.yaml"
        )
        assert variants(str(path)) == tuple(body_rules(str(path)).variants) == tuple(range(count))
