from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import build
from simspark_ros.perceptors.vision import VisionParameters
from simspark_ros.physics.model import SurfaceMaterial
from simspark_ros.robots.body.size import check_size
from simspark_ros.robots.catalogue import load_robot, robot_names, variants
from simspark_ros.robots.description import RobotError

TYPES = range(5)
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
URDF = """<robot name="cart">
  <link name="trunk">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="wheel"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="laser"/>
  <joint name="axle" type="continuous"><parent link="trunk"/><child link="wheel"/></joint>
  <joint name="mount" type="fixed"><parent link="trunk"/><child link="laser"/></joint>
</robot>"""

Writer = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    def write_robot(yaml: str, model: str = URDF, model_name: str = "cart.urdf") -> str:
        (tmp_path / model_name).write_text(model, encoding="utf-8")
        path = tmp_path / "cart.yaml"
        path.write_text(f"model: {model_name}\n{yaml}", encoding="utf-8")
        return str(path)

    return write_robot


def classic_sensors(kind: int) -> list[tuple[str, str]]:
    """Kind and name of perceptors in the order of a classic message, from the protocol's description."""

    def joints(prefix: str, *numbers: int) -> list[tuple[str, str]]:
        return [("hinge_joint", f"{prefix}{number}") for number in numbers]

    sensors = [(word, word) for word in ("time", "game_state", "agent_state", "hear")]
    sensors += [("gyroscope", "torso"), ("accelerometer", "torso"), *joints("hj", 1, 2)]
    sensors += [("restricted_vision", "vision")]
    sensors += joints("raj", 1, 2, 3, 4) + joints("laj", 1, 2, 3, 4)
    for side in "rl":
        sensors += [*joints(f"{side}lj", 1, 2, 3, 4, 5), ("force_resistance", f"{side}f"), *joints(f"{side}lj", 6)]
        if kind == 4:
            sensors += [("force_resistance", f"{side}f1"), *joints(f"{side}lj", 7)]
    return sensors


@pytest.mark.parametrize("kind", TYPES)
def test_sensors_are_in_the_order_of_a_classic_message_and_effectors_have_classic_names(kind: int) -> None:
    robot = load_robot("nao", kind)
    (vision,) = (sensor for sensor in robot.perceptors if sensor.kind == "restricted_vision")
    # The defaults are the errors that were measured.
    assert build(VisionParameters, vision.parameters, "vision") == VisionParameters()
    places = {(sensor.kind, sensor.name): sensor.link for sensor in robot.perceptors}
    assert list(places) == [*classic_sensors(kind), ("camera", "camera")]
    assert (places["force_resistance", "rf"], places["restricted_vision", "vision"]) == ("rfoot", "head")
    assert places.get(("force_resistance", "lf1"), "ltoe") == "ltoe"
    assert list(robot.visible_parts) == ["head", "rlowerarm", "llowerarm", "rfoot", "lfoot"]
    hinges = {effector.joint: effector.name for effector in robot.effectors if effector.kind == "hinge"}
    assert hinges == {joint.name: joint.name.replace("j", "e") for joint in robot.model.joints}
    others = {"beam", "say", "syn", "pass", "stiffness", "pantilt", "walk"}
    assert {e.kind for e in robot.effectors if not e.joint} == others


def test_a_robot_of_ones_own_needs_a_urdf_and_a_few_lines_which_may_add_frames(write: Writer) -> None:
    text = """touch_links: [{link: wheel}]
materials: {wheel: {friction: 0.3, restitution: 0.5}}
perceptors:
  - {kind: touch, link: trunk}
  - {kind: lidar, link: laser, parameters: {rays: 180}}
  - {kind: hinge_joint, joints: [axle]}
effectors: [{kind: hinge, joints: {axle: drive}}]"""
    robot = load_robot(write(text))
    assert (robot.name, robot.variant, robot.spawn_height) == ("cart", 0, 0.2)
    assert [(s.kind, s.name, s.link, s.parameters) for s in robot.perceptors] == [
        ("touch", "touch", "trunk", {}),
        ("lidar", "lidar", "laser", {"rays": 180}),
        ("hinge_joint", "axle", "axle", {}),
    ]
    assert [(e.kind, e.name, e.joint) for e in robot.effectors] == [("hinge", "drive", "axle")]
    assert robot.original == URDF
    assert robot.model.link("wheel").material == SurfaceMaterial(0.3, 0.5)
    assert robot.model.link("trunk").material is None
    # A sensor of contacts has those of its link measured.
    assert robot.model.touch_links == ("wheel", "trunk")
    eye = "{name: eye, link: trunk, position: [0.1, 0.0, 0.2], rpy_deg: [0.0, 90.0, 0.0]}"
    more = '{name: "a&b", link: eye}]\nperceptors: [{kind: gyroscope, link: eye}]\n'
    robot = load_robot(write(f"frames: [{eye}, {more}"))
    (placed, named) = (frame for frame in robot.model.frames if frame.name in ("eye", "a&b"))
    for frame in (placed, named):
        assert (frame.link, frame.position) == ("trunk", pytest.approx((0.1, 0.0, 0.2)))
    assert placed.rpy == pytest.approx((0.0, 1.5707963267948966, 0.0))
    assert '<link name="eye"/>' in robot.original


def test_a_xacro_model_gets_the_variant_as_type(write: Writer) -> None:
    root = f'<robot name="cart$(arg type)" {XACRO}><xacro:arg name="type" default="0"/>'
    path = write("variants: {2: {}}", URDF.replace('<robot name="cart">', root), "cart.urdf.xacro")
    assert load_robot(path, 2).model.name == "cart2"


@pytest.mark.parametrize(
    ("yaml", "parts"),
    [
        ("perceptor: []", ["'perceptor'", "perceptors, effectors"]),
        ("linear_drag: much", ["linear_drag", "'much'"]),
        ("linear_drag: -1", ["linear_drag", "at least 0"]),
        ("angular_drag: .nan", ["angular_drag", "finite"]),
        ("shapes: {trunk: cone}", ["shapes: trunk", "'capsule'"]),
        ("shapes: {neck: capsule}", ["'neck'", "trunk, wheel"]),
        ("touch_links: [{link: foot}]", ["'foot'", "trunk, wheel"]),
        ("touch_links: [{link: wheel, variants: [7]}]", ["touch_links[0]: variants", "7", "use one of: 0"]),
        ("perceptors: [{kind: touch, link: nose}]", ["perceptors[0]: link: unknown link 'nose'", "trunk, wheel"]),
        ("perceptors: [{kind: touch, link: laser}]", ["'laser' has no mass, so it is part of link 'trunk'"]),
        ("perceptors: [{kind: force_resistance, link: wheel}]", ["'wheel' has no colliding solid", "touch nothing"]),
        ("visible_parts: {head: head}", ["visible_parts: head", "'head'", "trunk, wheel"]),
        ("visible_parts: {'x)(y': trunk}", ["visible_parts: 'x)(y' must be", "without blanks, brackets and quotes"]),
        (f"visible_parts: {{{'x' * 81}: trunk}}", [f"visible_parts: '{'x' * 40}...' must be 1 to 80 printable"]),
        ("visible_parts: {1: trunk}", ["visible_parts: the key 1 must be text"]),
        ('visible_parts: {"x\\ud800": trunk}', ["is not valid YAML: line 2, column"]),
        ("perceptors: [{kind: hear, name: 'x) (GS'}]", ["perceptors[0]: name: 'x) (GS' must be"]),
        ("effectors: [{kind: hinge, joints: {axle: (syn)}}]", ["effectors[0]: name: '(syn)' must be"]),
        ("based_on: " + "secret " * 20, ["unknown robot 'secret secret"]),
        ("self_collision_exclusions: [[trunk, head]]", ["self_collision_exclusions[0]", "'head'", "trunk, wheel"]),
        ("self_collision_exclusions: [[trunk]]", ["self_collision_exclusions[0]", "pair of links"]),
        ("perceptors: [{link: trunk}]", ["perceptors[0]", "'kind' is missing"]),
        ("perceptors: [{kind: camera, lnk: trunk}]", ["perceptors[0]", "'lnk'", "kind, name, link"]),
        ("perceptors: [{kind: camera, link: eye}]", ["perceptors[0]: link", "'eye'", "trunk, wheel, laser"]),
        ("perceptors: [{kind: hinge_joint, joints: [knee]}]", ["perceptors[0]: joints", "'knee'", "axle"]),
        ("perceptors: [{kind: hinge_joint, joints: [axle], name: a}]", ["perceptors[0]", "joints replace name"]),
        ("perceptors: [{kind: hear}, {kind: hear}]", ["[1]: has kind 'hear'", "cart.yaml: perceptors[0]; rename"]),
        ("effectors: [{kind: hinge, joints: {knee: k}}]", ["effectors[0]: joints", "'knee'", "axle"]),
        ("effectors: [{kind: say}, {kind: say}]", ["effectors[1]: has kind 'say'", "cart.yaml: effectors[0]"]),
        ("frames: [{name: eye, link: head}]", ["'eye_mount'", "'head'"]),
        ("frames: [{name: wheel, link: trunk}]", ["'wheel'"]),
        ("variants: {wide: {}}", ["variants", "whole numbers"]),
        ("more_perceptors: []", ["'more_perceptors'", "did you mean 'perceptors'"]),
        ("based_on: nao\nmore_perceptors: [{kind: camera, lnk: head}]", ["cart.yaml: more_perceptors[0]: unknown key"]),
        ("based_on: nao\nmore_effectors: hop", ["more_effectors: must be a list, not 'hop'"]),
        ("based_on: nao\nmotor_data: cart.none.yaml", ["cart.none.yaml: cannot be read"]),
        ("based_on: nao\nmotor_data: cart.yaml", ["motor_data: unknown key 'model'"]),
        ("based_on: nao\nmotor_data: {battery: {volts: 9}}", ["motor_data: battery: unknown key 'volts'"]),
        ("based_on: nao\nmotors: strong", ["motors: must be one of 'ideal', 'realistic'"]),
        ("based_on: sphere\nmotors: realistic", ["motors: realistic motors need motor_data"]),
        ("materials: {tyre: {}}", ["materials: unknown link 'tyre'"]),
    ],
)
def test_mistakes_in_the_file_are_named_with_what_is_allowed(write: Writer, yaml: str, parts: list[str]) -> None:
    with pytest.raises(RobotError) as caught:
        load_robot(write(yaml))
    assert "cart." in str(caught.value) or "unknown robot" in str(caught.value)
    assert str(caught.value).count("secret") < 12
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("base", "more", "message"),
    [
        ("{kind: camera, link: eye}", "", r"base\.yaml: perceptors\[1\]: link: unknown link or frame 'eye'"),
        ("{kind: hear}", "{kind: camera, link: eye}", r"cart\.yaml: more_perceptors\[0\]: link: unknown link"),
        ("{kind: hear}", "{kind: camera, lnk: eye}", r"cart\.yaml: more_perceptors\[0\]: unknown key 'lnk'"),
        ("{kind: hear}", "{kind: time}", r"more_perceptors\[0\]: .* like .*base\.yaml: perceptors\[0\]"),
    ],
)
def test_an_entry_is_named_by_file_and_key(write: Writer, tmp_path: Path, base: str, more: str, message: str) -> None:
    (tmp_path / "base.yaml").write_text(f"model: cart.urdf\nperceptors: [{{kind: time}}, {base}]", encoding="utf-8")
    with pytest.raises(RobotError, match=message):
        load_robot(write(f"based_on: base.yaml\nmore_perceptors: [{more}]"))


def test_a_file_changes_single_numbers_of_its_base_and_unknown_ones_are_refused(tmp_path: Path, write: Writer) -> None:
    path = tmp_path / "small_battery.yaml"
    path.write_text("based_on: nao\nmotors: realistic\nmotor_data: {battery: {energy: 1000.0}}")
    robot, base = load_robot(str(path)), load_robot("nao")
    assert (robot.motors, base.motors) == ("realistic", "ideal")
    assert robot.motor_data is not None and base.motor_data is not None
    assert (robot.motor_data.battery.energy, robot.motor_data.gears) == (1000.0, base.motor_data.gears)
    without_model = write("")
    (tmp_path / "cart.urdf").unlink()
    for name, variant, told in (
        ("noa", 0, r"unknown robot 'noa'; use one of: .*nao.* did you mean 'nao'"),
        ("nao", 9, "no variant 9; use one of: 0, 1, 2, 3, 4"),
        (str(tmp_path / "missing.yaml"), 0, "cannot be read"),
        (without_model, 0, r"cart\.urdf: the model file does not exist"),
    ):
        with pytest.raises(RobotError, match=told):
            load_robot(name, variant)


@pytest.mark.parametrize("model", ["<robot", f'<robot name="${{1/0}}" {XACRO}/>'])
def test_a_failing_xacro_is_named_with_its_arguments(write: Writer, model: str) -> None:
    with pytest.raises(RobotError, match=r"cart\.urdf\.xacro: xacro failed for type:=0: "):
        load_robot(write("", model, "cart.urdf.xacro"))


@pytest.mark.parametrize("name", robot_names())
def test_a_clients_robot_that_is_based_on_one_of_the_package_may_be_as_large(name: str) -> None:
    for variant in variants(name):
        check_size(load_robot(name, variant), LimitSettings())
