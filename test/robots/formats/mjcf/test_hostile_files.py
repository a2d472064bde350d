"""MJCF files that want too much, or what is not theirs: refused before MuJoCo sees them, or by it, in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.formats import read_format
from test.robots.formats.hostile import assert_refused

pytest.importorskip("mujoco")

GEOM = '<geom size="0.1"/>'
REPLICATED = f'<replicate count="1000">{GEOM}</replicate>'
SECONDS = 5.0
"""Processor time of this process within which a file is refused; importing MuJoCo is not counted."""


def world(content: str) -> str:
    return f"<mujoco><worldbody>\n{content}\n</worldbody></mujoco>"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<mujoco>\n<include file='robot.xml'/></mujoco>", r"robot\.xml:2: <include>: the files include each other"),
        (
            "<mujoco><include file='../secret.xml'/></mujoco>",
            r"robot\.xml:1: <include>: '\.\./secret\.xml' lies neither",
        ),
        ("<mujoco><include file='none.xml'/></mujoco>", r"robot\.xml:1: <include>: there is no file 'none\.xml'"),
        ("<mujoco><asset>\n<mesh file='/etc/passwd'/></asset></mujoco>", r"robot\.xml:2: <mesh>: '/etc/passwd' lies"),
        ("<mujoco><compiler meshdir='..'/><asset><mesh file='secret.xml'/></asset></mujoco>", "lies neither"),
        ("<mujoco><asset><hfield file='a\0b'/></asset></mujoco>", "not well-formed"),
        ("<mujoco><extension><plugin file='x.so'/></extension></mujoco>", "files are read for meshes"),
        ("<!DOCTYPE m [<!ENTITY a 'aaaa'>]><mujoco model='&a;'/>", "<!DOCTYPE>"),
        ("<body>" * 200, "more than 100 elements within one another"),
        ("<robot/>", r"robot\.xml:1: an MJCF document starts with <mujoco>, this one with <robot>"),
        (world(f'<replicate count="1000">\n{REPLICATED}</replicate>'), r"robot\.xml:3: the model has more than 2560"),
        (world('<composite type="cable" count="9 1 1"/>'), r"robot\.xml:2: <composite>: robots have no soft"),
        (world(f"<body>{GEOM}</body>" * 10_000), "the model has more than 2560 bodies, geoms and sites"),
        (world('<body><geom size="nan"/></body>'), "MuJoCo refuses it"),
        (
            world(f'<body>\n<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>{GEOM}</body>'),
            r"robot\.xml:3: <inertial>: mass='-1' is negative",
        ),
        (world('<body><joint/>\n<inertial pos="0 0 0" mass="1" diaginertia="9 1 1"/></body>'), "inertia"),
        ("<mujoco", "not well-formed XML"),
        ("", "not well-formed XML"),
    ],
)
def test_a_hostile_file_is_refused_with_file_line_and_reason(tmp_path: Path, text: str, told: str) -> None:
    assert_refused(tmp_path, "robot.xml", text, told, secret="<mujoco/>", seconds=SECONDS)


def test_a_warning_of_mujoco_is_noted_and_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "robot.xml"
    path.write_text(world(f"<body><freejoint/>{GEOM}<site user='nan'/></body>"), encoding="utf-8")
    report = read_format(path, 0, LimitSettings()).report
    assert [path.name for path in tmp_path.iterdir()] == ["robot.xml"]
    assert report.counts()["approximated"] >= 1
