"""What runs where PyBullet is not installed, as after `rosdep install`: all but its engine and pictures."""

import subprocess
import sys

from test.physics.engine_availability import skip_without

PROGRAM = """
import sys
sys.modules["pybullet"] = None
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
