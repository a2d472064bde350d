"""What a robot in SDF becomes."""

import math
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel, JointKind, Mimic
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.files.reading import describe

LIMITS = LimitSettings()
INERTIAL = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"


def link(name: str, pose: str = "", more: str = "") -> str:
    return f"<link name='{name}'>{pose}{INERTIAL}{more}</link>\n"


def joint(kind: str = "revolute", parent: str = "a", child: str = "b", more: str = "<axis/>", name: str = "j") -> str:
    return f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{more}</joint>\n"


def write(path: Path, content: str, version: str = "1.9", name: str = "robot") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<sdf version='{version}'>\n<model name='{name}'>\n{content}</model></sdf>", encoding="utf-8")
    return path


def imported(folder: Path, content: str, version: str = "1.9") -> Imported:
    return read_format(write(folder / "robot.sdf", content, version), 0, LIMITS)


def described(folder: Path, content: str, version: str = "1.9") -> RobotDescription:
    read = imported(folder, content, version)
    return describe(folder / "robot.sdf", read.document, read.urdf, 0)


def places(model: ArticulatedModel) -> dict[str, Transform]:
    """Poses of all links in the base's frame while the joints are at 0."""
    poses = {model.base.name: Transform()}
    for one in sorted(
        (*model.joints, *model.fixed_joints), key=lambda one: [x.name for x in model.links].index(one.child)
    ):
        poses[one.child] = poses[one.parent] @ Transform.of(one.position, one.rpy)
    return poses


def test_frames_stand_relative_to_one_another(tmp_path: Path) -> None:
    model = described(
        tmp_path,
        link("a")
        + "<frame name='f' attached_to='a'><pose degrees='true'>1 0 0 0 0 90</pose></frame>"
        + link("b", "<pose relative_to='f'>1 0 0 0 0 0</pose>")
        + joint(),
    ).model
    pose = places(model)["b"]
    assert pose.vector() == pytest.approx((1.0, 1.0, 0.0))
    assert pose.rpy()[2] == pytest.approx(math.pi / 2.0)


def test_the_joint_has_its_own_pose_in_the_child(tmp_path: Path) -> None:
    content = link("a") + link("b", "<pose>0 0 1 0 0 0</pose>") + joint(more="<pose>0 0 -0.2 0 0 0</pose><axis/>")
    (hinge,) = described(tmp_path, content).model.joints
    assert hinge.position == pytest.approx((0.0, 0.0, 0.8))


TURNED = "<pose>0 0 0 0 0 1.5707963267948966</pose>"
X, Y = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)


@pytest.mark.parametrize(
    ("version", "xyz", "axis"),
    [
        # Up to 1.4 axes are those of the model; in the frame of the turned child, its x is -y.
        ("1.4", "<xyz>1 0 0</xyz>", Y),
        ("1.5", "<xyz>1 0 0</xyz>", X),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", Y),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>false</use_parent_model_frame>", X),
        ("1.7", "<xyz expressed_in='__model__'>1 0 0</xyz>", Y),
        ("1.11", "<xyz expressed_in='a'>2 0 0</xyz>", Y),
        ("1.11", "<xyz>1 0 0</xyz>", X),
    ],
)
def test_each_version_has_its_axes(tmp_path: Path, version: str, xyz: str, axis: tuple[float, ...]) -> None:
    content = link("a") + link("b", TURNED) + joint(more=f"<axis>{xyz}</axis>")
    (hinge,) = described(tmp_path, content, version).model.joints
    assert hinge.axis == pytest.approx(axis, abs=1e-12)


def test_limits_dynamics_and_followers_are_read_and_missing_limits_noted(tmp_path: Path) -> None:
    limit = "<limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>"
    dynamics = "<dynamics><damping>0.5</damping><friction>0.25</friction></dynamics>"
    mimic = "<mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic>"
    content = "".join(link(name) for name in "abcd") + joint(more=f"<axis>{limit}{dynamics}</axis>")
    content += joint("revolute", "b", "c", name="k") + joint(child="d", name="l", more=f"<axis>{mimic}</axis>")
    read = imported(tmp_path, content, "1.11")
    first, second, follower = describe(tmp_path / "robot.sdf", read.document, read.urdf, 0).model.joints
    assert (first.lower, first.upper, first.max_effort, first.max_velocity) == (-1.0, 2.0, 3.0, 4.0)
    assert (first.damping, first.friction) == (0.5, 0.25)
    assert second.kind is JointKind.CONTINUOUS
    assert any("approximated joint 'k': its motor lacks limits" in line for line in read.report.lines())
    assert follower.mimic == Mimic("j", 2.0, 0.0)


@pytest.mark.parametrize(
    ("kind", "names"),
    [("universal", ["j_axis", "j_axis2"]), ("revolute2", ["j_axis", "j_axis2"]), ("ball", ["j_x", "j_y", "j_z"])],
)
def test_joints_of_several_degrees_become_hinges(tmp_path: Path, kind: str, names: list[str]) -> None:
    content = link("a") + link("b") + joint(kind, more="<axis><xyz>1 0 0</xyz></axis><axis2/>")
    model = described(tmp_path, content).model
    assert [one.name for one in model.joints] == names
    assert model.mass == pytest.approx(2.0)


def test_nested_and_included_models_carry_their_names(tmp_path: Path) -> None:
    write(tmp_path / "leg.sdf", link("shin", "<pose>0 0 1 0 0 0</pose>"), "1.6", "leg")
    content = (
        link("a")
        + f"<model name='arm'><pose>0 2 0 0 0 0</pose>{link('b')}</model>"
        + "<include><uri>leg.sdf</uri><name>left</name><pose relative_to='arm::b'>0 1 0 0 0 0</pose></include>"
        + joint(child="arm::b")
        + joint(child="left::shin", name="k")
    )
    model = described(tmp_path, content).model
    assert [one.name for one in model.links] == ["a", "arm_b", "left_shin"]
    assert places(model)["left_shin"].vector() == pytest.approx((0.0, 3.0, 1.0))


def test_a_merged_model_has_no_name_and_its_placement_frame_gets_the_pose(tmp_path: Path) -> None:
    write(tmp_path / "leg.sdf", link("shin", "<pose>0 0 1 0 0 0</pose>"), name="leg")
    where = "<placement_frame>shin</placement_frame><pose>0 1 0 0 0 0</pose>"
    content = link("a") + f"<include merge='true'><uri>leg.sdf</uri>{where}</include>" + joint(child="shin")
    model = described(tmp_path, content).model
    assert places(model)["shin"].vector() == pytest.approx((0.0, 1.0, 0.0))


def test_models_of_a_folder_are_found_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "models" / "wheel" / "new.sdf", link("rim"), name="wheel")
    config = "<model><sdf version='1.9'>old.sdf</sdf><sdf version='1.10'>new.sdf</sdf></model>"
    (tmp_path / "models" / "wheel" / "model.config").write_text(config, encoding="utf-8")
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", f"{tmp_path / 'none'}:{tmp_path / 'models'}")
    content = link("a") + "<include><uri>model://wheel</uri></include>" + joint(child="wheel::rim")
    path = write(tmp_path / "robots" / "robot.sdf", content)
    assert "wheel_rim" in read_format(path, 0, LIMITS).urdf


@pytest.mark.parametrize("is_model", [True, False])
def test_models_beside_a_model_are_found_by_their_manifest(tmp_path: Path, is_model: bool) -> None:
    write(tmp_path / "models" / "wheel" / "model.sdf", link("rim"), name="wheel")
    config = "<model><sdf version='1.9'>model.sdf</sdf></model>"
    if is_model:
        (tmp_path / "models" / "wheel" / "model.config").write_text(config, encoding="utf-8")
    content = link("a") + "<include><uri>model://wheel</uri></include>" + joint(child="wheel::rim")
    path = write(tmp_path / "models" / "robot" / "robot.sdf", content)
    if is_model:
        assert "wheel_rim" in read_format(path, 0, LIMITS).urdf
    else:
        with pytest.raises(RobotError, match=r"nor in the folder of a model beside it \(model\.config\)"):
            read_format(path, 0, LIMITS)


def test_an_automatic_inertia_is_that_of_the_collisions(tmp_path: Path) -> None:
    solid = "<collision name='c'><density>500</density><geometry><box><size>1 2 3</size></box></geometry></collision>"
    robot = described(tmp_path, f"<link name='a'><inertial auto='true'/>{solid}</link>", "1.11")
    assert robot.model.base.mass == pytest.approx(3000.0)
    assert robot.model.base.inertia[0] == pytest.approx(3000.0 * (4.0 + 9.0) / 12.0)


def test_inertias_turn_with_their_pose(tmp_path: Path) -> None:
    inertia = "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia>"
    inertial = f"<inertial><pose>1 0 0 0 0 1.5707963267948966</pose><mass>2</mass>{inertia}</inertial>"
    base = described(tmp_path, f"<link name='a'>{inertial}</link>").model.base
    assert base.centre == (1.0, 0.0, 0.0)
    assert np.array(base.inertia) == pytest.approx([2.0, 0.0, 0.0, 1.0, 0.0, 2.5], abs=1e-12)


@pytest.mark.parametrize(
    ("sensor", "kind", "parameters"),
    [
        ("<sensor name='s' type='imu'/>", "gyroscope", {"noise": 0.0}),
        ("<sensor name='s' type='magnetometer'/>", "magnetometer", {}),
        ("<sensor name='s' type='contact'/>", "touch", {}),
        (
            "<sensor name='s' type='sonar'><sonar><min>0.1</min><max>2</max><radius>2</radius></sonar></sensor>",
            "range",
            {"field_of_view_deg": 90.0, "range_min": 0.1, "range_max": 2.0},
        ),
        (
            "<sensor name='s' type='ray'><update_rate>10</update_rate><ray><scan><horizontal><samples>9</samples>"
            "<min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan></ray></sensor>",
            "laser",
            {"beams": 9, "interval": 5, "angle_max_deg": math.degrees(1.0)},
        ),
        (
            "<sensor name='s' type='depth_camera'><camera><horizontal_fov>1.5</horizontal_fov><clip><far>7</far></clip>"
            "<image><width>32</width><height>24</height></image></camera></sensor>",
            "camera",
            {"width": 32, "height": 24, "depth": True, "depth_max": 7.0, "horizontal_fov_deg": math.degrees(1.5)},
        ),
    ],
)
def test_sensors_become_perceptors(tmp_path: Path, sensor: str, kind: str, parameters: dict[str, object]) -> None:
    robot = described(tmp_path, link("a", more=sensor))
    (found,) = [one for one in robot.perceptors if one.kind == kind]
    assert {key: found.parameters[key] for key in parameters} == pytest.approx(parameters)


def test_a_force_torque_sensor_of_a_joint_feels_all_that_hangs_on_it(tmp_path: Path) -> None:
    solid = "<collision name='s'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    content = link("a", more=solid) + link("b", more=solid) + link("c", more=solid)
    content += joint("fixed", "b", "c", name="k")
    robot = described(tmp_path, content + joint(more="<axis/><sensor name='s' type='force_torque'/>"))
    (found,) = [one for one in robot.perceptors if one.kind == "force_torque"]
    assert (found.link, robot.model.touch_links) == ("b", ("b", "c"))


def test_what_has_no_counterpart_is_noted_with_its_line(tmp_path: Path) -> None:
    content = link("a", more="\n<sensor name='g' type='navsat'/>") + link("b") + joint("screw")
    read = imported(tmp_path, content + "<plugin name='p' filename='x.so'/>")
    model = describe(tmp_path / "robot.sdf", read.document, read.urdf, 0).model
    assert [(one.parent, one.child) for one in model.fixed_joints] == [("a", "b")]
    sensor, screw, plugin = sorted(line for line in read.report.lines() if "dropped" in line)
    assert sensor == "robot.sdf:4: dropped sensor 'g': type 'navsat' is not supported at this place"
    assert plugin == "robot.sdf:7: dropped plugin 'p': it is not supported"
    assert screw.startswith("robot.sdf:6: dropped joint 'j': type 'screw'")


def test_bodies_that_nothing_ties_to_the_robot_go_with_their_sensors_and_circles_are_cut_open(tmp_path: Path) -> None:
    lost = link("lost", more="<sensor name='s' type='imu'/><sensor name='t' type='contact'/>")
    torque = "<axis/><sensor name='s' type='force_torque'/>"
    circle = joint(name="i") + joint(parent="b", child="c", more=torque) + joint(parent="c", child="b", name="k")
    read = imported(tmp_path, link("a") + link("b") + link("c") + lost + circle)
    model = describe(tmp_path / "robot.sdf", read.document, read.urdf, 0).model
    assert [one.name for one in model.links] == ["a", "b", "c"]
    assert [one.name for one in model.joints] == ["i", "j"]
    assert "robot.sdf: dropped body 'lost': no joint ties it to 'a'" in read.report.lines()
    assert "robot.sdf: dropped joint 'k': it closes a loop of bodies" in read.report.lines()


def test_what_a_motor_moves_against_the_world_hangs_on_a_bolted_base(tmp_path: Path) -> None:
    model = described(tmp_path, link("cart") + joint(parent="world", child="cart", name="k")).model
    assert [one.name for one in model.links] == ["world", "cart"]
    assert model.fixed_base


def test_a_joint_may_have_the_name_of_a_link_before_1_7(tmp_path: Path) -> None:
    content = link("a") + link("b") + joint(name="b")
    assert [one.name for one in described(tmp_path, content, "1.6").model.joints] == ["b_joint"]
    with pytest.raises(RobotError, match="<joint> 'b': the name is used twice in the model"):
        imported(tmp_path, content, "1.7")
