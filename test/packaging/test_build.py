import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from setuptools import build_meta

import simspark_ros
from simspark_ros.configuration.resources import resource

# All take minutes, and set-up has generated them with the same CMakeLists.txt; `make colcon` by itself builds all.
A_FEW_INTERFACES = (
    *(f"msg/{name}.msg" for name in ("FootContact", "FootContacts", "Resource", "Result", "SimulationState")),
    "srv/SpawnEntity.srv",
    "action/SimulateSteps.action",
)
PROGRAMS = {
    "simulator": "simspark_ros.ros.simulator_node",
    "bridge": "simspark_ros.ros.bridge.node",
    "camera": "simspark_ros.ros.camera.node",
    "viewer": "simspark_ros.ros.viewer",
    "player": "simspark_ros.ros.player.node",
    "simspark": "simspark_ros.cli",
}


def test_the_version_is_the_same_everywhere_and_nothing_of_ros_is_asked_for_in_any_case() -> None:
    assert ElementTree.parse(resource("package.xml")).findtext("version") == simspark_ros.__version__
    assert f"\nversion: {simspark_ros.__version__}\n" in resource("CITATION.cff").read_text()
    for name in ("stress", "conformance", "learning", "matches", "recording", "watching"):
        described = resource(name, "pyproject.toml").read_text()
        assert f'\nversion = "{simspark_ros.__version__}"\n' in described
        assert {*re.findall(r'"simspark_\w+==(.+?)"', described)} == {simspark_ros.__version__}
    required = resource("pyproject.toml").read_text(encoding="utf-8").partition("]")[2].partition("]")[0]
    assert "cython" in required
    assert "ros-" not in required and "cmake" not in required and "catkin" not in required


@pytest.mark.parametrize("name", PROGRAMS)
def test_executables_are_where_ros2_run_looks(name: str) -> None:
    script = Path(sys.prefix) / "lib" / "simspark_ros" / name
    assert os.access(script, os.X_OK)
    assert f"from {PROGRAMS[name]} import main" in script.read_text(encoding="utf-8")


def test_an_executable_takes_the_python_of_its_prefix(tmp_path: Path) -> None:
    template = resource("scripts", "executable.in").read_text(encoding="utf-8")
    script = tmp_path / "lib" / "simspark_ros" / "tool"
    script.parent.mkdir(parents=True)
    script.write_text(template.replace("@EXECUTABLE_MODULE@", "tool_module"), encoding="utf-8")
    script.chmod(0o755)
    program = "import sys\ndef main():\n    print(sys.executable, *sys.argv[1:])\n    return 3\n"
    (script.parent / "tool_module.py").write_text(program, encoding="utf-8")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    run = subprocess.run([script, "a b", "--c"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (3, "")
    assert os.path.normpath(run.stdout) == f"{tmp_path}/bin/python3 a b --c\n"


def test_nothing_installed_names_the_folder_it_was_built_in() -> None:
    shared = Path(sys.prefix) / "share"
    for path in [*shared.glob("simspark_ros/**/*"), *shared.glob("ament_index/**/simspark_ros")]:
        if path.is_file():
            assert not re.search(rb"/interfaces/(stage|build)", path.read_bytes()), path


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_colcon_builds_the_package() -> None:
    # What a build of all interfaces has left does not link with a few.
    command = ["make", "--no-print-directory", "colcon", f"VENV={sys.prefix}", "COLCON=.colcon/few"]
    # Neither the make that may have started this test nor the libraries of this environment are colcon's business.
    hidden = ("MAKE", "_ROS_", "LD_LIBRARY")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment["INTERFACES"] = ";".join(A_FEW_INTERFACES)
    run = subprocess.run(command, cwd=resource(), env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = spec_from_file_location("build_backend", resource("scripts", "build_backend.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    # Setuptools would run setup.py.
    for kind in ("wheel", "editable"):
        monkeypatch.setattr(build_meta, f"get_requires_for_build_{kind}", lambda settings: ["wheel"])
    return module


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_cmake_and_ros_are_asked_for_where_messages_are_built(backend: Any, kind: str, monkeypatch) -> None:
    ask = getattr(backend, f"get_requires_for_build_{kind}")
    monkeypatch.delenv("SIMSPARK_WITHOUT_ROS", raising=False)
    asked = ask()
    assert any(line.startswith("cmake") for line in asked) and any(line.startswith("ros-") for line in asked)
    monkeypatch.setenv("SIMSPARK_WITHOUT_ROS", "1")
    assert ask() == ["wheel"]


OF_FORMATS = "catkin_pkg is not installed"


def test_the_changelog_of_releases_has_the_versions_of_the_other_one() -> None:
    changelog = pytest.importorskip("catkin_pkg.changelog", reason=OF_FORMATS)
    read = changelog.get_changelog_from_path(str(resource("CHANGELOG.rst")), "simspark_ros")
    dated = {version: f"{date:%Y-%m-%d}" for version, date, _ in read.foreach_version()}
    own = resource("CHANGELOG.md").read_text(encoding="utf-8")
    assert dated == dict(re.findall(r"^## (\d\S*) \((\S+)\)$", own, re.MULTILINE))
    # catkin_prepare_release gives this heading the version and the day.
    assert "\nForthcoming\n-----------\n" in resource("CHANGELOG.rst").read_text(encoding="utf-8")


@pytest.mark.parametrize("distribution", ["humble", "jazzy", "kilted"])
def test_the_manifest_is_valid_and_has_the_standard_interfaces_that_a_distribution_has(distribution: str) -> None:
    package = pytest.importorskip("catkin_pkg.package", reason=OF_FORMATS)
    manifest = package.parse_package(str(resource("package.xml")))
    manifest.validate()
    manifest.evaluate_conditions({"ROS_DISTRO": distribution})
    needed = {one.name for one in manifest.exec_depends if one.evaluated_condition}
    assert {"simulation_interfaces", "control_msgs", "soccer_vision_2d_msgs", "visualization_msgs"} <= needed
    # Neither is released for Humble.
    assert ({"nao_lola_sensor_msgs", "soccer_model_msgs"} <= needed) is (distribution != "humble")
    # The generators of packages for apt refuse keys of pip.
    assert not [name for name in needed if name.endswith("-pip")]
    assert {one.name for one in manifest.test_depends} >= {"python3-pytest"}
