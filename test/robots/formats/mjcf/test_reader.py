"""What a robot in MJCF becomes."""

import math
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.model import ArticulatedModel, JointKind
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.files.reading import describe

pytest.importorskip("mujoco")

LIMITS = LimitSettings()
BALL = '<geom size="0.1" density="1000"/>'


def imported(folder: Path, body: str, rest: str = "", robot: str = "") -> Imported:
    path = folder / "robot.xml"
    path.write_text(f"<mujoco model='m'>{robot}<worldbody>\n{body}\n</worldbody>{rest}</mujoco>", encoding="utf-8")
    return read_format(path, 0, LIMITS)


def model(folder: Path, body: str, rest: str = "", robot: str = "") -> ArticulatedModel:
    read = imported(folder, body, rest, robot)
    return describe(folder / "robot.xml", read.document, read.urdf, 0).model


def test_masses_come_from_geoms_and_angles_from_the_compiler(tmp_path: Path) -> None:
    limb = f'<body name="b" pos="0 0 1" euler="0 90 0"><joint name="j" range="-90 45"/>{BALL}</body>'
    robot = model(tmp_path, f'<body name="a"><freejoint/>{BALL}{limb}</body>', robot='<compiler angle="degree"/>')
    assert robot.base.mass == pytest.approx(1000.0 * 4.0 / 3.0 * math.pi * 0.1**3)
    (joint,) = robot.joints
    assert (joint.lower, joint.upper) == pytest.approx((-math.pi / 2.0, math.pi / 4.0))
    assert joint.rpy[1] == pytest.approx(math.pi / 2.0)


def test_several_hinges_of_a_body_become_a_chain_that_weighs_as_much(tmp_path: Path) -> None:
    hinges = '<joint name="x" axis="1 0 0" pos="0 0 0.1"/><joint name="y" axis="0 1 0"/>'
    read = imported(tmp_path, f'<body name="a"><freejoint/>{BALL}<body name="b">{hinges}{BALL}</body></body>')
    robot = describe(tmp_path / "robot.xml", read.document, read.urdf, 0).model
    assert [(one.parent, one.child) for one in robot.joints] == [("a", "b_x"), ("b_x", "b")]
    assert robot.joints[0].position == pytest.approx((0.0, 0.0, 0.1))
    assert robot.mass == pytest.approx(2.0 * robot.base.mass)
    assert "robot.xml: approximated body 'b': its 2 joints become a chain" in "\n".join(read.report.lines())


def test_a_ball_joint_becomes_three_hinges(tmp_path: Path) -> None:
    limb = f'<body name="b"><joint name="j" type="ball" range="0 60"/>{BALL}</body>'
    robot = model(tmp_path, f'<body name="a"><freejoint/>{BALL}{limb}</body>', robot='<compiler angle="degree"/>')
    assert [joint.name for joint in robot.joints] == ["j_x", "j_y", "j_z"]
    assert [joint.axis for joint in robot.joints] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert {round(joint.upper, 9) for joint in robot.joints} == {round(math.pi / 3.0, 9)}


def test_stops_count_from_the_pose_of_the_file_not_from_the_reference(tmp_path: Path) -> None:
    limb = f'<body><joint name="j" type="slide" ref="0.2" range="0 0.5"/>{BALL}</body>'
    (joint,) = model(tmp_path, f"<body><freejoint/>{BALL}{limb}</body>").joints
    assert joint.kind is JointKind.PRISMATIC
    assert (joint.lower, joint.upper) == pytest.approx((-0.2, 0.3))


LIMIT = 'actuatorfrcrange="-88 88"'


@pytest.mark.parametrize(
    ("actuator", "limit", "effort", "speed"),
    [
        ('<motor joint="j" gear="-20" ctrlrange="-0.5 0.4"/>', "", 10.0, 10.0),
        ('<motor joint="j" forcerange="-3 4" gear="2"/>', "", 8.0, 10.0),
        ('<position joint="j" kp="100" forcerange="-5 5"/>', "", 5.0, 10.0),
        ('<position joint="j" kp="100" ctrlrange="-0.1 0.2"/>', "", 30.0, 10.0),
        ('<velocity joint="j" kv="100" forcerange="-5 5" ctrlrange="-3 3" gear="2"/>', "", 10.0, 1.5),
        ('<motor joint="j" ctrlrange="-1 1"/><motor joint="j" ctrlrange="-9 9"/>', "", 9.0, 10.0),
        # The limit of a joint bounds its actuators.
        ('<motor joint="j"/>', LIMIT, 88.0, 10.0),
        ('<motor joint="j" gear="3"/>', LIMIT, 88.0, 10.0),
        ('<motor joint="j" ctrlrange="-20 20" gear="2"/>', LIMIT, 40.0, 10.0),
        ('<motor joint="j" ctrlrange="-90 90"/>', LIMIT, 88.0, 10.0),
        ('<motor joint="j" forcerange="-5 5"/>', LIMIT, 5.0, 10.0),
        ('<position joint="j" kp="10"/>', LIMIT, 88.0, 10.0),
    ],
)
@pytest.mark.parametrize("by_class", [False, True])
def test_actuators_and_joints_say_how_strong_a_motor_is(
    tmp_path: Path, actuator: str, limit: str, effort: float, speed: float, by_class: bool
) -> None:
    rest = f"<default><joint {limit}/></default>" if by_class else ""
    body = f'<body><freejoint/>{BALL}<body><joint name="j" {"" if by_class else limit}/>{BALL}</body></body>'
    (joint,) = model(tmp_path, body, f"{rest}<actuator>{actuator}</actuator>").joints
    assert (joint.max_effort, joint.max_velocity) == pytest.approx((effort, speed))


def test_a_joint_without_an_actuator_has_no_motor_and_keeps_its_damping(tmp_path: Path) -> None:
    body = f'<body><freejoint/>{BALL}<body><joint name="j" damping="0.3" frictionloss="0.2"/>{BALL}</body></body>'
    read = imported(tmp_path, body)
    (joint,) = describe(tmp_path / "robot.xml", read.document, read.urdf, 0).model.joints
    assert (joint.max_effort, joint.damping, joint.friction) == (0.0, 0.3, 0.2)
    assert read.document["effectors"] == []


def test_the_joint_with_the_motor_leads_in_a_coupling(tmp_path: Path) -> None:
    fingers = "".join(f'<body><joint name="{name}"/>{BALL}</body>' for name in "ab")
    rest = (
        '<actuator><motor joint="a" ctrlrange="-1 1"/></actuator>'
        '<equality><joint joint1="a" joint2="b" polycoef="0.5 2 0 0 0"/></equality>'
    )
    leader, follower = model(tmp_path, f"<body><freejoint/>{BALL}{fingers}</body>", rest).joints
    assert leader.mimic is None
    assert follower.mimic is not None
    assert (follower.mimic.joint, follower.mimic.multiplier, follower.mimic.offset) == ("a", 0.5, -0.25)


def test_what_ties_a_walker_to_its_plane_is_dropped_and_what_drives_a_cart_is_not(tmp_path: Path) -> None:
    plane = '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide"/><joint name="y"/>'
    read = imported(tmp_path, f"<body>{plane}{BALL}<body><joint name='j'/>{BALL}</body></body>")
    assert [name for entry in read.document["perceptors"] for name in entry.get("joints", ())] == ["j"]
    cart = f'<body name="cart"><joint name="x" type="slide" axis="1 0 0"/>{BALL}</body>'
    robot = model(tmp_path, cart, '<actuator><motor joint="x" ctrlrange="-1 1"/></actuator>')
    assert [link.name for link in robot.links] == ["world", "cart"]
    assert robot.fixed_base


def test_the_largest_tree_is_the_robot(tmp_path: Path) -> None:
    read = imported(
        tmp_path,
        f"<body name='crate'><freejoint/>{BALL}{BALL}</body>\n"
        f"<body name='a'><freejoint/>{BALL}<body name='b'><joint/>{BALL}</body></body>",
    )
    assert "robot.xml:2: dropped body 'crate': it is not part of the robot" in read.report.lines()


def test_a_rangefinder_looks_along_the_z_of_its_site(tmp_path: Path) -> None:
    site = '<site name="s" pos="0 0 0.1" euler="0 0 90"/>'
    robot = model(tmp_path, f"<body>{BALL}{site}</body>", '<sensor><rangefinder site="s"/></sensor>')
    (frame,) = robot.frames
    assert frame.name == "s_ray"
    assert frame.position == pytest.approx((0.0, 0.0, 0.1))
    assert frame.rpy[1] == pytest.approx(-math.pi / 2.0)


def test_a_camera_looks_where_mujoco_has_it_look(tmp_path: Path) -> None:
    read = imported(tmp_path, f'<body>{BALL}<camera name="c" fovy="60" resolution="400 200"/></body>')
    robot = describe(tmp_path / "robot.xml", read.document, read.urdf, 0)
    camera = next(one for one in robot.perceptors if one.kind == "camera")
    across = 2.0 * math.degrees(math.atan(2.0 * math.tan(math.radians(30.0))))
    assert camera.parameters["horizontal_fov_deg"] == pytest.approx(across)
    frame = next(one for one in robot.model.frames if one.name == "c")
    # Downwards, along -z of the body.
    assert frame.rpy[1] == pytest.approx(math.pi / 2.0)


def test_a_mesh_keeps_the_place_that_its_file_has(tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (1.0, 1.4) for y in (0.0, 0.2) for z in (0.0, 0.3)]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    (tmp_path / "block.obj").write_text("\n".join(lines), encoding="utf-8")
    body = '<body><freejoint/><geom type="mesh" mesh="block" pos="0 0 1"/></body>'
    robot = model(tmp_path, body, robot='<asset><mesh file="block.obj"/></asset>')
    (shape,) = robot.base.collisions
    assert np.array(shape.position) == pytest.approx([1.2, 0.1, 1.15], abs=1e-6)
    assert sorted(shape.size) == pytest.approx([0.2, 0.3, 0.4], abs=1e-6)


def test_without_mujoco_the_reader_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(RobotError, match=r"MuJoCo, which is not installed: pip install 'simspark_ros\[mujoco\]'"):
        imported(tmp_path, f"<body>{BALL}</body>")
