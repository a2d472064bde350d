"""XML files in any encoding that they declare."""

import codecs
from pathlib import Path

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign, load_foreign_text
from simspark_ros.robots.files.xml_text import read_xml, xml_text
from simspark_ros.robots.formats.mjcf.sources import check_sources
from test.physics.engine_availability import skip_without

LIMITS = LimitSettings(robot_file_time=60.0)
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
    robot = load_foreign(path, 0, LIMITS)
    assert robot.model.base.mass == 5.0


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
    path = tmp_path / "made.urdf"
    path.write_bytes(content)
    with pytest.raises(RobotError, match=problem):
        xml_text(path)


def test_a_client_s_text_is_what_it_is_whatever_it_declares() -> None:
    for encoding in ("ISO-8859-1", "UTF-16", "UTF-8"):
        robot = load_foreign_text(DECLARED.format(encoding) + ROBOT.replace('"base"', '"b\u00e4se"'), LIMITS)
        assert robot.model.base.name == "b\u00e4se"


def test_an_mjcf_file_is_checked_as_mujoco_reads_it(tmp_path: Path) -> None:
    """MuJoCo ignores what a file declares: nothing may be hidden from the check that MuJoCo sees."""
    skip_without("mujoco")
    hidden = '<mujoco><compiler meshdir="+AC8APgA8ACEALQAt-"/><include file="/etc/hostname"/><!-- --></mujoco>'
    path = tmp_path / "made.xml"
    path.write_text(DECLARED.format("utf-7") + hidden, encoding="utf-8")
    with pytest.raises(RobotError, match=r"made\.xml:2: <include>: '/etc/hostname' lies neither in the model's folder"):
        check_sources(path, LIMITS)
