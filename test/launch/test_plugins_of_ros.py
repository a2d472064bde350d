"""A ROS installation beside the wheels brings plug-ins for pytest that do not load with a newer pytest."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_plugins_of_a_ros_installation_are_left_out(tmp_path: Path) -> None:
    names = ("launch_testing", "launch_ros", "launch_pytest")
    (tmp_path / "broken.py").write_text("raise RuntimeError('does not load')\n")
    about = tmp_path / "installed-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: installed\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pytest11]\n" + "".join(f"{name} = broken\n" for name in names))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "test/configuration/test_c_library.py"]
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stdout + found.stderr
