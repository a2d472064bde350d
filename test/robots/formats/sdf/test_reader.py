"""Robots and worlds in SDF: what they become."""

import logging
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simspark_ros.arena import Arena
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel, HeightField, JointKind, Mimic, Shape, ShapeKind
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.files.reading import describe
from simspark_ros.robots.formats.sdf.world import read_sdf_world
from simspark_ros.soccer.foreign_world import read_foreign_world_text
from simspark_ros.worlds.world_file import load_world
from test.rigs.engines import spatial_engine_names

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
    return describe(folder / "robot.sdf", read.document, read.urdf, 0, report=read.report)


def places(model: ArticulatedModel) -> dict[str, Transform]:
    """Poses of all links in the base's frame while the joints are at 0."""
    poses, order = {model.base.name: Transform()}, [link.name for link in model.links]
    for one in sorted((*model.joints, *model.fixed_joints), key=lambda one: order.index(one.child)):
        poses[one.child] = poses[one.parent] @ Transform.of(one.position, one.rpy)
    return poses


def test_frames_are_relative_joints_have_poses_limits_and_followers_and_inertias_turn(tmp_path: Path) -> None:
    frame = "<frame name='f' attached_to='a'><pose degrees='true'>1 0 0 0 0 90</pose></frame>"
    content = link("a") + frame + link("b", "<pose relative_to='f'>1 0 0 0 0 0</pose>") + joint()
    pose = places(described(tmp_path, content).model)["b"]
    assert pose.vector() == pytest.approx((1.0, 1.0, 0.0))
    assert pose.rpy()[2] == pytest.approx(math.pi / 2.0)
    content = link("a") + link("b", "<pose>0 0 1 0 0 0</pose>") + joint(more="<pose>0 0 -0.2 0 0 0</pose><axis/>")
    (hinge,) = described(tmp_path, content).model.joints
    assert hinge.position == pytest.approx((0.0, 0.0, 0.8))
    limit = "<limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>"
    dynamics = "<dynamics><damping>0.5</damping><friction>0.25</friction></dynamics>"
    mimic = "<mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic>"
    content = "".join(link(name) for name in "abcd") + joint(more=f"<axis>{limit}{dynamics}</axis>")
    content += joint("revolute", "b", "c", name="k") + joint(child="d", name="l", more=f"<axis>{mimic}</axis>")
    read = described(tmp_path, content, "1.11")
    first, second, follower = read.model.joints
    assert (first.lower, first.upper, first.max_effort, first.max_velocity) == (-1.0, 2.0, 3.0, 4.0)
    assert (first.damping, first.friction) == (0.5, 0.25)
    assert second.kind is JointKind.CONTINUOUS
    assert any("approximated joint 'k': its motor lacks limits" in line for line in read.report.lines())
    assert follower.mimic == Mimic("j", 2.0, 0.0)
    solid = "<collision name='c'><density>500</density><geometry><box><size>1 2 3</size></box></geometry></collision>"
    robot = described(tmp_path, f"<link name='a'><inertial auto='true'/>{solid}</link>", "1.11")
    assert robot.model.base.mass == pytest.approx(3000.0)
    assert robot.model.base.inertia[0] == pytest.approx(3000.0 * (4.0 + 9.0) / 12.0)
    inertia = "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia>"
    inertial = f"<inertial><pose>1 0 0 0 0 1.5707963267948966</pose><mass>2</mass>{inertia}</inertial>"
    base = described(tmp_path, f"<link name='a'>{inertial}</link>").model.base
    assert base.centre == (1.0, 0.0, 0.0)
    assert np.array(base.inertia) == pytest.approx([2.0, 0.0, 0.0, 1.0, 0.0, 2.5], abs=1e-12)


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


@pytest.mark.parametrize(
    ("kind", "names"),
    [("universal", ["j_axis", "j_axis2"]), ("revolute2", ["j_axis", "j_axis2"]), ("ball", ["j_x", "j_y", "j_z"])],
)
def test_joints_of_several_degrees_become_hinges(tmp_path: Path, kind: str, names: list[str]) -> None:
    content = link("a") + link("b") + joint(kind, more="<axis><xyz>1 0 0</xyz></axis><axis2/>")
    model = described(tmp_path, content).model
    assert [one.name for one in model.joints] == names
    assert model.mass == pytest.approx(2.0)


def test_nested_and_included_models_carry_their_names_and_merged_ones_none(tmp_path: Path) -> None:
    write(tmp_path / "leg.sdf", link("shin", "<pose>0 0 1 0 0 0</pose>"), "1.6", "leg")
    content = link("a") + f"<model name='arm'><pose>0 2 0 0 0 0</pose>{link('b')}</model>"
    content += "<include><uri>leg.sdf</uri><name>left</name><pose relative_to='arm::b'>0 1 0 0 0 0</pose></include>"
    content += joint(child="arm::b") + joint(child="left::shin", name="k")
    model = described(tmp_path, content).model
    assert [one.name for one in model.links] == ["a", "arm_b", "left_shin"]
    assert places(model)["left_shin"].vector() == pytest.approx((0.0, 3.0, 1.0))
    write(tmp_path / "leg.sdf", link("shin", "<pose>0 0 1 0 0 0</pose>"), name="leg")
    where = "<placement_frame>shin</placement_frame><pose>0 1 0 0 0 0</pose>"
    content = link("a") + f"<include merge='true'><uri>leg.sdf</uri>{where}</include>" + joint(child="shin")
    assert places(described(tmp_path, content).model)["shin"].vector() == pytest.approx((0.0, 1.0, 0.0))


def test_models_of_a_folder_are_found_where_the_environment_says(tmp_path: Path, monkeypatch) -> None:
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


def test_a_force_torque_sensor_feels_all_that_hangs_on_it_and_what_has_no_counterpart_is_noted(tmp_path: Path) -> None:
    solid = "<collision name='s'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    content = link("a", more=solid) + link("b", more=solid) + link("c", more=solid)
    content += joint("fixed", "b", "c", name="k")
    robot = described(tmp_path, content + joint(more="<axis/><sensor name='s' type='force_torque'/>"))
    (found,) = [one for one in robot.perceptors if one.kind == "force_torque"]
    assert (found.link, robot.model.touch_links) == ("b", ("b", "c"))
    content = link("a", more="\n<sensor name='g' type='navsat'/>") + link("b") + joint("screw")
    read = described(tmp_path, content + "<plugin name='p' filename='x.so'/>")
    assert [(one.parent, one.child) for one in read.model.fixed_joints] == [("a", "b")]
    sensor, screw, plugin = sorted(line for line in read.report.lines() if "dropped" in line)
    assert sensor == "robot.sdf:4: dropped sensor 'g': type 'navsat' is not supported at this place"
    assert plugin == "robot.sdf:7: dropped plugin 'p' (x.so): it is not supported"
    assert screw.startswith("robot.sdf:6: dropped joint 'j': type 'screw'")


def test_bodies_that_nothing_ties_to_the_robot_go_with_their_sensors_and_circles_are_cut_open(tmp_path: Path) -> None:
    lost = link("lost", more="<sensor name='s' type='imu'/><sensor name='t' type='contact'/>")
    torque = "<axis/><sensor name='s' type='force_torque'/>"
    circle = joint(name="i") + joint(parent="b", child="c", more=torque) + joint(parent="c", child="b", name="k")
    read = described(tmp_path, link("a") + link("b") + link("c") + lost + circle)
    assert [one.name for one in read.model.links] == ["a", "b", "c"]
    assert [one.name for one in read.model.joints] == ["i", "j"]
    assert "robot.sdf: dropped body 'lost': no joint ties it to 'a'" in read.report.lines()
    assert "robot.sdf: dropped joint 'k': it closes a loop of bodies" in read.report.lines()


def test_what_moves_against_the_world_hangs_on_a_base_and_old_joints_have_names_of_links(tmp_path: Path) -> None:
    model = described(tmp_path, link("cart") + joint(parent="world", child="cart", name="k")).model
    assert ([one.name for one in model.links], model.fixed_base) == (["world", "cart"], True)
    content = link("a") + link("b") + joint(name="b")
    assert [one.name for one in described(tmp_path, content, "1.6").model.joints] == ["b_joint"]
    with pytest.raises(RobotError, match="<joint> 'b': the name is used twice in the model"):
        imported(tmp_path, content, "1.7")


BOX = "<geometry><box><size>{}</size></box></geometry>"
RED = "<material><diffuse>1 0 0 1</diffuse></material>"
SLIPPERY = "<surface><friction><ode><mu>0.2</mu></ode></friction></surface>"
WALL = f"""<model name='wall 1'><static>true</static><pose>2 0 0.5 0 0 0.5</pose>
  <link name='l'><pose>0 1 0 0 0 0</pose><collision name='c'>{BOX.format("3 0.2 1")}{SLIPPERY}</collision>
    <visual name='v'>{BOX.format("3 0.2 1")}{RED}</visual></link></model>"""
CRATE = f"""<model name='crate'><pose>-1 0 0.15 0 0 0.3</pose>
  <link name='l'><inertial><mass>2</mass></inertial><collision name='c'>{BOX.format("0.3 0.3 0.3")}</collision></link>
</model>"""
MOMENTS = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
CART = f"""<model name='cart'><pose>-2 1 0.3 0 0 1</pose>
  <link name='body'><inertial><mass>2</mass>{MOMENTS}</inertial>
    <collision name='c'>{BOX.format("0.4 0.3 0.1")}</collision></link>
  <link name='arm'><pose>0 0 0.2 0 0 0</pose><inertial><mass>0.5</mass>{MOMENTS}</inertial>
    <collision name='c'><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>
  <joint name='turn' type='revolute'><parent>body</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
</model>"""
PLANE = f"""<model name='floor'><static>1</static><link name='l'><collision name='c'>
  <geometry><plane><normal>0 0 1</normal></plane></geometry>{SLIPPERY}</collision></link></model>"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def hall(folder: Path, content: str, name: str = "hall.world") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"<sdf version='1.6'><world name='hall'>{content}</world></sdf>", encoding="utf-8")
    return path


def test_static_models_are_obstacles_with_the_colour_of_their_visual_and_their_friction(tmp_path: Path) -> None:
    (wall,) = load_world(hall(tmp_path, WALL)).scene.obstacles
    assert wall.name == "wall_1"
    assert wall.shape.size == (3.0, 0.2, 1.0)
    # The link lies 1 m to the left of the model, which is turned by 0.5 rad.
    place = (2.0 - np.sin(0.5), np.cos(0.5), 0.5)
    assert wall.shape.position == pytest.approx(place, abs=1e-8)
    assert wall.shape.rpy == pytest.approx((0.0, 0.0, 0.5), abs=1e-8)
    assert wall.shape.rgba == (1.0, 0.0, 0.0, 1.0)
    assert wall.material is not None and wall.material.friction == 0.2
    # Clients load its text.
    text = (tmp_path / "hall.world").read_text(encoding="utf-8")
    assert "wall_1" in read_foreign_world_text(text, LimitSettings()).document["obstacles"]


@pytest.mark.parametrize("engine", spatial_engine_names())
def test_models_of_one_solid_are_objects(tmp_path: Path, engine: str, caplog: pytest.LogCaptureFixture) -> None:
    path = hall(tmp_path, CRATE + WALL + CART)
    assert read_sdf_world(path)["robots"]["cart"]["type"] == 1
    with Arena(world=str(path), engine=engine) as arena:
        arena.step(25)
        crate, cart = arena["crate"], arena["cart"]
        assert crate.description.model.mass == 2.0
        # Contacts let things sink in by a millimetre or two.
        assert crate.position == pytest.approx((-1.0, 0.0, 0.15), abs=0.003)
        assert cart.joints == ("turn",)
        assert cart.position == pytest.approx((-2.0, 1.0, 0.05), abs=0.003)
        assert np.arctan2(cart.rotation[1, 0], cart.rotation[0, 0]) == pytest.approx(1.0, abs=0.01)
    assert "pose of model 'cart'" in caplog.text


def test_ground_gravity_and_light_are_those_of_the_file(tmp_path: Path) -> None:
    light = "<light type='directional' name='sun'><direction>-1 0 -1</direction></light>"
    things = load_world(hall(tmp_path, f"<gravity>0 0 -1.62</gravity>{light}{PLANE}")).things
    assert things.gravity == (0.0, 0.0, -1.62)
    assert (things.light.azimuth_deg, things.light.elevation_deg) == pytest.approx((0.0, 45.0))
    assert things.ground_surface is not None and things.ground_surface.friction == 0.2
    assert not things.obstacles


def test_included_models_and_their_meshes_are_found_in_the_package(tmp_path: Path) -> None:
    (tmp_path / "package.xml").write_text("<package><name>hall</name></package>", encoding="utf-8")
    model = tmp_path / "models" / "rock"
    model.mkdir(parents=True)
    (model / "model.config").write_text("<model><sdf version='1.6'>model.sdf</sdf></model>", encoding="utf-8")
    (model / "rock.obj").write_text(TETRAHEDRON, encoding="utf-8")
    mesh = "<geometry><mesh><uri>model://rock/rock.obj</uri><scale>2 2 2</scale></mesh></geometry>"
    link = f"<link name='l'><collision name='c'>{mesh}</collision></link>"
    text = f"<sdf version='1.6'><model name='rock'><static>true</static>{link}</model></sdf>"
    (model / "model.sdf").write_text(text, encoding="utf-8")
    world = hall(tmp_path / "worlds", "<include><uri>model://rock</uri><pose>5 0 0 0 0 0</pose></include>")
    (rock,) = load_world(world).scene.obstacles
    assert isinstance(rock.shape, Shape) and rock.shape.kind is ShapeKind.HULL
    assert rock.shape.position == pytest.approx((6.0, 1.0, 1.0))


def test_heightmaps_are_height_fields(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 255], [0, 0]], np.uint8)).save(tmp_path / "hills.png")
    heights = "<heightmap><uri>hills.png</uri><size>4 4 2</size><pos>1 0 0</pos></heightmap>"
    geometry = f"<geometry>{heights}</geometry>"
    link = f"<link name='l'><collision name='c'>{geometry}</collision><visual name='v'>{geometry}</visual></link>"
    model = f"<model name='hills'><static>true</static>{link}</model>"
    (hills,) = load_world(hall(tmp_path, model)).scene.obstacles
    assert isinstance(hills.shape, HeightField)
    assert hills.shape.heights == ((0.0, 0.0), (0.0, 2.0))
    assert (hills.shape.size, hills.shape.position) == ((4.0, 4.0), (1.0, 0.0, 0.0))


def test_gazebo_s_library_is_there_and_others_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    everywhere = "<include><uri>https://fuel/Ground Plane</uri></include><include><uri>model://sun</uri></include>"
    elsewhere = "<include>\n<uri>https://fuel/House</uri></include><include><uri>model://house</uri></include>"
    (wall,) = load_world(hall(tmp_path, everywhere + elsewhere + WALL)).scene.obstacles
    assert wall.name == "wall_1"
    told, missing = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "hall.world:1: dropped include" in told and "download the model" in told
    assert "dropped include" in missing and "model://house" in missing


@pytest.mark.parametrize("address", ["gone.stl", "file://gone.stl"])
def test_a_mesh_of_a_world_that_is_missing_is_dropped_and_named(tmp_path: Path, address: str, caplog) -> None:
    mesh = f"<collision name='c'><geometry><mesh><uri>{address}</uri></mesh></geometry></collision>"
    rock = f"<model name='rock'><static>true</static><link name='l'>{mesh}</link></model>"
    (wall,) = load_world(hall(tmp_path, rock + WALL)).scene.obstacles
    assert wall.name == "wall_1"
    assert "dropped mesh of model 'rock': there is no file 'gone.stl'" in caplog.text


def test_mistakes_are_named_with_file_and_line(tmp_path: Path) -> None:
    path = hall(tmp_path, "\n<model name='m'><static>1</static>\n<pose>0 0 0</pose></model>")
    with pytest.raises(ConfigurationError, match=r"hall\.world:3: <pose>: '0 0 0' must be 6 finite numbers"):
        load_world(path)
