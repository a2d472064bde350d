"""docs/how_to/plugins.md and its package: what is printed is what is there, and the package works in both worlds."""

import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import make_dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from simspark_ros import cli, plugins
from simspark_ros.configuration.entry_points import announced
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import build
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import EffectorSpec, PerceptorSpec
from simspark_ros.simulation.plug_in_nodes import third_party_control_nodes
from simspark_ros.simulation.registry import known_effectors
from test.commands.serving.test_serve import running

DOCUMENT = resource("docs", "how_to", "plugins.md")
TEMPLATE = DOCUMENT.parents[2] / "config" / "skeletons" / "plug-in"
BLOCKS = re.findall(r"(?:`([\w/.]+)`[^\n]*\n(?:[^`\n][^\n]*\n)*\n)?```(\w+)\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template as pip installs it."""
    folder = tmp_path_factory.mktemp("plugins")
    shutil.copytree(TEMPLATE, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", folder / "site", folder / "source"], check=True, capture_output=True)
    return folder / "site"


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The template is installed for this process and those it starts, which run in its folder."""
    announced.cache_clear()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep))
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(TEMPLATE)
    yield site
    announced.cache_clear()


def test_the_document_shows_the_files_of_the_template_which_imports_one_module_of_the_simulator() -> None:
    shown = {name: text for name, language, text in BLOCKS if language != "console"}
    paths = [path for path in TEMPLATE.rglob("*.*") if path.is_file() and "__pycache__" not in path.parts]
    files = {str(path.relative_to(TEMPLATE)): path.read_text() for path in paths}
    unshown = {"robot_parts/__init__.py", "robots/hopper.urdf"}
    assert shown == {name: text for name, text in files.items() if name not in unshown}
    sources = "".join(path.read_text() for path in TEMPLATE.rglob("*.py"))
    assert set(re.findall(r"(?:from|import) (simspark_ros[\w.]*)", sources)) == {"simspark_ros.plugins"}


def test_all_names_but_those_for_topics_are_there_without_ros_and_others_are_named() -> None:
    program = """
import sys
sys.modules["rclpy"] = None
import simspark_ros.plugins as plugins
assert plugins.Perceptor and plugins.effector
try:
    plugins.TopicPublisher
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60.0, check=True)
    assert "rclpy" in done.stdout
    with pytest.raises(AttributeError, match=r"'simspark_ros\.plugins' has no attribute 'TopicPublishers'"):
        _ = plugins.TopicPublishers


@pytest.mark.usefixtures("installed")
def test_the_commands_of_the_document_exist() -> None:
    lines = "".join(text for _, language, text in BLOCKS if language == "console").splitlines()
    parser = cli.build_parser()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("simspark ")]
    assert [parser.parse_args(words).run is not None for words in commands] == [True] * 4


@pytest.mark.usefixtures("installed")
def test_every_group_that_the_document_lists_is_used_or_explained() -> None:
    listed = re.findall(r"^\| `(simspark_ros\.\w+)` \|", DOCUMENT.read_text(), re.MULTILINE)
    assert listed == re.findall(r"^\| `(simspark_ros\.\w+)` \|", str(plugins.__doc__), re.MULTILINE)
    assert {group for group in listed if not list(entry_points(group=group))} == {"simspark_ros.topics"}
    assert [type(node.itself).__name__ for node in third_party_control_nodes()] == ["FlightLog"]


@pytest.mark.usefixtures("installed")
def test_a_based_on_robot_has_more_of_both_than_its_base() -> None:
    flying, nao = load_robot("robots/flying_nao.yaml", 4), load_robot("nao", 4)
    assert [spec.kind for spec in flying.perceptors] == [*(spec.kind for spec in nao.perceptors), "altimeter"]
    assert [spec.kind for spec in flying.effectors] == [*(spec.kind for spec in nao.effectors), "hop"]


def test_parameters_may_be_lists_and_a_type_that_yaml_lacks_is_named() -> None:
    declared = make_dataclass("Declared", [("joints", list[str]), ("colours", set[str], frozenset())], frozen=True)
    assert build(declared, {"joints": ["hj1"]}, "here").joints == ["hj1"]
    with pytest.raises(UserError, match=r"here: colours: is declared as set\[str\]"):
        build(declared, {"joints": [], "colours": ["red"]}, "here")


@pytest.mark.usefixtures("installed")
def test_a_sensor_without_its_link_is_refused(play: Callable[..., Any]) -> None:
    robot = replace(load_robot("nao"), perceptors=(PerceptorSpec("altimeter", "belly"),))
    with pytest.raises(UserError, match="altimeter 'belly': key 'link' is missing; name one of: torso"):
        play().world.add_robot(robot, (0, 0, 0.4), 0.0)


@pytest.mark.usefixtures("installed")
def test_the_rule_decides(play: Callable[..., Any]) -> None:
    played = play(changes=("rules.order.no_flying=true",))
    handle = played.join()
    played.world.game.set_play_mode(plugins.PlayMode.PLAY_ON)
    played.world.engine.place_robot(handle, (0.0, 0.0, 3.0), (0.0, 0.0, 0.0, 1.0))
    played.run(1)
    assert played.world.game.play_mode is plugins.PlayMode.FREE_KICK_RIGHT


@pytest.mark.usefixtures("installed")
def test_the_drive_moves_its_robot(play: Callable[..., Any]) -> None:
    played = play(engine="planar", referee=False)
    robot = load_robot("robots/sluggish_rover.yaml")
    handle = played.world.add_robot(robot, (0.0, 3.0, robot.spawn_height), 0.0).handle
    for _ in range(50):
        known_effectors()["sluggish"].act(played.world, played.world.robots[handle], (0.5, 0.0, 0.0))
        played.run(1)
    # A second of a lag of half a second; commands take two cycles.
    assert played.world.engine.state.linear_velocity[0, 0] == pytest.approx(0.5 * (1.0 - math.exp(-2.0)), rel=0.05)
    lost = EffectorSpec("sluggish", "", parameters={**robot.effectors[0].parameters, "left": "no_joint"})
    with pytest.raises(UserError, match=r"sluggish.*'no_joint' is not in list"):
        played.world.add_robot(replace(robot, effectors=(lost,)), (2, 3, 0.1), 0.0)


@pytest.mark.usefixtures("installed")
def test_the_engine_has_less_gravity(play: Callable[..., Any]) -> None:
    played = play(engine="moon", referee=False)
    played.world.engine.place_robot(played.join(), (0.0, 0.0, 3.0), (0.0, 0.0, 0.0, 1.0))
    played.run(25)
    fallen = 3.0 - played.world.engine.state.position[0, 2]
    assert fallen == pytest.approx(0.5 * 9.81 / 6 * 0.5**2, rel=0.1)


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_an_agent_hops_and_measures_it() -> None:
    with running("--pacing", "lockstep", "--profile", "robots/profile.yaml") as server:
        command = [sys.executable, "-m", "simspark_ros.cli", "hop", "--port", str(server.agent_port)]
        hopped = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60.0).stdout
        status, errors = server.end()
    # 3 m/s against gravity: 0.46 m.
    assert float(hopped.split()[1]) == pytest.approx(0.46, abs=0.06) and status == 0
    assert "the highest robot was at " in errors
