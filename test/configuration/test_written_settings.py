import argparse
import importlib.util
import re

import pytest
import yaml

from simspark_ros.cli import build_parser
from simspark_ros.configuration.resources import resource
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


def test_the_written_files_are_current_and_that_of_the_package_holds_the_defaults(written):
    for path, content in written.files().items():
        assert (ROOT / path).read_text(encoding="utf-8") == content, f"{path}: run scripts/write_settings.py"
    assert load_simulation_settings() == SimulationSettings()


SIDES = ("--left", "--left-name", "--left-dir", "--right", "--right-name", "--right-dir")


@pytest.mark.parametrize(
    ("command", "others"),
    [
        ("serve", {"--no-ros"}),
        ("match", {*SIDES, "--players", "--trainer", "--viewer", "--continue", "--log"}),
        ("proxy", {"--server"}),
        ("replay", set()),
        ("view", {"--speed", "--screenshot", "--after", "--size"}),
    ],
)
def test_the_page_has_the_options_of_a_command(written, command, others):
    more = ["The simulation", "Limits", "Limits on clients"] if command == "serve" else []
    titles = [f"`simspark {command}`", *more]
    page = "".join(written.page().split(f"## {title}\n")[1].split("\n## ")[0] for title in titles)
    listed = set()
    for name, text in re.findall(r"^\| `(\w+)`.*\| (.*) \|$", page, re.MULTILINE):
        option = re.search(r"option `(--[\w-]+)`", text)
        listed |= set() if "(no option)" in text else {option[1] if option else f"--{name.replace('_', '-')}"}
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    options = {option for action in commands.choices[command].filled()._actions for option in action.option_strings}
    assert options - {"-h", "--help"} - others == listed


@pytest.mark.parametrize("name", ["simulator", "bridge", "camera"])
def test_parameter_files_can_be_read(name):
    (node,) = yaml.safe_load(resource("config", f"{name}.yaml").read_text()).values()
    assert len(node["ros__parameters"]) > 5
