"""What a start of `simspark serve` makes and imports, which decides its processor time: counted, not timed."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json
import sys

from simspark_ros.cli import main

main(["serve", "--no-ros", "--agent-port", "0", "--monitor-port", "0", "--pacing", "fast", "--duration", "0.02"])
own = {name: module for name, module in sys.modules.items() if name.startswith("simspark_ros.")}
classes = [
    value
    for name, module in own.items()
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__ == name and "__dataclass_params__" in vars(value)
]
print(json.dumps([len(classes), [*sys.modules]]))
"""

MOST_DATACLASSES = 275
"""A dataclass takes 1 ms: its methods are compiled at its definition. A named tuple takes a quarter of that."""

UNNEEDED = {
    "rclpy",
    "pybullet",
    "mujoco",
    "scipy",
    "PIL",
    "simspark_ros.ros",
    "simspark_ros.physics.bullet",
    "simspark_ros.physics.mujoco",
    "simspark_ros.robots.files.group_states",
    "simspark_ros.robots.formats.adaptation.adapt",
    "simspark_ros.robots.formats.mjcf",
    "simspark_ros.robots.formats.sdf",
    "simspark_ros.server.lola.server",
    "simspark_ros.server.game_controller.server",
    "simspark_ros.server.remote.codec",
    "simspark_ros.server.scripting.console",
}
"""Modules that only some servers need."""


@pytest.mark.timeout(120)
def test_a_start_imports_what_it_needs_and_makes_few_dataclasses() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    dataclasses, modules = json.loads(done.stdout.splitlines()[-1])
    assert UNNEEDED & {*modules} == set()
    assert dataclasses <= MOST_DATACLASSES
