"""What a build farm runs after `rosdep install` passes there: with packages of apt alone."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys
missing = ["cython", "Cython", "re2", "pybullet", "moderngl", "mujoco", "rclpy", "trimesh", "viser", "gymnasium"]
missing += [f"simspark_{part}" for part in ("conformance", "learning", "matches", "recording", "stress", "watching")]
sys.modules.update(dict.fromkeys(missing))
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


def rooms() -> list[str]:
    """Folders of tests that CMakeLists.txt names for BUILD_TESTING."""
    found = re.search(r"foreach\(_room ([a-z ]+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert found is not None
    return found[1].split()


@pytest.mark.parametrize("room", rooms())
def test_a_room_passes_without_the_packages_of_pip(room: str) -> None:
    program = [sys.executable, "-c", PROGRAM, f"test/{room}"]
    ended = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr
