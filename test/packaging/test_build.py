"""What the builds install, and that the files which describe the package agree."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

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


def test_the_version_is_the_same_everywhere() -> None:
    assert ElementTree.parse(resource("package.xml")).findtext("version") == simspark_ros.__version__
    assert f"\nversion: {simspark_ros.__version__}\n" in resource("CITATION.cff").read_text()
    for name in ("stress", "conformance", "learning", "matches", "recording", "watching"):
        described = resource(name, "pyproject.toml").read_text()
        assert f'\nversion = "{simspark_ros.__version__}"\n' in described
        assert {*re.findall(r'"simspark_\w+==(.+?)"', described)} == {simspark_ros.__version__}


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
    (script.parent / "tool_module.py").write_text(
        "import sys\ndef main():\n    print(sys.executable, *sys.argv[1:])\n    return 3\n", encoding="utf-8"
    )
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
    run = subprocess.run(
        # What a build of all interfaces has left does not link with a few.
        ["make", "--no-print-directory", "colcon", f"VENV={sys.prefix}", "COLCON=.colcon/few"],
        cwd=resource(),
        # Neither the make that may have started this test nor the libraries of this environment are colcon's business.
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "_ROS_", "LD_LIBRARY"))}
        | {"INTERFACES": ";".join(A_FEW_INTERFACES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
