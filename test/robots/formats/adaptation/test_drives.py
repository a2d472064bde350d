"""Wheels and friction that files declare for Gazebo: the robot drives by its velocity, on links that rub as told."""

from pathlib import Path

import pytest

from simspark_ros.arena import Arena
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.imported import Imported
from test.robots.formats.adaptation.makers import LIMITS, body, joint, robot, said, write

NAMES = "<left_joint>left</left_joint><right_joint>right</right_joint>"
CLASSIC = f"{NAMES}<wheel_separation>0.16</wheel_separation><wheel_diameter>0.066</wheel_diameter>"
OLDEST = (
    "<leftJoint>left</leftJoint><rightJoint>right</rightJoint>"
    "<wheelSeparation>0.16</wheelSeparation><wheelDiameter>0.066</wheelDiameter>"
)
SYSTEM = f"{NAMES}<wheel_separation>0.16</wheel_separation><wheel_radius>0.033</wheel_radius>"
ROS = "libgazebo_ros_diff_drive.so"


def plugin(content: str, filename: str = ROS) -> str:
    return f'<plugin name="drive" filename="{filename}">{content}</plugin>'


def rover(*gazebo: str) -> str:
    """Two wheels of 33 mm, 0.16 m apart, and a skid behind them."""
    wheel = '<cylinder radius="0.033" length="0.018"/>'
    parts = [
        body("base", 0.8, '<box size="0.14 0.14 0.1"/>', "-0.03 0 0.05"),
        body("skid", 0.01, '<sphere radius="0.01"/>'),
        joint("skid_joint", "base", "skid", '<origin xyz="-0.08 0 -0.023"/>', "fixed"),
    ]
    for side, y in (("left", 0.08), ("right", -0.08)):
        parts.append(body(f"{side}_wheel", 0.03, wheel))
        turned = f'<origin xyz="0 {y} 0" rpy="-1.5708 0 0"/>'
        parts.append(joint(side, "base", f"{side}_wheel", turned, "continuous", "0 0 1"))
    return robot(*parts, *(f"<gazebo>{one}</gazebo>" for one in gazebo))


def imported(folder: Path, text: str) -> Imported:
    return read_format(write(folder, text), 0, LIMITS)


def friction(link: str, mu: str) -> str:
    return f'<gazebo reference="{link}"><mu1>{mu}</mu1><mu2>{mu}</mu2></gazebo>'


@pytest.mark.parametrize(("content", "filename"), [(CLASSIC, ROS), (OLDEST, ROS), (SYSTEM, "gz-sim-diff-drive-system")])
def test_a_differential_drive_of_gazebo_becomes_wheels(tmp_path: Path, content: str, filename: str) -> None:
    hinge, wheels = imported(tmp_path, rover(plugin(content, filename))).document["effectors"]
    assert (hinge["joints"].keys(), wheels["kind"]) == ({"left", "right"}, "wheels")
    assert wheels["parameters"] == {"left": ("left",), "right": ("right",), "radius": 0.033, "track": 0.16}


@pytest.mark.parametrize(
    ("content", "limits"),
    [
        ("<max_wheel_acceleration>2.0</max_wheel_acceleration>", [2.0, 25.0]),
        ("<wheelAcceleration>2.0</wheelAcceleration>", [2.0, 25.0]),
        ("<max_linear_acceleration>1.5</max_linear_acceleration>", [1.5, None]),
    ],
)
def test_accelerations_of_wheels_rims_bound_those_of_the_robot(tmp_path: Path, content: str, limits: object) -> None:
    wheels = imported(tmp_path, rover(plugin(CLASSIC + content))).document["effectors"][-1]["parameters"]
    assert [wheels.get(name) for name in ("max_acceleration", "max_turn_acceleration")] == limits


@pytest.mark.parametrize(
    ("content", "limits"),
    [
        ("<max_linear_velocity>0.5</max_linear_velocity>", [0.5, None, None, None]),
        ("<max_velocity>0.5</max_velocity><max_acceleration>2</max_acceleration>", [0.5, 0.5, 2.0, 2.0]),
        (
            "<max_velocity>0.5</max_velocity><max_angular_velocity>1</max_angular_velocity>"
            "<min_angular_velocity>-1</min_angular_velocity>",
            [0.5, 1.0, None, None],
        ),
    ],
)
def test_limits_of_velocity_bound_those_of_the_robot(tmp_path: Path, content: str, limits: object) -> None:
    read = imported(tmp_path, rover(plugin(SYSTEM + content, "gz-sim-diff-drive-system")))
    wheels = read.document["effectors"][-1]["parameters"]
    names = "max_velocity", "max_turn_velocity", "max_acceleration", "max_turn_acceleration"
    assert [wheels.get(name) for name in names] == limits
    assert not [line for line in read.report.lines() if "dropped" in line]


OTHERS = (
    "<topic>cmd_vel_nav</topic><odom_topic>odom</odom_topic><publish_odom>true</publish_odom>"
    "<ros><namespace>/r</namespace><remapping>cmd_vel:=nav</remapping><remapping>o:=odom</remapping></ros>"
    "<max_linear_jerk>3</max_linear_jerk><robotBaseFrame>base</robotBaseFrame>"
)


def test_tags_of_a_drive_without_a_counterpart_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, sdf(tmp_path, "").read_text().replace("</plugin>", f"{OTHERS}</plugin>"), "other.sdf")
    for read in (imported(tmp_path, rover(plugin(SYSTEM + OTHERS))), read_format(path, 0, LIMITS)):
        lines = [line.partition(" dropped ")[2] for line in read.report.lines() if " dropped <" in line]
        told = [line.partition(" of plugin 'drive' ")[0] for line in lines]
        topics = ["<topic> cmd_vel_nav", "<namespace> /r", "<remapping> cmd_vel:=nav"]
        assert told == [*topics, "<max_linear_jerk> 3", "<robotBaseFrame> base"]
        assert all(line.endswith(": topics are cmd_vel and odom below the robot's name") for line in lines[:3])
        assert lines[3].endswith(": the effector wheels has no such setting")


@pytest.mark.parametrize("tag", ["max_wheel_torque", "wheelTorque", "torque"])
def test_the_torque_of_a_drive_is_that_of_its_wheels(tmp_path: Path, tag: str) -> None:
    torque = f"<{tag}>20</{tag}>"
    text = sdf(tmp_path, "").read_text().replace("</plugin>", f"{torque}</plugin>")
    for path in (write(tmp_path, rover(plugin(CLASSIC + torque))), write(tmp_path, text, "other.sdf")):
        made = load_foreign(path, 0, LIMITS)
        assert {one.max_effort for one in made.model.joints if one.name in ("left", "right")} == {20.0}
        lines = made.report.lines()
        assert said(lines, "understood plugin 'drive'", "motors of 20 N m")
        assert not said(lines, "the file gives no effort")


def test_a_motor_that_only_the_drive_names_is_one_and_links_rub_as_the_file_says(tmp_path: Path) -> None:
    commanded = '<joint name="left"><command_interface name="velocity"/></joint>'
    system = f'<ros2_control name="s" type="system">{commanded}</ros2_control>'
    text = rover(plugin(CLASSIC)).replace("</robot>", f"{system}</robot>")
    (hinge, _) = imported(tmp_path, text).document["effectors"]
    assert hinge["joints"].keys() == {"left", "right"}
    given = {"skid": "0", "left_wheel": "100000", "base": "x"}
    text = rover().replace("</robot>", "".join(friction(*one) for one in given.items()) + "</robot>")
    path = write(tmp_path, text)
    links = map(load_robot(str(path)).model.link, given)
    assert [link.material and link.material.friction for link in links] == [0.0, 2.0, None]
    assert any("dropped friction of link 'base'" in line for line in read_format(path, 0, LIMITS).report.lines())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CLASSIC.replace("left<", "links<"), "<left_joint> names no joint that moves"),
        (CLASSIC.replace("0.066", "-1"), "<wheel_separation> and <wheel_radius> or <wheel_diameter> must be"),
        (NAMES, "<wheel_separation> and"),
        ("", "<left_joint>"),
    ],
)
def test_a_drive_that_cannot_be_is_dropped_with_the_reason(tmp_path: Path, content: str, reason: str) -> None:
    read = imported(tmp_path, rover(plugin(content)))
    assert [one["kind"] for one in read.document["effectors"]] == ["hinge"]
    (line,) = (line for line in read.report.lines() if "dropped plugin 'drive'" in line)
    assert line.startswith("made.urdf:") and reason in line


def sdf(folder: Path, axis: str) -> Path:
    """A rover with an arm, whose joint has some axis."""

    def joint(name: str, child: str, axis: str) -> str:
        kind = f"<joint name='{name}' type='revolute'><parent>base</parent>"
        return f"{kind}<child>{child}</child><axis><xyz>0 0 1</xyz>{axis}</axis></joint>"

    ball = "<geometry><sphere><radius>0.033</radius></sphere></geometry>"
    slippery = "<surface><friction><ode><mu>0</mu></ode></friction></surface>"
    solid = f"<collision name='c'>{ball}{slippery}</collision>"
    links = [f"<link name='{name}'>{solid}</link>" for name in ("base", "left_wheel", "right_wheel", "arm")]
    joints = joint("left", "left_wheel", ""), joint("right", "right_wheel", ""), joint("j", "arm", axis)
    parts = "".join([*links, *joints, plugin(SYSTEM, "gz-sim-diff-drive-system")])
    return write(folder, f"<sdf version='1.9'><model name='rover'>{parts}</model></sdf>", "rover.sdf")


@pytest.mark.parametrize(("stops", "effort"), [("", 0.0), ("<lower>-1</lower><upper>1</upper>", 5.0)])
def test_beside_a_drive_of_sdf_a_joint_with_stops_and_an_effort_has_a_motor(tmp_path, stops, effort) -> None:
    made = load_foreign(sdf(tmp_path, f"<limit>{stops}<effort>5</effort></limit>"), 0, LIMITS)
    (other,) = (one for one in made.model.joints if one.name == "j")
    assert other.max_effort == effort
    (wheels,) = (one for one in made.effectors if one.kind == "wheels")
    assert wheels.parameters == {"left": ["left"], "right": ["right"], "radius": 0.033, "track": 0.16}
    material = made.model.base.material
    assert material is not None and material.friction == 0.0


CASTER = robot(
    body("base", 8.0, '<box size="0.4 0.26 0.08"/>', "-0.1 0 0.06"),
    *(body(side, 0.5, '<cylinder radius="0.08" length="0.03"/>') for side in ("left_wheel", "right_wheel")),
    body("fork", 0.2, '<sphere radius="0.001"/>'),
    body("roller", 0.2, '<sphere radius="0.04"/>'),
)
"""Links of a cart with a swivelling caster."""


def test_a_caster_that_nothing_drives_turns(tmp_path: Path, engine: str) -> None:
    wheels = (
        joint(side, "base", f"{side}_wheel", f'<origin xyz="0 {y} 0" rpy="-1.5707963 0 0"/>', "continuous", "0 0 1")
        for side, y in (("left", 0.15), ("right", -0.15))
    )
    drive = f"{NAMES}<wheel_separation>0.3</wheel_separation><wheel_diameter>0.16</wheel_diameter>"
    # Exporters give every joint an effort, also those that nothing drives.
    origin = '<origin xyz="-0.25 0 0"/><limit effort="5" velocity="20"/>'
    joints = [
        *wheels,
        joint("swivel", "base", "fork", origin, "continuous", "0 0 1"),
        joint("roll", "fork", "roller", '<origin xyz="-0.03 0 -0.04"/>', "continuous", "0 1 0"),
    ]
    text = CASTER.replace("</robot>", "".join([*joints, f"<gazebo>{plugin(drive)}</gazebo></robot>"]))
    write(tmp_path, text)
    with Arena(f"cart={tmp_path / 'made.urdf'}", engine=engine, world="empty") as arena:
        cart = arena["cart"]
        arena.step(25)
        turned = 0.0
        for _ in range(150):
            cart.act("wheels", 0.25, 0.0, 1.0)
            arena.step()
            turned += 0.02 * float(cart.angular_velocity[2])
        angles = dict(zip(cart.joints, cart.joint_positions, strict=True))
    # Speeding up takes 0.1 s of 3. Behind a caster that holds, carts turned by 1.4 to 1.8 rad.
    assert turned == pytest.approx(3.0, abs=0.3)
    # Behind the swivel's way of 0.25 m/s, a roller of 4 cm turns by about 6 rad/s.
    assert abs(angles["roll"]) > 10.0
    assert abs(angles["swivel"]) > 0.3


def test_such_a_robot_drives_as_fast_as_it_is_told(tmp_path: Path) -> None:
    text = rover(plugin(CLASSIC)).replace("</robot>", friction("skid", "0") + "</robot>")
    with Arena(engine="bullet", referee=False, velocity_timeout=0.0) as arena:
        driven = arena.add(load_foreign(write(tmp_path, text), 0, LIMITS), name="rover", position=(0.0, 3.0))
        driven.act("wheels", 0.2, 0.0, 0.0)
        arena.step(50)
        start = driven.position.copy()
        arena.step(50)
        # Bullet's contacts give way a little in each cycle.
        assert driven.position - start == pytest.approx([0.2, 0.0, 0.0], abs=0.004)
