"""The files that hold or describe settings are what the declarations say."""

from __future__ import annotations

import dataclasses
import importlib.util

import pytest
import yaml

from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import declarations
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings

ROOT = resource("config").parent


@pytest.fixture(scope="module")
def written():
    script = ROOT / "scripts" / "write_settings.py"
    if not script.is_file():
        pytest.skip("only in a checkout")
    spec = importlib.util.spec_from_file_location("write_settings", script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_written_files_are_current(written):
    for path, content in written.files().items():
        assert (ROOT / path).read_text(encoding="utf-8") == content, f"{path}: run scripts/write_settings.py"


def test_all_settings_are_described(written):
    for _, _, cls in written.TABLES:
        for declaration in declarations(cls):
            is_argument = declaration.default is dataclasses.MISSING
            assert is_argument or len(declaration.setting.help) > 4, declaration.name


def test_the_settings_file_of_the_package_holds_the_defaults():
    assert load_simulation_settings() == SimulationSettings()


@pytest.mark.parametrize("name", ["simulator", "bridge", "camera"])
def test_parameter_files_can_be_read(name):
    (node,) = yaml.safe_load(resource("config", f"{name}.yaml").read_text()).values()
    assert len(node["ros__parameters"]) > 5
