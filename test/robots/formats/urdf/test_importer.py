"""What a URDF document becomes, and capsules for readers that have none."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.model import JointKind, ShapeKind
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.urdf.capsules import without_capsules
from simspark_ros.robots.formats.urdf.importer import import_urdf

EXACT = 1e-12
"""Rounding of a few products of numbers of size 1."""
MASS = '<inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5"/></inertial>'
HALF = '<color rgba="1 0"/>'
LIMIT = '<limit lower="-1" upper="1" effort="3" velocity="4"/>'


def link(name: str, content: str = MASS) -> str:
    return f'<link name="{name}">{content}</link>'


def joint(name: str, parent: str, child: str, kind: str = "fixed", content: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{content}</joint>'


def robot(*elements: str) -> str:
    return f'<robot name="probe">{"".join(elements)}</robot>'


def test_massless_links_become_frames_and_their_joints_and_shapes_pass_to_the_body_that_carries_them() -> None:
    turn = f'<origin xyz="1 0 0" rpy="0 0 {math.pi / 2}"/>'
    document = robot(
        link("base_link", ""),
        link("footprint", ""),
        link("trunk"),
        joint("a", "base_link", "footprint", content='<origin xyz="0 0 -1"/>'),
        joint("b", "base_link", "trunk", content=f'<origin xyz="1 2 3" rpy="0 0 {math.pi / 2}"/>'),
        *(link("mast", ""), link("camera", "")),
        joint("c", "trunk", "mast", content=turn),
        joint("d", "mast", "camera", content=turn),
    )
    model = import_urdf(document)
    assert model.name == "probe"
    assert [body.name for body in model.links] == ["trunk"]
    assert model.joints == model.fixed_joints == ()
    frames = {frame.name: frame for frame in model.frames}
    # Seen from the trunk, turned a quarter to the left, the root's x points to -y.
    np.testing.assert_allclose(frames["base_link"].position, (-2, 1, -3), atol=EXACT)
    np.testing.assert_allclose(frames["base_link"].rpy, (0, 0, -math.pi / 2), atol=EXACT)
    np.testing.assert_allclose(frames["footprint"].position, (-2, 1, -4), atol=EXACT)
    assert {frame.link for frame in model.frames} == {"trunk"}
    camera = link_frames(model)["camera"]
    np.testing.assert_allclose(camera.position, (1, 1, 0), atol=EXACT)
    np.testing.assert_allclose(camera.rotation, np.diag([-1.0, -1.0, 1.0]), atol=EXACT)
    plate = '<collision><origin xyz="0 1 0"/><geometry><box size="1 1 1"/></geometry></collision>'
    axle = f'<origin xyz="1 0 0"/><axis xyz="0 0 2"/>{LIMIT}'
    document = robot(
        link("trunk"),
        link("mount", plate),
        link("wheel"),
        link("weight"),
        joint("a", "trunk", "mount", content=f'<origin xyz="0 0 1" rpy="0 0 {math.pi / 2}"/>'),
        joint("b", "mount", "wheel", "revolute", axle),
        joint("c", "mount", "weight"),
    )
    model = import_urdf(document)
    (movable,), (fixed,) = model.joints, model.fixed_joints
    assert (movable.parent, movable.child, movable.axis) == ("trunk", "wheel", (0, 0, 1))
    np.testing.assert_allclose(movable.position, (0, 1, 1), atol=EXACT)
    np.testing.assert_allclose(movable.rpy, (0, 0, math.pi / 2), atol=EXACT)
    assert (fixed.parent, fixed.child, fixed.kind) == ("trunk", "weight", JointKind.FIXED)
    (shape,) = model.base.collisions
    np.testing.assert_allclose(shape.position, (-1, 0, 1), atol=EXACT)


def test_joints_keep_their_order_inertia_turns_cylinders_may_be_capsules_and_names_must_exist() -> None:
    document = robot(
        *(link(name) for name in ("hand", "arm", "leg", "trunk")),
        joint("wrist", "arm", "hand", "continuous"),
        joint("hip", "trunk", "leg", "prismatic", LIMIT),
        joint("shoulder", "trunk", "arm", "revolute", LIMIT),
    )
    model = import_urdf(document)
    assert [j.name for j in model.joints] == ["wrist", "hip", "shoulder"]
    assert [body.name for body in model.links] == ["trunk", "leg", "arm", "hand"]
    wrist, hip, _ = model.joints
    assert (wrist.kind, wrist.axis, wrist.lower, wrist.upper) == (JointKind.CONTINUOUS, (1, 0, 0), -math.inf, math.inf)
    assert (wrist.max_velocity, wrist.max_effort) == (math.inf, math.inf)
    assert (hip.lower, hip.upper, hip.max_effort, hip.max_velocity) == (-1, 1, 3, 4)
    turned = MASS.replace("<mass", f'<origin xyz="1 2 3" rpy="0 0 {math.pi / 2}"/><mass')
    base = import_urdf(robot(link("trunk", turned))).base
    assert (base.mass, base.centre) == (2, (1, 2, 3))
    assert base.inertia == pytest.approx((2, 0, 0, 1, 0, 2.5), abs=EXACT)
    solid = '<geometry><cylinder radius="1" length="2"/></geometry>'
    document = robot(link("trunk", f"{MASS}<collision>{solid}</collision><visual>{solid}</visual>"))
    base = import_urdf(document, shapes={"trunk": ShapeKind.CAPSULE}).base
    assert (base.collisions[0].kind, base.collisions[0].size) == (ShapeKind.CAPSULE, (1, 2))
    assert base.visuals[0].kind is ShapeKind.CYLINDER
    with pytest.raises(RobotError, match="'foot': the robot has no such link; it has: trunk"):
        import_urdf(robot(link("trunk")), touch_links=["foot"])
    with pytest.raises(RobotError, match="'neck': the robot has no such link"):
        import_urdf(robot(link("trunk")), shapes={"neck": ShapeKind.CAPSULE})
    with pytest.raises(RobotError, match="'sole': contacts are measured only on links with mass"):
        import_urdf(robot(link("trunk"), link("sole", ""), joint("j", "trunk", "sole")), touch_links=["sole"])


def geometry(solid: str) -> str:
    return robot(link("trunk", f"{MASS}<collision><geometry>{solid}</geometry></collision>"))


def hinge(content: str, kind: str = "revolute") -> str:
    return robot(link("trunk"), link("arm"), joint("elbow", "trunk", "arm", kind, content))


def body(mass: str = "1", moment: str = "1") -> str:
    tensor = " ".join(f'i{axes}="{moment}"' for axes in ("xx", "yy", "zz"))
    return robot(link("trunk", f'<inertial><mass value="{mass}"/><inertia {tensor}/></inertial>'))


@pytest.mark.parametrize("number", ["1e30", "-1e200"])
@pytest.mark.parametrize(
    ("document", "part"),
    [
        (lambda n: body(mass=n), "inertial of link 'trunk': value="),
        (lambda n: body(moment=n), "inertial of link 'trunk': ixx="),
        (lambda n: geometry(f'<box size="1 {n} 1"/>'), "size="),
        (lambda n: geometry(f'<sphere radius="{n}"/>'), "radius="),
        (lambda n: geometry(f'<cylinder radius="1" length="{n}"/>'), "length="),
        (lambda n: hinge(f'<origin xyz="0 0 {n}"/>{LIMIT}'), "origin of joint 'elbow': xyz="),
        (lambda n: hinge(f'<origin rpy="{n} 0 0"/>{LIMIT}'), "origin of joint 'elbow': rpy="),
        (lambda n: hinge(f'<axis xyz="{n} 0 0"/>{LIMIT}'), "joint 'elbow': xyz="),
        (lambda n: hinge(f'<limit lower="{n}" upper="{n}" effort="3" velocity="4"/>'), "joint 'elbow': lower="),
        (lambda n: hinge(LIMIT.replace('effort="3"', f'effort="{n}"')), "joint 'elbow': effort="),
        (lambda n: hinge(LIMIT.replace('velocity="4"', f'velocity="{n}"')), "joint 'elbow': velocity="),
    ],
)
def test_numbers_far_beyond_any_robot_are_refused(document: Callable[[str], str], part: str, number: str) -> None:
    with pytest.raises(RobotError, match=rf"{re.escape(part)}\S+ must be at least .* and at most "):
        import_urdf(document(number), source="probe.urdf")


@pytest.mark.parametrize(
    ("document", "part"),
    [
        (body(mass="1e-300"), "value=1e-300 must be at least 1e-06"),
        (body(moment="1e-20"), "a principal moment of its <inertia>=1e-20 must be at least 1e-09"),
        (geometry('<sphere radius="1e-300"/>'), "radius=1e-300 must be at least 0.0001"),
        (hinge(f'<axis xyz="0 1e-300 0"/>{LIMIT}'), "its axis has no length"),
    ],
)
def test_numbers_that_are_nearly_nothing_are_refused(document: str, part: str) -> None:
    with pytest.raises(RobotError, match=re.escape(part)):
        import_urdf(document, source="probe.urdf")


@pytest.mark.parametrize(
    ("document", "parts"),
    [
        ("<robot>\n  <link>\n</robot>", ["line 3", "not well-formed"]),
        ("<sdf/>", ["<robot>", "<sdf>"]),
        ('<!DOCTYPE robot [<!ENTITY a "b">]><robot>&a;</robot>', ["<!DOCTYPE>", "remove it"]),
        (robot(), ["at least one"]),
        (robot(link("a"), link("b")), ["links a, b", "roots"]),
        (robot(link("a"), link("a")), ["link 'a'", "twice"]),
        (robot(link("a"), link("b"), joint("j", "a", "b"), joint("j", "a", "b")), ["joint 'j'", "twice"]),
        (robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "a", "b")), ["joint 'k'", "child of joint 'j'"]),
        (robot(link("a"), link("b"), link("c"), joint("j", "b", "c"), joint("k", "c", "b")), ["links b, c", "cycle"]),
        (robot(link("a"), joint("j", "a", "ghost")), ["joint 'j'", "link 'ghost'", "use one of: a"]),
        (robot(link("a", "")), ["root link 'a'", "<inertial>"]),
        (robot(link("a"), link("b", ""), joint("j", "a", "b", "continuous")), ["link 'b'", "joint 'j'", "<inertial>"]),
        (robot(link("")), ["a link", "'name'"]),
        (robot(link("x" * 81)), ["a link", "name='xxx", "at most 80 printable characters"]),
        (robot(link("a")).replace("probe", "a&#10;b"), ["the document", "at most 80 printable characters"]),
        (robot(link("\ud800")), ["half of a character"]),
        (robot(link("a", MASS.replace('"2"', '"nan"'))), ["inertial of link 'a'", "value='nan'", "finite"]),
        (robot(link("a", MASS.replace('iyy="2"', ""))), ["inertial of link 'a'", "'iyy'"]),
        (robot(link("a", MASS.replace('iyy="2"', 'iyy="0"'))), ["inertial of link 'a'", "positive definite"]),
        (robot(link("a", '<inertial><mass value="1"/></inertial>')), ["inertial of link 'a'", "<inertia>"]),
        (geometry('<mesh filename="trunk.stl"/>'), ["collision of link 'trunk'", "<mesh>", "box, sphere"]),
        (geometry(""), ["collision of link 'trunk'", "exactly one solid"]),
        (geometry('<box size="1 2"/>'), ["collision of link 'trunk'", "3 finite numbers"]),
        (geometry('<box size="1 2 -3"/>'), ["collision of link 'trunk'", "size=-3 must be at least 0.0001"]),
        (hinge(LIMIT, "ball"), ["joint 'elbow'", "'ball'", "revolute, continuous, prismatic, fixed"]),
        (hinge(""), ["joint 'elbow'", "<limit>"]),
        (hinge(LIMIT.replace('upper="1"', 'upper="-2"')), ["joint 'elbow'", "lower limit"]),
        (hinge(LIMIT.replace('effort="3"', 'effort="-3"')), ["joint 'elbow'", "effort=-3 must be at least 0"]),
        (hinge('<origin xyz="0 0 inf"/>' + LIMIT), ["origin of joint 'elbow'", "finite"]),
        (hinge('<mimic joint="other"/>' + LIMIT), ["joint 'elbow'", "follows 'other'"]),
        (robot(link("a"), f'<material name="red">{HALF}</material>'), ["material 'red'", "4 finite numbers"]),
    ],
)
def test_unusable_documents_are_refused_with_document_element_and_remedy(document: str, parts: list[str]) -> None:
    with pytest.raises(RobotError) as caught:
        import_urdf(document, source="probe.urdf")
    assert str(caught.value).startswith("probe.urdf: ")
    for part in parts:
        assert part in str(caught.value)


LYING = f"""<robot name="a"><link name="b">
  <inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  <visual><geometry><box size="1 1 1"/></geometry></visual>
  <collision name="c"><origin xyz="1 2 3" rpy="0 {math.pi / 2} 0"/>
    <geometry><capsule radius="0.1" length="0.4"/></geometry></collision>
</link></robot>"""


def test_a_capsule_becomes_a_cylinder_with_a_sphere_at_each_end_when_it_is_published(tmp_path: Path) -> None:
    first, *ends = ET.fromstring(without_capsules(LYING)).iter("collision")
    assert [solid.attrib for solid in first.iter("cylinder")] == [{"radius": "0.1", "length": "0.4"}]
    assert first.get("name") == "c" and all("name" not in end.attrib for end in ends)
    assert [[solid.tag for solid in end.iter("sphere")] for end in ends] == [["sphere"], ["sphere"]]
    places = [end.find("origin") for end in ends]
    centres = np.array([place.get("xyz", "").split() for place in places if place is not None], float)
    assert centres == pytest.approx(np.array([(1.2, 2.0, 3.0), (0.8, 2.0, 3.0)]))
    text = LYING.replace("capsule", "cylinder")
    assert without_capsules(text) is text
    root = ET.fromstring(without_capsules(LYING.replace("</collision>", "<note><geometry/></note></collision>")))
    assert [len(one.findall("note/geometry")) for one in root.iter("collision")] == [1, 1, 1]
    (tmp_path / "a.urdf").write_text(LYING, encoding="utf-8")
    robot = load_robot(str(tmp_path / "a.urdf"))
    assert "<capsule" in robot.urdf and [shape.kind.value for shape in robot.model.base.collisions] == ["capsule"]
    assert "capsule" not in robot.published and robot.published.count("<sphere") == 2
