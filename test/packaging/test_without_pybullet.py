"""What runs where PyBullet is not installed, as after `rosdep install`: all but its engine; pictures need OpenGL."""

import subprocess
import sys
from pathlib import Path

import pytest

from test.physics.engine_availability import skip_without
from test.rendering.conftest import skip_without_opengl

PROGRAM = """
import sys
sys.modules["pybullet"] = sys.modules["moderngl"] = None
import simspark_ros.server.composition
try:
    import simspark_ros.ros.simulator_node
except ImportError as error:
    assert "rclpy" in str(error)
from simspark_ros.arena import Arena
arena = Arena("nao")
arena.step(25)
print(arena)
arena.render()
"""


def test_a_robot_lives_on_ode_and_pictures_name_the_package() -> None:
    skip_without("ode")
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout == "<Arena on ode, world soccer, t = 0.50 s: nao>\n", done.stderr
    assert "pictures need the package 'pybullet' with every engine" in done.stderr.splitlines()[-1]


def test_opengl_draws_without_pybullet() -> None:
    skip_without_opengl()
    program = 'import sys\nsys.modules["pybullet"] = None\nfrom simspark_ros.arena import Arena\n'
    program += 'print(Arena("differential", engine="planar").render(width=64, height=48).shape)'
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("(48, 64, 3)\n", "")


MISSING = "import sys; sys.modules['pybullet'] = sys.modules['moderngl'] = None\n"
EXECUTABLE = Path(__file__).parents[2] / "scripts" / "executable.in"
COMMAND = "from simspark_ros.cli import main; sys.exit(main(['robot', 'inspect', 'nao', '--picture', 'nao.png']))"


@pytest.mark.parametrize("module", ["", "simspark_ros.ros.camera.node"])
def test_a_program_names_the_missing_package_without_a_traceback(module: str) -> None:
    program = EXECUTABLE.read_text(encoding="utf-8").replace("@EXECUTABLE_MODULE@", module) if module else COMMAND
    done = subprocess.run([sys.executable, "-c", MISSING + program], capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert "'pybullet'" in done.stderr and "pip install pybullet" in done.stderr
    assert "Traceback" not in done.stderr
