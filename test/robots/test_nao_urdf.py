"""The Nao's xacro as others use it: processed by the command line, read by another URDF reader."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pybullet
import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.robots.catalogue import load_robot
from test.rigs.robots.link_centres import link_centres

TYPES = range(5)


@pytest.mark.parametrize("kind", TYPES)
def test_the_document_is_plain_urdf_with_one_root(kind: int) -> None:
    root = ET.fromstring(load_robot("nao", kind).urdf)
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


@pytest.mark.parametrize("kind", TYPES)
def test_every_part_is_drawn(kind: int) -> None:
    assert [link.name for link in load_robot("nao", kind).model.links if not link.visuals] == []


def test_the_xacro_command_gives_the_same_robot() -> None:
    command = [sys.executable, "-c", "import xacro; xacro.main()", str(resource("urdf", "nao.urdf.xacro")), "type:=3"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert ET.canonicalize(output, strip_text=True) == ET.canonicalize(load_robot("nao", 3).urdf, strip_text=True)


@pytest.mark.parametrize("kind", TYPES)
def test_another_reader_sees_the_same_parts_in_a_bent_pose(kind: int, tmp_path: Path) -> None:
    robot = load_robot("nao", kind)
    path = tmp_path / "nao.urdf"
    path.write_text(robot.urdf, encoding="utf-8")
    angles = {joint.name: 0.4 * joint.lower + 0.6 * joint.upper for joint in robot.model.joints}
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
        seen = bullet_centres(body, angles, client)
    finally:
        pybullet.disconnect(client)
    expected = link_centres(robot.model, angles)
    for name, centre in expected.items():
        # PyBullet reads URDF in single precision.
        np.testing.assert_allclose(seen[name] - seen["torso"], centre - expected["torso"], atol=2e-6, err_msg=name)


def bullet_centres(body: int, angles: dict[str, float], client: int) -> dict[str, np.ndarray]:
    indices = range(pybullet.getNumJoints(body, physicsClientId=client))
    infos = [pybullet.getJointInfo(body, index, physicsClientId=client) for index in indices]
    for info in infos:
        if (name := info[1].decode()) in angles:
            pybullet.resetJointState(body, info[0], angles[name], physicsClientId=client)
    states = [pybullet.getLinkState(body, i, computeForwardKinematics=True, physicsClientId=client) for i in indices]
    return {info[12].decode(): np.array(state[0]) for info, state in zip(infos, states, strict=True)}
