"""Files of other formats that want too much, or what is not theirs: refused soon, with file, line and reason."""

import time
from pathlib import Path

import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.formats import read_format
from test.physics.engine_availability import skip_without

SECONDS = {"xml": 5.0, "rsg": 5.0, "sdf": 1.0}
"""Processor time of this process within which a file is refused; importing MuJoCo is not counted."""

GEOM = '<geom size="0.1"/>'
REPLICATED = f'<replicate count="1000">{GEOM}</replicate>'
BODY = "(nd RigidBody (setSphereTotal 1 1))"
LINK = "<link name='a'/>"
LIGHT = '<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'
NEGATIVE = "<inertia><ixx>-1</ixx></inertia>"
ENDS = "<parent>a</parent><child>z</child>"
CIRCLE = "".join(f"<frame name='{a}'><pose relative_to='{b}'/></frame>" for a, b in ("fg", "gf"))
CIRCLE += "<link name='b'><pose relative_to='f'/></link>"
MESH = "<link name='a'><collision name='v'><geometry><mesh>\n<uri>{}</uri></mesh></geometry></collision></link>"


def world(content: str) -> str:
    return f"<mujoco><worldbody>\n{content}\n</worldbody></mujoco>"


def scene(content: str) -> str:
    return f"(RSG 0 1)\n(\n{content}\n)"


def sdf(content: str) -> str:
    return f"<sdf version='1.9'>\n<model name='m'>\n{content}\n</model></sdf>"


def nested(depth: int) -> str:
    return "".join(f"<model name='m{n}'>" for n in range(depth)) + LINK + "</model>" * depth


SECRETS = {"xml": "<mujoco/>", "rsg": scene(BODY), "sdf": sdf(LINK)}
"""Robots that lie beside the folder of the file, and are none of its own."""

HOSTILE = {
    "xml": [
        ("<mujoco>\n<include file='robot.xml'/></mujoco>", r":2: <include>: the files include each other"),
        ("<mujoco><include file='../secret.xml'/></mujoco>", r":1: <include>: '\.\./secret\.xml' lies neither"),
        ("<mujoco><include file='none.xml'/></mujoco>", r":1: <include>: there is no file 'none\.xml'"),
        ("<mujoco><asset>\n<mesh file='/etc/passwd'/></asset></mujoco>", r":2: <mesh>: '/etc/passwd' lies"),
        ("<mujoco><compiler meshdir='..'/><asset><mesh file='secret.xml'/></asset></mujoco>", "lies neither"),
        ("<mujoco><asset><hfield file='a\0b'/></asset></mujoco>", "not well-formed"),
        ("<mujoco><extension><plugin file='x.so'/></extension></mujoco>", "only meshes, textures"),
        ("<!DOCTYPE m [<!ENTITY a 'aaaa'>]><mujoco model='&a;'/>", "<!DOCTYPE>"),
        ("<body>" * 200, "elements are nested more than 100 deep"),
        ("<robot/>", r":1: an MJCF document starts with <mujoco>, this one with <robot>"),
        (world(f'<replicate count="1000">\n{REPLICATED}</replicate>'), r":3: the model has more than 2560"),
        (world('<composite type="cable" count="9 1 1"/>'), r":2: <composite>: soft and composed"),
        (world(f"<body>{GEOM}</body>" * 10_000), "the model has more than 2560 bodies, geoms and sites"),
        (world('<body><geom size="nan"/></body>'), "MuJoCo refuses the file"),
        (world(f"<body>\n{LIGHT}{GEOM}</body>"), r":3: <inertial>: mass='-1' is negative"),
        (world('<body><joint/>\n<inertial pos="0 0 0" mass="1" diaginertia="9 1 1"/></body>'), "inertia"),
        ("", "not well-formed XML"),
    ],
    "rsg": [
        (scene("(importScene robot.rsg)"), r":3: importScene: more than 20 files import one another"),
        (scene("(importScene robot.rsg) (importScene robot.rsg)"), r"more than 20 files|more than 25600 expressions"),
        (scene("(importScene ../secret.rsg)"), r":3: importScene: '\.\./secret\.rsg' lies neither"),
        (scene("(importScene /etc/passwd)"), "'/etc/passwd' lies neither"),
        (scene("(importScene none.rsg)"), r":3: importScene: there is no file 'none\.rsg'"),
        (scene(f"{BODY}\n(def $a (eval system('x')))"), r":4: \(eval system x\)|robot\.rsg:4: "),
        (scene('(def $a (eval "`ls`"))'), r":3: \(eval `ls`\): is not a sum or product"),
        (scene(f"(nd Transform (setLocalPos 0 nan 0) {BODY})"), "holds numbers that are not finite"),
        (scene("(nd RigidBody\n(setBoxTotal -1 1 1 1))"), r":4: \(setBoxTotal \.\.\.\): mass and sizes must be"),
        (scene("(nd RigidBody\n(setBoxTotal x 1 1 1))"), r":4: \(setBoxTotal x 1 1 1\): needs 4 numbers"),
        (scene("(nd RigidBody)"), r":3: RigidBody .*has no mass"),
        (scene("(nd Transform (setLocalPos $x 0 0))"), r":3: \$x is not defined"),
        (scene("(templ $a $b)"), r":3: the file needs 2 arguments \(\$a \$b\), not 1"),
        (scene("(nd Transform)"), "the file has no RigidBody"),
        (scene("(nd Space)" * 30_000), "more than 25600 expressions; max_links allows no more"),
        ("(" * 5000, r":1: lists are nested more than 100 deep"),
        (scene("(nd Transform"), "a bracket is not closed"),
        (scene("))"), "a closing bracket has no opening bracket"),
        (scene("(setName 'x)"), "a quote is not closed"),
        ("", "starts with"),
    ],
    "sdf": [
        (sdf("<include><uri>robot.sdf</uri></include>"), r":3: <include>: the files include each other"),
        (sdf("<include><uri>../secret.sdf</uri></include>"), r":3: <include>: .* lies neither"),
        (sdf("<include><uri>model://secret</uri></include>"), r":3: <include>: 'model://secret' lies"),
        (sdf("<include><uri>http://there</uri></include>"), "http.*is not supported"),
        (sdf(MESH.format("/etc/passwd")), r":3: <mesh>: '/etc/passwd' lies neither"),
        (sdf(""), "the file has no body"),
        (sdf("<link name='a'>\n<inertial><mass>-1</mass></inertial></link>"), r":4: <inertial>: <mass> -1 is negative"),
        (sdf("<link name='a'>\n<inertial><mass>nan</mass></inertial></link>"), r":4: <mass>: 'nan' must be a"),
        (sdf("<link name='a'><pose>0 0 inf 0 0 0</pose></link>"), r"<pose>: '0 0 inf 0 0 0' must be 6 finite numbers"),
        (sdf(f"<link name='a'><inertial>\n{NEGATIVE}</inertial></link>"), ":4: <inertia>: must be positive definite"),
        (sdf("".join(f"<link name='l{n}'/>" for n in range(3000))), "has more than 2560 links; max_links allows 128"),
        (sdf(nested(20)), "models are nested more than 10 deep"),
        (sdf(LINK + CIRCLE), r":2: <model> 'm': the poses of .* are relative to each other in a circle"),
        (sdf(f"{LINK}<link name='a'/>"), r":3: <link> 'a': the name is used twice"),
        (sdf(f"{LINK}<joint name='j' type='fixed'>{ENDS}</joint>"), "unknown link or frame 'z'"),
        ("<sdf version='x'/>", "version='x' must be like 1.9"),
        ("<sdf version='1.2'/>", "version 1.2 is older than 1.4"),
        ("<robot/>", r":1: .*an SDF document starts with <sdf>, this one with <robot>"),
    ],
}


@pytest.mark.parametrize(("ending", "text", "told"), [(one, *case) for one in HOSTILE for case in HOSTILE[one]])
def test_a_hostile_file_is_refused_with_file_line_and_reason(tmp_path: Path, ending: str, text: str, told: str) -> None:
    if ending == "xml":
        skip_without("mujoco")
    (tmp_path / f"secret.{ending}").write_text(SECRETS[ending], encoding="utf-8")
    path = tmp_path / "robots" / f"robot.{ending}"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(UserError, match=told) as caught:
        read_format(path, 0, LimitSettings())
    assert time.process_time() - start < SECONDS[ending]
    assert (path.name + ":" if told.startswith(":") else path.name) in str(caught.value)


def test_includes_that_multiply_are_refused(tmp_path: Path) -> None:
    for level in range(6):
        includes = "".join(f"<include><uri>{level + 1}.sdf</uri><name>n{n}</name></include>" for n in range(9))
        (tmp_path / f"{level}.sdf").write_text(sdf(includes), encoding="utf-8")
    (tmp_path / "6.sdf").write_text(sdf(LINK), encoding="utf-8")
    with pytest.raises(UserError, match="the robot is made of more than 50 files"):
        read_format(tmp_path / "0.sdf", 0, LimitSettings())


def test_a_warning_of_mujoco_is_noted_and_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without("mujoco")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "robot.xml"
    path.write_text(world(f"<body><freejoint/>{GEOM}<site user='nan'/></body>"), encoding="utf-8")
    report = read_format(path, 0, LimitSettings()).report
    assert [path.name for path in tmp_path.iterdir()] == ["robot.xml"]
    assert report.counts()["approximated"] >= 1
