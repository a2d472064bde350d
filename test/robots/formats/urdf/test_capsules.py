"""Capsules for readers of URDF that have none."""

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.formats.urdf.capsules import without_capsules

LYING = f"""<robot name="a"><link name="b">
  <inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  <visual><geometry><box size="1 1 1"/></geometry></visual>
  <collision name="c"><origin xyz="1 2 3" rpy="0 {math.pi / 2} 0"/>
    <geometry><capsule radius="0.1" length="0.4"/></geometry></collision>
</link></robot>"""


def test_a_capsule_becomes_a_cylinder_with_a_sphere_at_each_end() -> None:
    first, *ends = ET.fromstring(without_capsules(LYING)).iter("collision")
    assert [solid.attrib for solid in first.iter("cylinder")] == [{"radius": "0.1", "length": "0.4"}]
    assert first.get("name") == "c" and all("name" not in end.attrib for end in ends)
    assert [[solid.tag for solid in end.iter("sphere")] for end in ends] == [["sphere"], ["sphere"]]
    places = [end.find("origin") for end in ends]
    centres = np.array([place.get("xyz", "").split() for place in places if place is not None], float)
    assert centres == pytest.approx(np.array([(1.2, 2.0, 3.0), (0.8, 2.0, 3.0)]))


def test_a_document_without_capsules_is_not_touched() -> None:
    text = LYING.replace("capsule", "cylinder")
    assert without_capsules(text) is text


def test_what_a_link_says_beside_its_solid_is_kept() -> None:
    root = ET.fromstring(without_capsules(LYING.replace("</collision>", "<note><geometry/></note></collision>")))
    assert [len(one.findall("note/geometry")) for one in root.iter("collision")] == [1, 1, 1]


def test_what_a_robot_publishes_has_no_capsule_but_its_body_has(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text(LYING, encoding="utf-8")
    robot = load_robot(str(tmp_path / "a.urdf"))
    assert "<capsule" in robot.urdf and [shape.kind.value for shape in robot.model.base.collisions] == ["capsule"]
    assert "capsule" not in robot.published and robot.published.count("<sphere") == 2
