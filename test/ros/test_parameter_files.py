"""The files in config/ hold the defaults of the nodes."""

from __future__ import annotations

import pytest
import yaml

from simspark_ros.configuration.resources import resource
from simspark_ros.ros.bridge import node as bridge
from simspark_ros.ros.camera import node as camera


@pytest.mark.parametrize(
    ("name", "node", "declared"), [("bridge", "bridge", bridge), ("camera", "simspark_camera", camera)]
)
def test_a_parameter_file_repeats_the_defaults_of_its_node(name, node, declared):
    content = yaml.safe_load(resource("config", f"{name}.yaml").read_text())
    values = content[f"/**/{node}"]["ros__parameters"]
    assert values == {specification.name: default for specification, default in declared.PARAMETERS}
