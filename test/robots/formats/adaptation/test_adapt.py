"""What makers leave out or write for other simulators: taken with a note, or refused with file and line."""

import math
from pathlib import Path

import pytest

from simspark_ros.physics.model import ArticulatedModel, Mimic
from simspark_ros.robots.catalogue import keep, load_robot, loaded_robot, variants
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.robot_file import CONTACT_KINDS
from simspark_ros.robots.formats.urdf.importer import import_urdf
from simspark_ros.simulation.senses.profile_overrides import scene_robots
from test.robots.formats.adaptation.makers import BOX, CONTROL, LIMIT, LIMITS, joint, link, robot, said, write

BASE = link("base", BOX)


def read(tmp_path: Path, *parts: str) -> tuple[ArticulatedModel, list[str]]:
    imported = read_format(write(tmp_path, robot(*parts)), 0, LIMITS)
    return import_urdf(imported.urdf), imported.report.lines()


def test_links_of_no_mass_are_frames_and_an_inertia_that_no_body_has_becomes_one(tmp_path: Path) -> None:
    """CAD exporters write such frames; one that a joint moves has to weigh something."""
    model, _ = read(tmp_path, link("base_link", mass=0), BASE, joint("j", "base_link", "base", kind="fixed"))
    assert ([frame.name for frame in model.frames], model.mass) == (["base_link"], 1.0)
    tip, moved = link("tip", mass=1e-9), link("moved", BOX, mass=1e-9)
    joints = [joint("t", "base", "tip", kind="fixed"), joint("j", "base", "moved", LIMIT)]
    model, lines = read(tmp_path, BASE, tip, moved, *joints)
    assert [frame.name for frame in model.frames] == ["tip"]
    assert [link.name for link in model.links] == ["base", "moved"]
    assert said(lines, "approximated link 'tip'", "1e-09 kg, is too small: it becomes a frame")
    assert said(lines, "approximated link 'moved'", "it has no mass")
    inertial = '<inertial><mass value="1"/><inertia ixx="{}" iyy="{}" izz="{}"/></inertial>'.format
    parts = [BASE, link("a", inertial(0, 0, 0) + BOX, mass=0), link("b", inertial(0.1, 0.1, 0.3), mass=0)]
    joints = [joint("j", "base", "a", LIMIT), joint("k", "base", "b", LIMIT)]
    model, lines = read(tmp_path, *parts, *joints)
    assert model.link("a").inertia[3] == pytest.approx(1.0 / 12.0 * (0.1**2 + 0.4**2))
    assert said(lines, ":3: approximated link 'a'", "its inertia is impossible: that of a box")
    bare = [BASE, link("bare", mass=0), link("odd", inertial(0, 0, 0), mass=0)]
    joints = [joint("j", "base", "bare", LIMIT), joint("k", "base", "odd", LIMIT)]
    _, others = read(tmp_path, *bare, *joints)
    assert said(others, "'bare'", "kg are used, from a box of the default size (0.04 m, as it has no solids)")
    assert said(others, "'odd'", "that of a box of the default size (0.04 m, as it has no solids) is used")
    # The smallest change to a body: the two smaller moments share what the largest has too much.
    assert model.link("b").inertia == pytest.approx((0.15, 0, 0, 0.15, 0, 0.3), rel=1e-4, abs=1e-9)
    assert said(lines, ":4: approximated link 'b'", "its two smaller moments are raised")


def test_limits_of_zero_stand_for_none_and_links_without_a_mass_have_that_of_their_solids(tmp_path: Path) -> None:
    """Files of ROS-Industrial give neither: motors of 1 N m held arms of 200 kg."""
    zero = '<limit lower="-1" upper="1" velocity="0" effort="0"/>'
    model, lines = read(tmp_path, link("base", BOX, mass=0), link("arm", BOX, mass=0), joint("j", "base", "arm", zero))
    # 500 kg per m3 of the boxes.
    assert model.link("arm").mass == model.base.mass == pytest.approx(4.0)
    assert model.link("arm").inertia[0] == pytest.approx(4.0 / 12.0 * (0.2**2 + 0.4**2))
    assert said(lines, "made.urdf:3: approximated link 'arm'", "4 kg are used, from a box around its solids")
    assert model.joints[0].max_velocity == 10.0
    # The weight of both links on an arm of a metre.
    assert model.joints[0].max_effort == pytest.approx(8.0 * 9.81)
    assert said(lines, ":4: approximated joint 'j'", "gives no velocity: 10")
    assert said(lines, ":4: approximated joint 'j'", "gives no effort: 78.48")


FREE, WHEEL = '<limit velocity="2" effort="0"/>', '<limit velocity="2" effort="5"/>'
STATE = CONTROL.replace("</ros2_control>", '<joint name="k"><state_interface name="position"/></joint></ros2_control>')
DRIVE = (
    '<gazebo><plugin filename="libgazebo_ros_diff_drive.so"><left_joint>j</left_joint><right_joint>l</right_joint>'
    "<wheel_separation>0.3</wheel_separation><wheel_diameter>0.2</wheel_diameter></plugin></gazebo>"
)


@pytest.mark.parametrize(
    ("limit", "more", "is_free"),
    [
        (FREE, "", True),
        (LIMIT, "", False),
        ("", "", False),
        ("", CONTROL, True),
        (LIMIT, CONTROL, False),
        (LIMIT, STATE, True),
        ("", DRIVE, True),
        (LIMIT, DRIVE, False),
        (WHEEL, "", False),
        (WHEEL, CONTROL, True),
        (WHEEL, DRIVE, True),
    ],
)
def test_a_joint_that_nothing_drives_has_no_motor(tmp_path: Path, limit: str, more: str, is_free: bool) -> None:
    """ANYmal B's file has motors for the arm on its back alone: its legs were limp."""
    kind = "continuous" if limit == WHEEL else "revolute"
    joints = [joint("j", "base", "a", LIMIT), joint("l", "base", "c", LIMIT), joint("k", "base", "b", limit, kind)]
    made = load_foreign(write(tmp_path, robot(BASE, link("a"), link("b"), link("c"), *joints, more)), 0, LIMITS)
    k = next(one for one in made.model.joints if one.name == "k")
    driven = {one.joint for one in made.effectors if one.kind == "hinge"}
    assert (k.max_effort == 0.0, "k" not in driven) == (is_free, is_free)
    assert k.max_velocity > 0.0
    assert said(made.report.lines(), "joint 'k'", "nothing drives it: it moves freely") == is_free


def test_followers_follow_the_first_leader(tmp_path: Path) -> None:
    mimics = ('<mimic joint="j" multiplier="2" offset="0.1"/>', '<mimic joint="k" multiplier="-1" offset="0.5"/>')
    links = [BASE, *(link(name) for name in "abc")]
    joints = [joint("j", "base", "a", LIMIT)]
    joints += [joint(n, "base", end, LIMIT + mimic) for n, end, mimic in zip("kl", "bc", mimics, strict=True)]
    model, lines = read(tmp_path, *links, *joints)
    # l = 0.5 - (2 j + 0.1)
    assert [one.mimic for one in model.joints] == [None, Mimic("j", 2.0, 0.1), Mimic("j", -2.0, 0.4)]
    assert said(lines, "understood joint 'k'", "follows joint 'j'")
    document = read_format(tmp_path / "made.urdf", 0, LIMITS).document
    assert document["effectors"] == [{"kind": "hinge", "joints": {"j": "j"}}]


def test_a_robot_s_file_says_which_joints_have_a_motor(tmp_path: Path) -> None:
    """`k` and `l` are alike in the model, which gives neither an effort."""
    sensor = '<ros2_control name="c" type="sensor"><sensor name="imu"/></ros2_control>'
    joints = [joint("k", "base", "a"), joint("l", "base", "b"), joint("m", "base", "c", LIMIT + '<mimic joint="l"/>')]
    write(tmp_path, robot(BASE, link("a"), link("b"), link("c"), *joints, sensor))

    def driven(effectors: str) -> list[bool]:
        yaml = write(tmp_path, f"model: made.urdf\neffectors: [{effectors}]\n", "made.yaml")
        reads = load_robot(str(yaml)), load_foreign(yaml, 0, LIMITS)
        by_process = [[joint.max_effort > 0.0 for joint in read.model.joints[:2]] for read in reads]
        assert by_process[0] == by_process[1]
        return by_process[0]

    assert driven("{kind: hinge, joints: {k: k}}") == [True, False]
    # Sensors and speech say nothing of motors.
    assert driven("{kind: say}") == [True, True]
    told = r"effectors\[0\]: joints: joint 'm' follows joint 'l'; command the leading joint"
    with pytest.raises(RobotError, match=told):
        driven("{kind: hinge, joints: {m: m}}")


@pytest.mark.parametrize(("kind", "verdict"), [("floating", "understood"), ("planar", "approximated")])
def test_what_lets_the_base_move_is_taken_out(tmp_path: Path, kind: str, verdict: str) -> None:
    model, lines = read(tmp_path, link("world", mass=0), BASE, joint("tie", "world", "base", kind=kind))
    assert (model.base.name, model.frames, model.fixed_base) == ("base", (), False)
    assert said(lines, f":4: {verdict} joint 'tie'")


BROKEN = (
    "",
    "<geometry/>",
    "<geometry><box/></geometry>",
    '<geometry><box size="a b c"/></geometry>',
    '<geometry><box size="-1 1 1"/></geometry>',
    '<geometry><box size="1e9 1 1"/></geometry>',
    '<geometry><sphere radius="nan"/></geometry>',
    '<geometry><torus r="1"/></geometry>',
    '<geometry><mesh filename="no.stl"/></geometry>',
    '<geometry><mesh filename="broken.stl"/></geometry>',
    '<origin xyz="1 2"/><geometry><box size="1 1 1"/></geometry>',
    '<origin rpy="x"/><geometry><box size="1 1 1"/></geometry>',
)


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_visual_is_dropped_and_refuses_no_robot(tmp_path: Path, content: str) -> None:
    (tmp_path / "broken.stl").write_bytes(b"solid \xff\x00 facet")
    model, lines = read(tmp_path, link("base", f"<visual>{content}</visual>{BOX}"))
    assert (model.base.visuals, model.base.surfaces, len(model.base.collisions)) == (model.base.collisions, (), 1)
    assert said(lines, ":2: dropped visual of link 'base'")


def test_a_urdf_file_that_declares_xacro_is_processed_and_calls_that_are_left_over_are_dropped(tmp_path: Path) -> None:
    """TurtleBot3's launch files give its `.urdf` files to xacro."""
    file = tmp_path / "bot.urdf"
    begin = '<robot name="bot" xmlns:xacro="http://ros.org/wiki/xacro">'
    declared = '<xacro:arg name="space" default=""/><xacro:property name="space" value="$(arg space)"/>'
    file.write_text(begin + declared + link("${space}base", BOX) + "</robot>")
    for arguments, name in (({}, "base"), ({"space": "left_"}, "left_base")):
        imported = read_format(file, 0, LIMITS, arguments=arguments)
        assert [one.name for one in import_urdf(imported.urdf).links] == [name]
    file.write_text(f"{begin}<!-- {declared} -->{BASE}<xacro:sensors/></robot>")
    assert said(read_format(file, 0, LIMITS).report.lines(), "dropped <xacro:sensors>", "declares no such macro")


def test_lines_of_a_xacro_file_count_in_what_xacro_makes_of_it(tmp_path: Path) -> None:
    file = tmp_path / "bot.urdf.xacro"
    begin = '<robot name="bot" xmlns:xacro="http://ros.org/wiki/xacro">'
    file.write_text(f"{begin}{link('base', BOX)}</robot>")
    (note,) = read_format(file, 0, LIMITS).report.lines()
    # xacro writes each element on a line of its own.
    assert note.startswith("bot.urdf.xacro, line ") and note.endswith(
        " of what xacro makes of it: understood link 'base'"
    )
    file.write_text(f"{begin}{link('base', BOX)}{link('b')}{joint('j', 'base', 'b', kind='planar')}</robot>")
    with pytest.raises(
        RobotError, match=r"^bot\.urdf\.xacro, line \d+ of what xacro makes of it: joint 'j': type 'planar'"
    ):
        read_format(file, 0, LIMITS)
    file.write_text(f"{begin}{link('base', BOX)}{link('b')}{joint('j', 'base', 'c', LIMIT)}</robot>")
    with pytest.raises(RobotError, match=r"of what xacro makes of it: "):
        load_robot(str(file))


def test_colours_stand_in_visuals_or_by_name(tmp_path: Path) -> None:
    visual = '<visual><geometry><sphere radius="0.1"/></geometry>{}</visual>'.format
    shown = [f'<material name="">{colour}</material>' for colour in ('<color rgba="1 0 0 1"/>', "")]
    shown += ['<material name="green"/>', '<material name="m"><color rgba="x"/></material>']
    named = '<material name="green"><color rgba="0 255 0 1"/></material>'
    model, lines = read(tmp_path, link("base", "".join(map(visual, shown))), named)
    # A material without a name is nobody else's.
    grey = (0.7, 0.7, 0.7, 1.0)
    assert [shape.rgba for shape in model.base.visuals] == [(1, 0, 0, 1), grey, (0, 1, 0, 1), grey]
    assert said(lines, ":3: approximated material 'green'", "limited to 0 to 1")
    assert said(lines, ":2: dropped colour of material 'm'")


def sensor(kind: str, name: str, content: str = "", reference: str = "arm") -> str:
    return f'<gazebo reference="{reference}"><sensor type="{kind}" name="{name}">{content}</sensor></gazebo>'


LASER = (
    "<update_rate>10</update_rate><pose>0.1 0 0.2 0 0 1.5708</pose><ray><scan><horizontal><samples>90</samples>"
    "<min_angle>-1.0</min_angle><max_angle>1.0</max_angle></horizontal></scan>"
    "<range><min>0.1</min><max>8</max></range></ray>"
)


def test_gazebo_s_sensors_become_perceptors_and_a_bumper_feels_what_its_body_does(tmp_path: Path) -> None:
    camera = "<camera><horizontal_fov>1.0</horizontal_fov><image><width>64</width><height>48</height></image></camera>"
    sensors = [sensor("imu", "imu"), sensor("gpu_ray", "scan", LASER), sensor("depth", "eye", camera)]
    sensors += [sensor("contact", "bump"), sensor("force_torque", "ft", reference="j"), sensor("gps", "gps")]
    sensors += [sensor("imu", "9 x-y"), sensor("imu", "z", "<pose>1 2 nan</pose>")]
    plugin = '<gazebo><plugin name="p" filename="libp.so"/></gazebo>'
    parts = BASE, link("arm", BOX), joint("j", "base", "arm", LIMIT), *sensors, plugin
    made = load_foreign(write(tmp_path, robot(*parts)), 0, LIMITS)
    named = {(spec.kind, spec.name): spec for spec in made.perceptors}
    assert {("gyroscope", "imu"), ("accelerometer", "imu"), ("touch", "bump"), ("force_torque", "ft")} <= named.keys()
    assert ("gyroscope", "sensor_9_x_y") in named
    laser = named["laser", "scan"]
    assert (laser.parameters["beams"], named["camera", "eye"].parameters["depth"]) == (90, True)
    assert laser.parameters["angle_max_deg"] == pytest.approx(math.degrees(1.0))
    # 10 Hz of 50 cycles a second.
    assert laser.parameters["interval"] == 5
    (frame,) = (frame for frame in made.model.frames if frame.name == laser.link)
    assert (frame.link, frame.position) == ("arm", pytest.approx((0.1, 0.0, 0.2)))
    assert (named["force_torque", "ft"].link, made.model.touch_links) == ("arm", ("arm",))
    gps, wrong, other = (line for line in made.report.lines() if "dropped" in line)
    assert gps.startswith("made.urdf:10: dropped sensor 'gps' of type 'gps': this type is not supported")
    assert wrong.startswith("made.urdf:12: dropped sensor 'z' of type 'imu': its numbers cannot be used")
    assert other == "made.urdf:13: dropped plugin 'p' (libp.so) for Gazebo: it is not supported"
    bumper = (link("bumper", BOX, mass=0), joint("b", "arm", "bumper", kind="fixed"))
    plate = (link("plate", mass=0), joint("p", "arm", "plate", kind="fixed"))
    parts = (BASE, link("arm", BOX), joint("j", "base", "arm", LIMIT), *bumper, *plate)
    contacts = (sensor("contact", "bump", reference="bumper"), sensor("contact", "feel", reference="plate"))
    made = load_foreign(write(tmp_path, robot(*parts, *contacts)), 0, LIMITS)
    felt = {(spec.kind, spec.name): spec.link for spec in made.perceptors if spec.kind in CONTACT_KINDS}
    assert felt == {("touch", "bump"): "arm", ("force_resistance", "bump"): "arm"}
    assert made.model.touch_links == ("arm",)
    lines = made.report.lines()
    assert said(lines, "approximated sensor 'bump'", "it feels all of 'arm', not 'bumper' alone")
    assert said(lines, "dropped sensor 'feel' of type 'contact'", "contacts need a link with colliding solids")


@pytest.mark.parametrize(("tag", "is_driven"), [("flexJoint", True), ("gap_joint", True), ("passive_joint", False)])
def test_older_transmissions_name_joints_in_their_own_way(tmp_path: Path, tag: str, is_driven: bool) -> None:
    """The wrists of the PR2 were limp."""
    parts = [BASE, link("a"), link("b"), joint("j", "base", "a", LIMIT), joint("k", "base", "b", "", "continuous")]
    both = f'<transmission type="t"><{tag} name="k"/></transmission><transmission><joint name="j"/></transmission>'
    model, _ = read(tmp_path, *parts, both)
    assert (model.joints[1].max_effort > 0.0) == is_driven


SELF = [BASE, link("a"), joint("j", "base", "a", LIMIT + '<mimic joint="j"/>')]
CYCLE = [BASE, link("a"), link("b"), joint("j", "a", "b", LIMIT), joint("k", "b", "a", LIMIT)]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ([link("base", mass=-1.0)], r"^made\.urdf:2: link 'base': its mass -1 kg is negative"),
        ([link("base", mass=math.nan)], r"^made\.urdf:2: link 'base': value='nan' must be one finite number"),
        ([BASE, link("a"), joint("j", "base", "a", kind="floating")], r"^made\.urdf:4: joint 'j': type 'floating'"),
        ([BASE, link("a"), joint("j", "base", "a", kind="screw")], r"made\.urdf:4: joint 'j': type 'screw'"),
        ([link("base", BOX.replace("0.1", "1e30"))], r"made\.urdf:2: a collision of link 'base': size=1e\+30 must be"),
        ([link("base", BOX.replace("0.1", "-1"))], r"^made\.urdf:2: collision of link 'base': size=-1 .* negative"),
        (SELF, r"made\.urdf:4: joint 'j': it follows joints that follow one another"),
        (CYCLE, "their joints form a cycle"),
        (["<link" + ' name="x"/>' + "<link/>" * 600], r"^made\.urdf:2: <link>: the robot has 601 links; max_links"),
        (["<a>" * 200 + "</a>" * 200], r"made\.urdf: line 2: elements are nested more than 100 deep"),
        (['<!DOCTYPE r [<!ENTITY e "e">]>'], "has a <!DOCTYPE>"),
    ],
)
def test_what_no_robot_has_is_refused_with_file_and_line(tmp_path: Path, parts: list[str], problem: str) -> None:
    with pytest.raises(RobotError, match=problem):
        load_foreign(write(tmp_path, robot(*parts)), 0, LIMITS)


def test_a_urdf_file_is_a_robot_wherever_a_robot_s_file_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, robot(BASE, link("arm"), joint("j", "base", "arm", LIMIT)))
    (tmp_path / "p.yaml").write_text(f"based_on: measured\nscenes: {{own.rsg: {{robot: {path}}}}}", encoding="utf-8")
    assert scene_robots(tmp_path / "p.yaml")["own.rsg"] == (str(path), 1)
    assert variants(str(path)) == (0,)
    read_here = load_robot(str(path))
    with pytest.raises(RobotError, match="no robot was loaded from"):
        loaded_robot(str(path))
    keep(str(path), read_here)
    assert loaded_robot(str(path)) is read_here
    assert [spec.kind for spec in read_here.effectors] == ["hinge"]
