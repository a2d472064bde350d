"""The Nao's numbers against tables written independently of its models, and the published data of the real one."""

import math
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.model import ArticulatedModel, Joint, ShapeKind, Vector
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.lola import JOINTS
from test.rigs.robots.link_centres import link_centres

TYPES = range(5)
EXACT = 1e-12
"""Sums of a handful of decimal numbers of size 1: rounding only."""
PRINTED = 6e-7
"""The tables of derived positions are printed to 6 decimals."""

# Right side, relative to the torso's centre, m, of types 0, 1 and 3.
PLACES: dict[str, tuple[Vector, Vector, Vector]] = {
    "lowerarm": ((0.098, 0.14, 0.084), (0.098, 0.17664, 0.084), (0.098, 0.195737, 0.084)),
    "thigh": ((0.055, 0, -0.155), (0.055, 0, -0.17332), (0.072954, 0, -0.182868)),
    "shank": ((0.055, 0.005, -0.28), (0.055, 0.005, -0.29832), (0.072954, 0.005, -0.307868)),
    "ankle": ((0.055, -0.005, -0.335), (0.055, -0.005, -0.37164), (0.072954, -0.005, -0.390737)),
    "foot": ((0.055, 0.025, -0.375), (0.055, 0.025, -0.41164), (0.072954, 0.025, -0.430737)),
}
ZERO_POSE = {kind: {part: places[n] for part, places in PLACES.items()} for n, kind in enumerate((0, 1, 3))}
ZERO_POSE[2] = ZERO_POSE[0]
ZERO_POSE[4] = {**ZERO_POSE[0], "foot": (0.055, 0.007241, -0.375), "toe": (0.055, 0.087241, -0.38)}
for _parts in ZERO_POSE.values():
    _parts["shoulder"] = (0.098, 0, 0.075)
    _parts["upperarm"] = (0.108, 0.02, 0.075)
    _parts["hip1"] = _parts["hip2"] = (_parts["thigh"][0], -0.01, -0.115)

STANDING = {0: 0.385, 1: 0.42164, 2: 0.385, 3: 0.440737, 4: 0.385}
LEG_LENGTHS = {0: (0.12010, 0.10000), 1: (0.13841, 0.11832), 3: (0.14795, 0.12787)}
LEG_LENGTHS[2] = LEG_LENGTHS[4] = LEG_LENGTHS[0]

# Right side: joint -> child, anchor relative to the torso's centre, axis, stops in degrees; the anchors of type 0.
AXIS_UP, AXIS_RIGHT, AXIS_FORWARD = (0, 0, 1), (1, 0, 0), (0, 1, 0)
RIGHT_JOINTS: dict[str, tuple[str, Vector, Vector, float, float]] = {
    "raj1": ("rshoulder", (0.098, 0, 0.075), AXIS_RIGHT, -120, 120),
    "raj2": ("rupperarm", (0.098, 0, 0.075), AXIS_UP, -95, 1),
    "raj3": ("relbow", (0.098, 0.09, 0.084), AXIS_FORWARD, -120, 120),
    "raj4": ("rlowerarm", (0.098, 0.09, 0.084), AXIS_UP, -1, 90),
    "rlj1": ("rhip1", (0.055, -0.01, -0.115), (-0.7071, 0, 0.7071), -90, 1),
    "rlj2": ("rhip2", (0.055, -0.01, -0.115), AXIS_FORWARD, -45, 25),
    "rlj3": ("rthigh", (0.055, -0.01, -0.115), AXIS_RIGHT, -25, 100),
    "rlj4": ("rshank", (0.055, -0.005, -0.235), AXIS_RIGHT, -130, 1),
    "rlj5": ("rankle", (0.055, -0.005, -0.335), AXIS_RIGHT, -45, 75),
    "rlj6": ("rfoot", (0.055, -0.005, -0.34), AXIS_FORWARD, -25, 45),
}
HEAD_JOINTS: dict[str, tuple[str, Vector, Vector, float, float]] = {
    "hj1": ("neck", (0, 0, 0.09), AXIS_UP, -120, 120),
    "hj2": ("head", (0, 0, 0.15), AXIS_RIGHT, -45, 45),
}
LEFT_AXES: dict[str, Vector] = {"llj1": (-0.7071, 0, -0.7071)}
SWAPPED_ON_THE_LEFT = {"laj2", "laj4", "llj2", "llj6"}


def model_of(kind: int) -> ArticulatedModel:
    return load_robot("nao", kind).model


def from_classic(vector: Vector) -> Vector:
    """x right, y forward, z up -> x forward, y left, z up."""
    return (vector[1], -vector[0], vector[2])


def mirrored(vector: Vector) -> Vector:
    """The same place on the left side, classic frame."""
    return (-vector[0], vector[1], vector[2])


def joint_named(model: ArticulatedModel, name: str) -> Joint:
    return next(joint for joint in model.joints if joint.name == name)


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_has_the_numbers_of_the_type_table_and_its_parts_where_the_classic_model_has_them(kind: int) -> None:
    robot = load_robot("nao", kind)
    model, frames = robot.model, link_frames(robot.model)
    assert model.mass == pytest.approx(4.6071, abs=EXACT)
    assert (model.linear_drag, model.angular_drag) == (0.01, 0.01)
    assert model.touch_links == (("rfoot", "rtoe", "lfoot", "ltoe") if kind == 4 else ("rfoot", "lfoot"))
    hip, knee, ankle = (frames[name].position for name in ("rthigh", "rshank", "rankle"))
    # Printed to 5 decimals.
    assert np.linalg.norm(knee - hip) == pytest.approx(LEG_LENGTHS[kind][0], abs=6e-6)
    assert np.linalg.norm(ankle - knee) == pytest.approx(LEG_LENGTHS[kind][1], abs=6e-6)
    assert robot.spawn_height == pytest.approx(STANDING[kind], abs=PRINTED)
    for frame in ("l_sole", "r_sole", "l_toe", "r_toe"):
        assert frames[frame].position[2] == pytest.approx(-robot.spawn_height, abs=EXACT), frame
    ankle_pitch, ankle_roll = (8.80667, 3.47234) if kind == 2 else (6.1395, 6.1395)
    special = {"lj5": ankle_pitch, "lj6": ankle_roll}
    for joint in model.joints:
        assert joint.max_velocity == special.get(joint.name[1:], 6.13955), joint.name
    # In the order of a classic message.
    arms, legs = ([f"{side}{limb}j{i}" for side in "rl" for i in range(1, 8)] for limb in "al")
    names = [joint.name for joint in model.joints]
    assert names == [name for name in ("hj1", "hj2", *arms, *legs) if name in names]
    assert len(names) == (24 if kind == 4 else 22)
    centres = link_centres(model_of(kind))
    np.testing.assert_allclose(centres["neck"], (0, 0, 0.09), atol=EXACT)
    np.testing.assert_allclose(centres["head"], (0, 0, 0.155), atol=EXACT)
    for part, place in ZERO_POSE[kind].items():
        np.testing.assert_allclose(centres["r" + part], from_classic(place), atol=PRINTED)
        np.testing.assert_allclose(centres["l" + part], from_classic(mirrored(place)), atol=PRINTED)


@pytest.mark.parametrize("name", [*HEAD_JOINTS, *RIGHT_JOINTS])
@pytest.mark.parametrize("kind", TYPES)
def test_joints_turn_about_classic_axes_within_classic_stops_on_both_sides(kind: int, name: str) -> None:
    child, anchor, axis, lower, upper = {**HEAD_JOINTS, **RIGHT_JOINTS}[name]
    assert_joint(joint_named(model_of(kind), name), child, axis, lower, upper)
    frames = link_frames(model_of(0))
    np.testing.assert_allclose(frames[child].position, from_classic(anchor), atol=EXACT)
    if name in RIGHT_JOINTS:
        np.testing.assert_allclose(frames["l" + child[1:]].position, from_classic(mirrored(anchor)), atol=EXACT)
        left = "l" + name[1:]
        if left in SWAPPED_ON_THE_LEFT:
            lower, upper = -upper, -lower
        assert_joint(joint_named(model_of(kind), left), "l" + child[1:], LEFT_AXES.get(left, axis), lower, upper)


def assert_joint(joint: Joint, child: str, axis: Vector, lower: float, upper: float) -> None:
    assert joint.child == child
    # The classic 0.7071 is a rounded square root of 1/2.
    np.testing.assert_allclose(joint.axis, from_classic(axis), atol=1e-5)
    assert np.linalg.norm(joint.axis) == pytest.approx(1.0, abs=EXACT)
    assert math.degrees(joint.lower) == pytest.approx(lower, abs=EXACT * 1e3)
    assert math.degrees(joint.upper) == pytest.approx(upper, abs=EXACT * 1e3)
    assert joint.max_effort == 10.0


def test_toes_hinge_at_a_shortened_foot_the_neck_is_a_capsule_and_frames_are_upright_at_zero() -> None:
    model = model_of(4)
    for side in "rl":
        joint = joint_named(model, f"{side}lj7")
        assert joint.parent == f"{side}foot"
        assert_joint(joint, f"{side}toe", AXIS_RIGHT, -1, 70)
        # The underside of the toe at its rear edge; the roll joint half a toe behind the ankle.
        for name, mass, size, place in (
            ("foot", 0.177801, (0.124482, 0.08, 0.02), (-0.005 - 0.017758828, -0.34)),
            ("toe", 0.022199, (0.035518, 0.08, 0.01), (0.087241 - 0.035517656 / 2, -0.385)),
        ):
            link = model.link(side + name)
            assert (link.mass, *link.collisions[0].size) == pytest.approx((mass, *size), abs=PRINTED)
            assert link_frames(model)[side + name].position[[0, 2]] == pytest.approx(np.array(place), abs=PRINTED)
    neck = model_of(0).link("neck")
    assert (neck.collisions[0].kind, neck.collisions[0].size) == (ShapeKind.CAPSULE, (0.015, 0.08))
    # Integrated numerically, slice by slice along z; 20000 slices are good to about 1e-8 of the value.
    radius, half = 0.015, 0.04
    edges = np.linspace(-half - radius, half + radius, 20001)
    z = (edges[1:] + edges[:-1]) / 2
    squared = radius**2 - np.clip(np.abs(z) - half, 0, None) ** 2
    weights = 0.05 * squared / squared.sum()
    along, across = (weights * squared / 2).sum(), (weights * (squared / 4 + z**2)).sum()
    assert neck.inertia == pytest.approx((across, 0, 0, across, 0, along), rel=1e-6)
    poses = link_frames(model_of(0))
    hips = (poses["rhip1"].position + poses["lhip1"].position) / 2
    np.testing.assert_allclose(poses["base_link"].position, hips, atol=EXACT)
    np.testing.assert_allclose(poses["l_ankle"].position, poses["lankle"].position, atol=EXACT)
    np.testing.assert_allclose(poses["camera"].position, (0, 0, 0.155), atol=EXACT)
    for name, pose in poses.items():
        if name != "camera_optical":
            np.testing.assert_allclose(pose.rotation, np.eye(3), atol=EXACT, err_msg=name)
    # The optical frame looks along z, with x to the right.
    np.testing.assert_allclose(poses["camera_optical"].rotation[:, [2, 0]].T, [(1, 0, 0), (0, -1, 0)], atol=EXACT)


# Part without its side -> mass, classic edge lengths of its box.
BOXES: dict[str, tuple[float, Vector]] = {
    "upperarm": (0.15, (0.07, 0.08, 0.06)),
    "lowerarm": (0.2, (0.05, 0.11, 0.05)),
    "thigh": (0.275, (0.07, 0.07, 0.14)),
    "shank": (0.225, (0.08, 0.07, 0.11)),
    "foot": (0.2, (0.08, 0.16, 0.02)),
}
GHOSTS = {"shoulder": 0.07, "elbow": 0.035, "hip1": 0.09, "hip2": 0.125, "ankle": 0.125}
"""Spheres of radius 0.01 that do not collide: their masses."""


def box_inertia(mass: float, size: Vector) -> tuple[float, ...]:
    x, y, z = (edge * edge for edge in size)
    return (mass * (y + z) / 12, 0, 0, mass * (x + z) / 12, 0, mass * (x + y) / 12)


@pytest.mark.parametrize("side", "rl")
def test_parts_are_solid_boxes_and_spheres(side: str) -> None:
    model = model_of(0)
    boxes = {side + part: box for part, box in BOXES.items()} | {"torso": (1.2171, (0.1, 0.1, 0.18))}
    for name, (mass, (right, forward, up)) in boxes.items():
        link = model.link(name)
        assert link.mass == pytest.approx(mass, abs=EXACT)
        assert link.inertia == pytest.approx(box_inertia(mass, (forward, right, up)), abs=1e-15)
        (shape,) = link.collisions
        assert (shape.kind, shape.size) == (ShapeKind.BOX, (forward, right, up))
        assert shape.position == link.centre
    for name, mass, radius in (*((side + part, mass, 0.01) for part, mass in GHOSTS.items()), ("head", 0.35, 0.065)):
        link = model.link(name)
        moment = 0.4 * mass * radius**2
        assert link.mass == mass
        assert link.inertia == pytest.approx((moment, 0, 0, moment, 0, moment), abs=1e-15)
        # The head alone touches things.
        spheres = [(ShapeKind.SPHERE, (radius,))] if name == "head" else []
        assert [(shape.kind, shape.size) for shape in link.collisions] == spheres


@pytest.mark.parametrize("kind", TYPES)
def test_humanoid_frames_have_their_names_and_sit_on_the_right_links(kind: int) -> None:
    toe = "toe" if kind == 4 else "foot"
    expected = {"base_link": "torso"}
    expected |= dict.fromkeys(("gaze", "camera", "camera_optical"), "head")
    for side in "rl":
        expected |= {f"{side}_wrist": f"{side}lowerarm", f"{side}_ankle": f"{side}foot", f"{side}_sole": f"{side}foot"}
        expected[f"{side}_toe"] = side + toe
    model = model_of(kind)
    assert {frame.name: frame.link for frame in model.frames} == expected
    assert not set(expected) & {link.name for link in model.links}


HEAD = ("HeadYaw", "HeadPitch")
ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll")
LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
DRIVERS = (*HEAD, *(f"L{part}" for part in (*ARM, *LEG)), *(f"R{part}" for part in (*LEG, *ARM)))
"""Joints in the order of nao_lola, without hands and wrists; the right one of the coupled hips has no number there."""
CLASSIC = (
    *("hj1", "hj2"),
    *(f"laj{number}" for number in range(1, 5)),
    *(f"llj{number}" for number in range(1, 7)),
    *(f"rlj{number}" for number in range(1, 7)),
    *(f"raj{number}" for number in range(1, 5)),
)
PITCHES = ("HeadPitch", "ShoulderPitch", "HipPitch", "KneePitch", "AnklePitch")


def sign(name: str) -> float:
    """REP-103 counts a pitch about +y, the classic league about -y."""
    return -1.0 if name.removeprefix("L").removeprefix("R") in PITCHES else 1.0


def test_joints_have_the_names_and_the_order_of_the_drivers_and_are_sensed_and_commanded() -> None:
    assert tuple(joint.name for joint in load_robot("nao_lola").model.joints) == DRIVERS
    robot = load_robot("nao_lola", 4)
    joints = {joint.name for joint in robot.model.joints}
    assert {spec.name for spec in robot.perceptors if spec.kind == "hinge_joint"} == joints
    assert {spec.joint for spec in robot.effectors if spec.kind == "hinge"} == joints


@pytest.mark.parametrize("kind", range(5))
def test_the_body_is_the_classic_one(kind: int) -> None:
    classic, real = (load_robot(name, kind).model for name in ("nao", "nao_lola"))
    names = dict(zip(CLASSIC, DRIVERS, strict=True)) | {"llj7": "LToePitch", "rlj7": "RToePitch"}
    source = np.random.default_rng(kind)
    angles = {joint.name: float(source.uniform(joint.lower, joint.upper)) for joint in classic.joints}
    same = {names[name]: (-1.0 if "ToePitch" in names[name] else sign(names[name])) * a for name, a in angles.items()}
    centres, expected = link_centres(real, same), link_centres(classic, angles)
    assert centres.keys() == expected.keys()
    for name, centre in expected.items():
        assert centres[name] == pytest.approx(centre, abs=1e-12), name
    assert {(link.name, link.mass, link.inertia) for link in real.links} == {
        (link.name, link.mass, link.inertia) for link in classic.links
    }
    limits = {joint.name: (joint.lower, joint.upper, joint.max_velocity, joint.max_effort) for joint in real.joints}
    for joint in classic.joints:
        stops = sorted(same[names[joint.name]] / angles[joint.name] * stop for stop in (joint.lower, joint.upper))
        assert limits[names[joint.name]] == pytest.approx((*stops, joint.max_velocity, joint.max_effort))


ANKLE = 0.04519
"""Published height of the ankle, m."""


STOPS = {
    "HeadPitch": (-0.672, 0.5149),
    "LShoulderRoll": (-0.3142, 1.3265),
    "RElbowRoll": (0.0349, 1.5446),
    "RHipRoll": (-0.7904, 0.3795),
    "LAnkleRoll": (-0.3979, 0.769),
    "RKneePitch": (-0.0923, 2.1125),
}


@pytest.fixture
def model():
    return load_robot("nao_v6").model


def test_mass_joints_stops_motors_and_lengths_are_the_published_ones(model):
    # The sum of the masses of all links on the maker's page, whose last digits are tenths of a gram.
    assert model.mass == pytest.approx(5.3053, abs=1e-3)
    joints = {joint.name: joint for joint in model.joints}
    assert joints.keys() == {*JOINTS, "RHipYawPitch"}
    for name, stops in STOPS.items():
        assert (joints[name].lower, joints[name].upper) == pytest.approx(stops, abs=1e-4)
    # No-load speed and stall torque over the gear: 8300 rpm and 68 mNm by 130.85, 10700 rpm and 14.3 mNm by 150.27.
    for name, speed, torque, gear in (("LKneePitch", 8300, 0.068, 130.85), ("HeadYaw", 10700, 0.0143, 150.27)):
        assert joints[name].max_velocity == pytest.approx(speed * 2 * np.pi / 60 / gear)
        assert joints[name].max_effort == pytest.approx(torque * gear)
    frames = {frame.name: frame for frame in model.frames}
    assert frames["l_sole"].position[2] == -ANKLE
    at_zero = link_centres(model, {joint.name: 0.0 for joint in model.joints})
    foot = {link.name: link for link in model.links}["lfoot"].centre
    # From the torso: hip offset, thigh and shank.
    ankle = at_zero["lfoot"] - foot - (at_zero["torso"] - np.array(model.base.centre))
    assert ankle == pytest.approx([0.0, 0.05, -(0.085 + 0.1 + 0.1029)], abs=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_the_document_is_plain_urdf_with_one_root(kind: int) -> None:
    robot = load_robot("nao", kind)
    assert [link.name for link in robot.model.links if not link.visuals] == []
    root = ET.fromstring(robot.urdf)
    assert (root.tag, root.get("name")) == ("robot", f"nao_type{kind}")
    # No macro, argument or expression is left.
    assert {element.tag for element in root} == {"material", "link", "joint"}
    assert not [value for element in root.iter() for value in element.attrib.values() if "$" in value]
    links = [element.get("name") for element in root.findall("link")]
    children = [child.get("link") for child in root.findall("joint/child")]
    parents = [parent.get("link") for parent in root.findall("joint/parent")]
    assert len(set(links)) == len(links)
    assert set(parents) <= set(links)
    assert sorted(str(name) for name in [*children, "base_link"]) == sorted(str(name) for name in links)
    used = {material.get("name") for material in root.findall("link/visual/material")}
    assert used <= {material.get("name") for material in root.findall("material")}


def test_the_xacro_command_gives_the_same_robot() -> None:
    command = [sys.executable, "-c", "import xacro; xacro.main()", str(resource("urdf", "nao.urdf.xacro")), "type:=3"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert ET.canonicalize(output, strip_text=True) == ET.canonicalize(load_robot("nao", 3).urdf, strip_text=True)
