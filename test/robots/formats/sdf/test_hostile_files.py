"""SDF files that want too much, or what is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.formats import read_format
from test.robots.formats.hostile import assert_refused

LINK = "<link name='a'/>"
MESH = "<link name='a'><visual name='v'><geometry><mesh>\n<uri>{}</uri></mesh></geometry></visual></link>"
SECONDS = 1.0
"""Processor time of this process within which a file is refused."""


def model(content: str) -> str:
    return f"<sdf version='1.9'>\n<model name='m'>\n{content}\n</model></sdf>"


def nested(depth: int) -> str:
    return "".join(f"<model name='m{n}'>" for n in range(depth)) + LINK + "</model>" * depth


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (model("<include><uri>robot.sdf</uri></include>"), r"robot\.sdf:3: <include>: the files include each other"),
        (model("<include><uri>../secret.sdf</uri></include>"), r"robot\.sdf:3: <include>: .* lies neither"),
        (model("<include><uri>model://secret</uri></include>"), r"robot\.sdf:3: <include>: 'model://secret' lies"),
        (model("<include><uri>model://../secret.sdf</uri></include>"), "lies neither"),
        (model("<include><uri>http://there</uri></include>"), "http.*is not supported"),
        (model(MESH.format("/etc/passwd")), r"robot\.sdf:3: <mesh>: '/etc/passwd' lies neither"),
        (model(""), "there is no body in it"),
        (
            model("<link name='a'>\n<inertial><mass>-1</mass></inertial></link>"),
            r":4: <inertial>: <mass> -1 is negative",
        ),
        (
            model("<link name='a'>\n<inertial><mass>nan</mass></inertial></link>"),
            r"robot\.sdf:4: <mass>: 'nan' must be a",
        ),
        (
            model("<link name='a'><pose>0 0 inf 0 0 0</pose></link>"),
            r"<pose>: '0 0 inf 0 0 0' must be 6 finite numbers",
        ),
        (
            model("<link name='a'><inertial>\n<inertia><ixx>-1</ixx></inertia></inertial></link>"),
            r"robot\.sdf:4: <inertia>: must be positive definite",
        ),
        (model("".join(f"<link name='l{n}'/>" for n in range(3000))), "has more than 2560 links; max_links allows 128"),
        (model(nested(20)), "more than 10 models lie within one another"),
        (model("<model name='x'>" * 200), "more than 100 elements within one another"),
        (
            model(
                f"{LINK}<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='f'/></frame>"
                "<link name='b'><pose relative_to='f'/></link>"
            ),
            r"robot\.sdf:2: <model> 'm': the poses of .* are relative to each other in a circle",
        ),
        (model(f"{LINK}<link name='a'/>"), r"robot\.sdf:3: <link> 'a': the name is used twice"),
        (
            model(f"{LINK}<joint name='j' type='fixed'><parent>a</parent><child>z</child></joint>"),
            "no link or frame 'z'",
        ),
        ("<sdf version='1.2'/>", "version 1.2 is older than 1.4"),
        ("<sdf version='x'/>", "version='x' must be like 1.9"),
        ("<!DOCTYPE s [<!ENTITY a 'aaaa'>]><sdf version='1.9'/>", "<!DOCTYPE>"),
        ("<robot/>", r"robot\.sdf:1: .*an SDF document starts with <sdf>, this one with <robot>"),
    ],
)
def test_a_hostile_file_is_refused_with_file_line_and_reason(tmp_path: Path, text: str, told: str) -> None:
    assert_refused(tmp_path, "robot.sdf", text, told, secret=model(LINK), seconds=SECONDS)


def test_includes_that_multiply_are_refused(tmp_path: Path) -> None:
    for level in range(6):
        includes = "".join(f"<include><uri>{level + 1}.sdf</uri><name>n{n}</name></include>" for n in range(9))
        (tmp_path / f"{level}.sdf").write_text(model(includes), encoding="utf-8")
    (tmp_path / "6.sdf").write_text(model(LINK), encoding="utf-8")
    with pytest.raises(UserError, match="the robot is made of more than 50 files"):
        read_format(tmp_path / "0.sdf", 0, LimitSettings())
