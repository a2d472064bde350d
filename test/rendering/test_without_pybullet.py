"""Where PyBullet is missing, programs say so in a line."""

import subprocess
import sys
from pathlib import Path

import pytest

MISSING = "import sys; sys.modules['pybullet'] = None\n"
EXECUTABLE = Path(__file__).parents[2] / "scripts" / "executable.in"
COMMAND = "from simspark_ros.cli import main; sys.exit(main(['view']))"


@pytest.mark.parametrize("module", ["", "simspark_ros.ros.camera.node"])
def test_a_program_names_the_missing_package_without_a_traceback(module: str) -> None:
    program = EXECUTABLE.read_text(encoding="utf-8").replace("@EXECUTABLE_MODULE@", module) if module else COMMAND
    done = subprocess.run([sys.executable, "-c", MISSING + program], capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert "'pybullet'" in done.stderr and "pip install pybullet" in done.stderr
    assert "Traceback" not in done.stderr
