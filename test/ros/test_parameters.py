"""The parameters file of the package says what the node's defaults are."""

from __future__ import annotations

from dataclasses import asdict

import yaml

from simspark_ros.configuration.resources import resource
from simspark_ros.ros.parameters import SPECIFICATIONS, NodeOptions
from simspark_ros.simulation.settings import load_simulation_settings


def test_the_parameters_file_lists_every_parameter_with_its_default() -> None:
    (section,) = yaml.safe_load(resource("config", "simulator.yaml").read_text()).values()
    values = section["ros__parameters"]
    defaults = {
        **asdict(load_simulation_settings()),
        **asdict(NodeOptions()),
        "config": "",
        "robots": [""],
        "changes": [""],
    }
    assert values == defaults
    assert set(values) == {"config", *(spec.name for spec in SPECIFICATIONS)}


def test_every_parameter_is_described_and_refuses_what_is_out_of_range() -> None:
    for spec in SPECIFICATIONS:
        assert spec.description
        if spec.choices:
            assert spec.name in spec.refusal("nonsense")
        if spec.limits:
            assert spec.name in spec.refusal(spec.limits[0] - 1)
            assert not spec.refusal(spec.limits[1])
