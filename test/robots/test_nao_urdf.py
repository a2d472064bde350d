"""The Nao's xacro as others use it: processed by the command line, read by another URDF reader."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.robots.catalogue import load_robot

TYPES = range(5)


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
