"""What all readers of robots do alike."""

from pathlib import Path

import pytest

from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.reading import read_robot
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import LIMITS, write

SOLID = '<geometry><box size="0.1 0.2 0.4"/></geometry>'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
DIAGONAL = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"
UNSEEN = 'contype="0" conaffinity="0" group="1"'
SDF_BOX = "<collision name='c'><geometry><box><size>0.1 0.2 0.4</size></box></geometry></collision>"
BOX_GEOM = '<geom type="box" size="0.05 0.1 0.2" group="3"/>'
MUJOCO = f'<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>{BOX_GEOM}'

ROBOTS = {
    ".urdf": f'<robot name="m">\n<link name="b">{INERTIAL}<collision>{SOLID}</collision>\n%s</link></robot>',
    ".xacro": f'<robot name="m">\n<link name="b">{INERTIAL}<collision>{SOLID}</collision>\n%s</link></robot>',
    ".sdf": f"<sdf version='1.9'><model name='m'><link name='b'>\n<inertial><mass>1</mass>{DIAGONAL}</inertial>"
    f"{SDF_BOX}\n%s</link></model></sdf>",
    ".xml": "<mujoco><asset><mesh name='m' file='%s'/></asset>\n<worldbody><body name='b'><freejoint/>"
    f"{MUJOCO}\n<geom type='mesh' mesh='m' {UNSEEN}/></body></worldbody></mujoco>",
    ".rsg": "(RSG 0 1)\n((nd Transform (setName b) (nd RigidBody (setBoxTotal 1 0.2 0.1 0.4))\n"
    "(nd BoxCollider (setBoxLengths 0.2 0.1 0.4)) %s))",
}
"""A box with a second part, which is only seen; for MJCF the file of its mesh."""

ADDRESSES = ("gone.stl", "broken.stl", "package://nope/meshes/part.stl")
FURTHER = ("model://nope/part.stl", "http://there/part.stl", "/etc/passwd", "", "a\x7f" * 600)

URDF_MESH = '<visual><geometry><mesh filename="%s"/></geometry></visual>'
SDF_MESH = "<visual name='v'><geometry><mesh><uri>%s</uri></mesh></geometry></visual>"
URDF_LOOKS = (
    *(URDF_MESH % address for address in (*ADDRESSES, *FURTHER)),
    '<visual><geometry><box size="1 x 1"/></geometry></visual>',
    '<visual><geometry><sphere radius="-1"/></geometry></visual>',
    '<visual><origin xyz="1 2"/><geometry><sphere radius="1"/></geometry></visual>',
    '<visual><geometry><mesh filename="broken.stl" scale="1 1"/></geometry></visual>',
)
SDF_BALL = "<geometry><sphere><radius>%s</radius></sphere></geometry>"
SEEN = {
    ".urdf": URDF_LOOKS,
    ".xacro": URDF_LOOKS,
    ".sdf": (
        *(SDF_MESH % address for address in (*ADDRESSES, *FURTHER)),
        "<visual name='v'><geometry><box><size>1 x 1</size></box></geometry></visual>",
        *(f"<visual name='v'>{SDF_BALL % radius}</visual>" for radius in (-1, "nan", 1e9)),
        *(f"<visual name='v'><pose>{pose}</pose>{SDF_BALL % 1}</visual>" for pose in ("1 2", "0 0 nan 0 0 0")),
        f"<visual name='v'><pose relative_to='nobody'>0 0 0 0 0 0</pose>{SDF_BALL % 1}</visual>",
        "<visual name='v'><geometry><mesh><uri>broken.stl</uri><scale>1 1</scale></mesh></geometry></visual>",
        "<visual name='v'><geometry><torus/></geometry></visual>",
    ),
    ".xml": (*ADDRESSES, "gone.obj", "gone.msh", "a" * 600),
    ".rsg": (
        "(nd StaticMesh (load gone.obj))",
        "(nd StaticMesh (load ../../etc/passwd))",
        "(nd StaticMesh (load broken.stl))",
        "(nd StaticMesh (load broken.stl) (setScale 1 1))",
        "(nd StaticMesh)",
        "(nd Box (setExtents 1 x 1))",
        "(nd Sphere)",
        "(nd Sphere (setRadius -1))",
        "(nd Transform (setLocalPos 1 x 1) (nd Box (setExtents 1 1 1)))",
    ),
}


def read(folder: Path, ending: str, text: str) -> RobotDescription:
    (folder / "broken.stl").write_bytes(b"solid \xff\x00 facet")
    if ending == ".xml":
        skip_without("mujoco")
    return read_robot(write(folder, text, f"made{ending}"), 0, LIMITS)


@pytest.mark.parametrize("ending", ROBOTS)
def test_a_broken_visual_is_dropped_with_a_note_and_refuses_no_robot(tmp_path: Path, ending: str) -> None:
    for visual in SEEN[ending]:
        robot = read(tmp_path, ending, ROBOTS[ending] % visual)
        told = [line for line in robot.report.lines() if line.startswith(f"made{ending}") and " dropped " in line]
        assert len(told) == 1, (visual, robot.report.lines())
        # The box is seen as it collides.
        (box,) = robot.model.base.visuals
        assert (robot.model.mass, box.size) == (pytest.approx(1.0), pytest.approx((0.1, 0.2, 0.4))), visual
        assert len(robot.model.base.collisions) == 1


COLLIDING = {
    ".urdf": '<collision><geometry><mesh filename="%s"/></geometry></collision>',
    ".xacro": '<collision><geometry><mesh filename="%s"/></geometry></collision>',
    ".sdf": "<collision name='d'><geometry><mesh><uri>%s</uri></mesh></geometry></collision>",
    ".xml": "%s",
}
"""A second colliding part, a mesh; an RSG file's meshes never collide."""


@pytest.mark.parametrize("ending", COLLIDING)
def test_a_missing_mesh_that_collides_is_dropped_with_a_warning(tmp_path: Path, ending: str) -> None:
    text = (ROBOTS[ending] % (COLLIDING[ending] % "gone.stl")).replace(UNSEEN, "")
    robot = read(tmp_path, ending, text)
    assert len(robot.model.base.collisions) == 1
    assert "dropped collision of link 'b': " in "".join(robot.report.lines())
    assert robot.report.warnings == ["link 'b' collides with other solids alone, as meshes are missing"]
    if ending == ".xml":
        # What MuJoCo alone reads lacks the same solid.
        assert "mesh" not in robot.model.mjcf and "box" in robot.model.mjcf


@pytest.mark.parametrize("ending", COLLIDING)
def test_a_robot_that_would_collide_with_nothing_is_refused(tmp_path: Path, ending: str) -> None:
    """It would fall through the ground."""
    text = (ROBOTS[ending] % (COLLIDING[ending] % "gone.stl")).replace(UNSEEN, "")
    for box in (f"<collision>{SOLID}</collision>", SDF_BOX, BOX_GEOM):
        text = text.replace(box, "")
    with pytest.raises(RobotError, match=r"made\.\w+\b.*: collision of link 'b': there is no file 'gone\.stl'"):
        read(tmp_path, ending, text)


@pytest.mark.parametrize("ending", [".urdf", ".xacro", ".sdf"])
def test_a_package_that_is_not_found_is_refused_as_its_user_can_name_its_place(tmp_path: Path, ending: str) -> None:
    with pytest.raises(RobotError, match=r"package 'nope' is not found: .* ROS_PACKAGE_PATH"):
        read(tmp_path, ending, ROBOTS[ending] % (COLLIDING[ending] % "package://nope/meshes/part.stl"))


@pytest.mark.parametrize(
    ("ending", "visual"),
    [
        (".urdf", f'<visual>{SOLID}<material name="k"><color rgba="x"/></material></visual>'),
        (".sdf", f"<visual name='v'>{SDF_BALL % 1}<material><diffuse>x</diffuse></material></visual>"),
        (".rsg", "(nd Sphere (setRadius 1) (setMaterial))"),
    ],
)
def test_a_broken_colour_leaves_the_visual_in_grey(tmp_path: Path, ending: str, visual: str) -> None:
    robot = read(tmp_path, ending, ROBOTS[ending] % visual)
    assert [shape.rgba for shape in robot.model.base.visuals] == [(0.7, 0.7, 0.7, 1.0)]
    assert any("dropped colour" in line for line in robot.report.lines()) == (ending != ".rsg")


NAMED = {
    ".urdf": f'<robot name=" m "><link name="  b a">{INERTIAL}</link><link name=" c d ">{INERTIAL}</link>'
    '<joint name=" j k" type="revolute"><parent link="b a "/><child link=" c d"/>'
    '<limit lower="-1" upper="1" velocity="2" effort="3"/></joint>'
    '<gazebo reference=" c d "><sensor type="imu" name=" s "/></gazebo></robot>',
    ".sdf": "<sdf version='1.9'><model name=' m ' canonical_link=' b a'>"
    f"<link name='  b a'><inertial><mass>1</mass>{DIAGONAL}</inertial></link>"
    f"<link name=' c d '><inertial><mass>1</mass>{DIAGONAL}</inertial><pose relative_to='f '/>"
    "<sensor name=' s ' type='imu'/></link><frame name=' f' attached_to='b a '/>"
    "<joint name=' j k' type='revolute'><parent>b a </parent><child> c d</child><axis><limit><lower>-1</lower>"
    "<upper>1</upper><velocity>2</velocity><effort>3</effort></limit></axis></joint></model></sdf>",
    ".xml": f"<mujoco><worldbody><body name='  b a'><freejoint/>{MUJOCO}<body name=' c d '>{MUJOCO}"
    "<site name=' s '/><joint name=' j k' range='-57.29578 57.29578'/></body></body></worldbody>"
    "<actuator><motor joint=' j k' ctrlrange='-3 3'/></actuator>"
    "<sensor><gyro name=' s ' site=' s '/></sensor></mujoco>",
    ".rsg": "(RSG 0 1)\n((nd Transform (setName '  b a') (nd RigidBody (setName ' x ') (setSphereTotal 1 1)))"
    "(nd Transform (setName ' c d ') (nd RigidBody (setName ' y ') (setSphereTotal 1 1)"
    "(nd GyroRatePerceptor (setName ' s ')))"
    "(nd HingeJoint (attach '../ y' '../../b a/x ') (setAnchor 0 0 0) (setAxis 1 0 0) (setLowStopDeg 0 -57.29578)"
    "(setHighStopDeg 0 57.29578) (nd HingePerceptor (setName ' j_k')) (nd HingeEffector (setName ' e ')))))",
}
"""Two bodies with a joint and a sensor on the second one; each name has blanks around it, not everywhere the same."""


@pytest.mark.parametrize("ending", NAMED)
def test_blanks_around_names_mean_nothing(tmp_path: Path, ending: str) -> None:
    robot = read(tmp_path, ending, NAMED[ending])
    moving = [link.name for link in robot.model.links if link.mass > 0.0]
    (joint,) = robot.model.joints
    assert (moving, joint.parent, joint.child) == (["b a", "c d"], "b a", "c d")
    assert (joint.name.replace("_", " "), joint.lower, joint.upper) == ("j k", pytest.approx(-1.0), pytest.approx(1.0))
    (sensor,) = [one for one in robot.perceptors if one.kind == "gyroscope"]
    assert sensor.name == "s" or ending == ".urdf"
