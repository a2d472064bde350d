"""Robots in MJCF: what they become, and what names and text of the 3D league's mean since 2026."""

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

import mujoco

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.league_models import MODELS_VARIABLE, league_models
from simspark_ros.configuration.library import PROFILES
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.model import ArticulatedModel, JointKind, Mimic
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.files.reading import describe, read_robot
from test.robots.formats.adaptation.makers import box, write_mesh

BALL = '<geom size="0.1" density="1000"/>'


def imported(folder: Path, body: str, rest: str = "", robot: str = "") -> Imported:
    path = folder / "robot.xml"
    path.write_text(f"<mujoco model='m'>{robot}<worldbody>\n{body}\n</worldbody>{rest}</mujoco>", encoding="utf-8")
    return read_format(path, 0, LimitSettings())


def described(folder: Path, body: str, rest: str = "", robot: str = "") -> RobotDescription:
    read = imported(folder, body, rest, robot)
    return describe(folder / "robot.xml", read.document, read.urdf, 0, report=read.report)


def model(folder: Path, body: str, rest: str = "", robot: str = "") -> ArticulatedModel:
    return described(folder, body, rest, robot).model


def test_masses_angles_ball_joints_missing_actuators_and_stops_are_read(tmp_path: Path) -> None:
    limb = f'<body name="b" pos="0 0 1" euler="0 90 0"><joint name="j" range="-90 45"/>{BALL}</body>'
    robot = model(tmp_path, f'<body name="a"><freejoint/>{BALL}{limb}</body>', robot='<compiler angle="degree"/>')
    assert robot.base.mass == pytest.approx(1000.0 * 4.0 / 3.0 * math.pi * 0.1**3)
    (joint,) = robot.joints
    assert (joint.lower, joint.upper) == pytest.approx((-math.pi / 2.0, math.pi / 4.0))
    assert joint.rpy[1] == pytest.approx(math.pi / 2.0)
    limb = f'<body name="b"><joint name="j" type="ball" range="0 60"/>{BALL}</body>'
    robot = model(tmp_path, f'<body name="a"><freejoint/>{BALL}{limb}</body>', robot='<compiler angle="degree"/>')
    axes = [(joint.name, joint.axis) for joint in robot.joints]
    assert axes == [("j_x", (1, 0, 0)), ("j_y", (0, 1, 0)), ("j_z", (0, 0, 1))]
    assert {round(joint.upper, 9) for joint in robot.joints} == {round(math.pi / 3.0, 9)}
    body = f'<body><freejoint/>{BALL}<body><joint name="j" damping="0.3" frictionloss="0.2"/>{BALL}</body></body>'
    free = described(tmp_path, body)
    (joint,) = free.model.joints
    assert (joint.max_effort, joint.damping, joint.friction, free.effectors) == (0.0, 0.3, 0.2, ())
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
def test_how_strong_a_motor_is(
    tmp_path: Path, actuator: str, limit: str, effort: float, speed: float, by_class: bool
) -> None:
    rest = f"<default><joint {limit}/></default>" if by_class else ""
    body = f'<body><freejoint/>{BALL}<body><joint name="j" {"" if by_class else limit}/>{BALL}</body></body>'
    (joint,) = model(tmp_path, body, f"{rest}<actuator>{actuator}</actuator>").joints
    assert (joint.max_effort, joint.max_velocity) == pytest.approx((effort, speed))


def test_what_ties_a_walker_is_dropped_what_drives_a_cart_is_not_and_motors_lead_in_couplings(tmp_path: Path) -> None:
    plane = '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide"/><joint name="y"/>'
    read = imported(tmp_path, f"<body>{plane}{BALL}<body><joint name='j'/>{BALL}</body></body>")
    assert [name for entry in read.document["perceptors"] for name in entry.get("joints", ())] == ["j"]
    cart = f'<body name="cart"><joint name="x" type="slide" axis="1 0 0"/>{BALL}</body>'
    robot = model(tmp_path, cart, '<actuator><motor joint="x" ctrlrange="-1 1"/></actuator>')
    assert ([link.name for link in robot.links], robot.fixed_base) == (["world", "cart"], True)
    fingers = "".join(f'<body><joint name="{name}"/>{BALL}</body>' for name in "ab")
    rest = '<actuator><motor joint="a" ctrlrange="-1 1"/></actuator>'
    rest += '<equality><joint joint1="a" joint2="b" polycoef="0.5 2 0 0 0"/></equality>'
    leader, follower = model(tmp_path, f"<body><freejoint/>{BALL}{fingers}</body>", rest).joints
    assert (leader.mimic, follower.mimic) == (None, Mimic("a", 0.5, -0.25))


def test_the_largest_tree_is_the_robot_rangefinders_look_along_z_and_hinges_become_chains(tmp_path: Path) -> None:
    crate = f"<body name='crate'><freejoint/>{BALL}{BALL}</body>\n"
    read = imported(tmp_path, f"{crate}<body name='a'><freejoint/>{BALL}<body name='b'><joint/>{BALL}</body></body>")
    assert "robot.xml:2: dropped body 'crate': it is not part of the robot" in read.report.lines()
    site = '<site name="s" pos="0 0 0.1" euler="0 0 90"/>'
    robot = model(tmp_path, f"<body>{BALL}{site}</body>", '<sensor><rangefinder site="s"/></sensor>')
    (frame,) = robot.frames
    assert (frame.name, frame.position) == ("s_ray", pytest.approx((0.0, 0.0, 0.1)))
    assert frame.rpy[1] == pytest.approx(-math.pi / 2.0)
    hinges = '<joint name="x" axis="1 0 0" pos="0 0 0.1"/><joint name="y" axis="0 1 0"/>'
    made = described(tmp_path, f'<body name="a"><freejoint/>{BALL}<body name="b">{hinges}{BALL}</body></body>')
    robot = made.model
    assert [(one.parent, one.child) for one in robot.joints] == [("a", "b_x"), ("b_x", "b")]
    assert robot.joints[0].position == pytest.approx((0.0, 0.0, 0.1))
    assert robot.mass == pytest.approx(2.0 * robot.base.mass)
    assert "robot.xml: approximated body 'b': its 2 joints become a chain" in "\n".join(made.report.lines())


def test_meshes_keep_the_place_of_their_file_and_cameras_look_where_mujoco_has_them_look(tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (1.0, 1.4) for y in (0.0, 0.2) for z in (0.0, 0.3)]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    (tmp_path / "block.obj").write_text("\n".join(lines), encoding="utf-8")
    body = '<body><freejoint/><geom type="mesh" mesh="block" pos="0 0 1"/></body>'
    robot = model(tmp_path, body, robot='<asset><mesh file="block.obj"/></asset>')
    (shape,) = robot.base.collisions
    assert np.array(shape.position) == pytest.approx([1.2, 0.1, 1.15], abs=1e-6)
    assert sorted(shape.size) == pytest.approx([0.2, 0.3, 0.4], abs=1e-6)
    seeing = described(tmp_path, f'<body>{BALL}<camera name="c" fovy="60" resolution="400 200"/></body>')
    camera = next(one for one in seeing.perceptors if one.kind == "camera")
    across = 2.0 * math.degrees(math.atan(2.0 * math.tan(math.radians(30.0))))
    assert camera.parameters["horizontal_fov_deg"] == pytest.approx(across)
    frame = next(one for one in seeing.model.frames if one.name == "c")
    # Downwards, along -z of the body.
    assert frame.rpy[1] == pytest.approx(math.pi / 2.0)


def test_without_mujoco_the_reader_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(RobotError, match=r"MuJoCo, which is not installed: pip install 'simspark_ros\[mujoco\]'"):
        imported(tmp_path, f"<body>{BALL}</body>")


MODELS = Path(__file__, "../../../../data/league_models").resolve()


@pytest.fixture(scope="module")
def toy():
    return read_robot(MODELS / "toy" / "robot.xml", 0)


def test_the_message_begins_with_time_and_game_and_ends_with_ears_and_eyes(toy):
    kinds = [(spec.kind, spec.name) for spec in toy.perceptors]
    assert kinds == [
        *(("time", "time"), ("game_state", "game_state"), ("frame_orientation", "torso_quat")),
        *(("frame_position", "torso_pos"), ("gyroscope", "torso_gyro"), ("accelerometer", "torso_acc")),
        *(("hinge_joint", name) for name in ("q_rlj1", "q_hj1", "q_llj1")),
        *(("hear", "hear"), ("restricted_vision", "restricted_vision")),
    ]
    assert all(spec.parameters == {"velocity": True} for spec in toy.perceptors if spec.kind == "hinge_joint")
    # Marked sites are visible parts.
    assert dict(toy.visible_parts) == {"head": "head-vismarker"}


def test_three_actuators_are_one_motor_with_the_file_s_gains_and_mujoco_s_text_has_nothing_to_look_at(toy):
    motors = {spec.name: spec for spec in toy.effectors if spec.kind == "motor"}
    joints = {name: spec.joint for name, spec in motors.items()}
    assert joints == {"he1": "neck", "lle1": "left_hip", "rle1": "right_hip"}
    assert motors["lle1"].parameters == {"stiffness": 2.0, "damping": 3.0}
    assert [spec.kind for spec in toy.effectors if spec.kind != "motor"] == ["init", "syn", "say", "beam"]
    model = mujoco.MjModel.from_xml_string(toy.model.mjcf)
    assert (model.nbody, model.njnt, model.nu, model.nsensor, model.nsite, model.nexclude) == (5, 4, 0, 0, 0, 1)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, i) for i in range(model.ngeom)]
    assert names == ["torso", "head", "left_foot", "right_foot"]
    assert model.body_mass[1:].tolist() == [4.0, 0.5, 1.0, 1.0]
    assert set(model.dof_armature[6:].tolist()) == {0.01} and set(model.dof_frictionloss[6:].tolist()) == {0.05}
    assert model.jnt_actfrcrange[1:].tolist() == [[-5.0, 5.0], [-20.0, 20.0], [-20.0, 20.0]]


def test_meshes_are_in_the_text_as_corners_and_tied_robots_have_no_text(tmp_path):
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (0.0, 0.3)]
    faces = ["1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"]
    lines = [*(f"v {x} {y} {z}" for x, y, z in corners), *(f"f {face}" for face in faces)]
    (tmp_path / "block.obj").write_text("\n".join(lines))
    body = "<freejoint/><inertial pos='0 0 .1' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='block'/>"
    (tmp_path / "robot.xml").write_text(
        f"<mujoco><asset><mesh name='block' file='block.obj'/></asset><worldbody><body name='base' pos='0 0 1'>{body}"
        "<body name='arm'><joint name='j' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
        "</body></worldbody></mujoco>"
    )
    text = read_robot(tmp_path / "robot.xml", 0).model.mjcf
    (tmp_path / "block.obj").unlink()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    # The middle of the block, whose origin is in the middle of its lower face.
    assert data.geom_xpos[0].tolist() == pytest.approx([0.0, 0.0, 1.15])
    tied = "<body name='b'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint axis='0 0 1'/></body>"
    (tmp_path / "robot.xml").write_text(f"<mujoco><worldbody>{tied}</worldbody></mujoco>")
    assert read_robot(tmp_path / "robot.xml", 0).model.mjcf == ""


def test_solids_that_collide_with_nothing_give_a_body_its_mass(tmp_path: Path) -> None:
    shells = "<geom type='sphere' size='.1' contype='0' conaffinity='0'/>"
    arm = "<body name='arm' pos='0 0 .3'><joint name='j' axis='0 0 1'/><geom type='sphere' size='.1'/></body>"
    (tmp_path / "robot.xml").write_text(
        "<mujoco><compiler inertiafromgeom='true'/><worldbody>"
        f"<body name='base' pos='0 0 1'><freejoint/>{shells}{arm}</body></worldbody></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(read_robot(tmp_path / "robot.xml", 0).model.mjcf)
    assert model.ngeom == 1
    # The density of water.
    assert model.body_mass[1:].tolist() == pytest.approx([4000.0 / 3.0 * math.pi * 0.1**3] * 2)


GONE = "<asset><mesh name='m' file='gone.stl'/></asset>"
UNSEEN = "contype='0' conaffinity='0'"
INERTIAL = "<inertial pos='0 0 0' mass='2' diaginertia='0.01 0.01 0.01'/>"
WEIGHED = "<geom type='box' size='0.05 0.1 0.2' mass='2'/>"


@pytest.mark.parametrize("looks", [UNSEEN, ""])
@pytest.mark.parametrize(
    ("geom", "inertial", "compiler"),
    [
        ("type='mesh'", "", ""),
        ("type='mesh' mass='0'", "", ""),
        ("type='mesh' mass='3'", "", ""),
        ("type='mesh' density='0'", "", ""),
        ("type='mesh' group='1'", "", "inertiagrouprange='0 0'"),
        ("type='mesh'", INERTIAL, "inertiafromgeom='true'"),
        ("type='mesh'", INERTIAL, ""),
        # A solid that is fitted to the mesh.
        ("type='capsule'", "", ""),
    ],
)
def test_a_missing_mesh_is_dropped_wherever_the_mass_comes_from(
    tmp_path: Path, geom: str, inertial: str, compiler: str, looks: str
) -> None:
    body = f"<body name='b'><freejoint/>{inertial}{WEIGHED}<geom {geom} mesh='m' {looks}/></body>"
    imported(tmp_path, body, robot=f"<compiler {compiler}/>{GONE}")
    robot = read_robot(tmp_path / "robot.xml", 0, LimitSettings())
    assert (robot.model.mass, len(robot.model.base.collisions)) == (pytest.approx(2.0), 1)
    kind = "visual" if looks else "collision"
    assert f"robot.xml: dropped {kind} of link 'b': there is no file 'gone.stl'" in robot.report.lines()
    assert len(robot.report.warnings) == (0 if looks else 1)
    # What MuJoCo alone reads is the same body.
    own = mujoco.MjModel.from_xml_string(robot.model.mjcf)
    assert (own.body_mass[1], own.ngeom, own.nmesh) == (pytest.approx(2.0), 1, 0)


@pytest.mark.parametrize("looks", [UNSEEN, ""])
def test_a_moving_body_whose_only_mass_is_a_missing_mesh_is_refused_with_the_name_of_the_file(
    tmp_path: Path, looks: str
) -> None:
    body = f"<body><freejoint/><geom type='mesh' mesh='m' {looks}/></body>"
    with pytest.raises(RobotError, match=r"mass .* of moving bodies .* \(missing meshes have no mass: gone\.stl\)"):
        imported(tmp_path, body, robot=GONE)


def test_meshes_of_an_included_file_may_lie_beside_it_as_mujoco_has_it(tmp_path: Path) -> None:
    for name, x in {"parts/here.stl": 0.0, "shared/there.stl": 0.2, "parts/both.stl": 0.4, "both.stl": 0.6}.items():
        write_mesh(tmp_path / name, box(0.2, 0.2, 0.2).apply_translation([x, 0.0, 0.0]))
    names = {"here": "here.stl", "there": "../shared/there.stl", "both": "both.stl"}
    assets = "".join(f"<mesh name='{name}' file='{file}'/>" for name, file in names.items())
    (tmp_path / "parts" / "parts.xml").write_text(f"<mujocoinclude><asset>{assets}</asset></mujocoinclude>")
    geoms = "".join(f"<geom type='mesh' mesh='{name}'/>" for name in names)
    robot = model(tmp_path, f"<body><freejoint/>{geoms}</body>", robot="<include file='parts/parts.xml'/>")
    # A file beside the first one goes before a file beside the included one.
    assert [shape.position[0] for shape in robot.base.collisions] == pytest.approx([0.0, 0.2, 0.6])
    with pytest.raises(RobotError, match="lies neither in the model's folder"):
        outside = "<mesh name='here' file='../../outside.stl'/>"
        (tmp_path / "parts" / "parts.xml").write_text(f"<mujocoinclude><asset>{outside}</asset></mujocoinclude>")
        model(tmp_path, f"<body><freejoint/>{BALL}</body>", robot="<include file='parts/parts.xml'/>")


def test_a_profile_gets_a_scene_for_each_robot_of_a_folder_and_one_without_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    scenes = PROFILES.document(PROFILES.path("rcssservermj"))["scenes"]
    assert scenes == {"toy": {"robot": str(MODELS / "toy" / "robot.xml")}}
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    with pytest.raises(UserError, match=r"holds no robots.*pip install --no-deps rcsssmj"):
        league_models()
    # Without folder and package the profile has no robots.
    monkeypatch.delenv(MODELS_VARIABLE)
    monkeypatch.setattr("simspark_ros.configuration.league_models.find_spec", lambda name: None)
    with pytest.raises(UserError, match="the league's robots are missing"):
        league_models()
    assert PROFILES.document(PROFILES.path("rcssservermj"))["scenes"] == {}
