"""Worlds, engines, robots and the sensors of bodies work where the soccer room is absent.

That none of them imports it is a contract of `lint-imports`.
"""

import json
import subprocess
import sys

import pytest

from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.worlds.world_file import load_world

PROGRAM = """
import json
import sys

class NoSoccer:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("simspark_ros.soccer"):
            raise ImportError(f"{name} is absent")

sys.meta_path.insert(0, NoSoccer())

import numpy as np
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.perceptors.base import Mount
from simspark_ros.perceptors.rays import LaserPerceptor
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.loading.furnishing import Furniture
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.worlds.world import World
from simspark_ros.worlds.world_file import load_world

settings, limits = load_world("obstacles"), LimitSettings()
world = World(create_engine("bullet", None, settings.cycle_time), settings, np.random.default_rng(1))
Furniture.of(settings.things, "obstacles", world.types, limits).put_into(world)
things = len(world.robots)
robot = spawn(world, load_robot("nao"), limits, "walker", pose=SpawnPose((-1.0, -2.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
row, scout = next((row, one) for row, one in enumerate(world.robots.values()) if one.name == "scout")
(spec,) = [spec for spec in scout.description.perceptors if spec.kind == "laser"]
laser, mount = LaserPerceptor(np.random.default_rng(1)), Mount(scout, row, spec, 0, 0)
laser.demanded = [mount.key]
laser.bind([mount], world)
head = int(world.engine.state.joint_offset[world.engine.state.row(robot.handle)])
world.motors.set_velocities(np.array([head]), np.array([0.5]), world.engine.state)
for _ in range(40):
    world.step()
    values, present = np.zeros(len(LaserPerceptor.columns_of(spec))), np.ones(1, np.bool_)
    laser.sense(world, values, present)
    ranges = values[1:].tolist() if present[0] else ranges
print(json.dumps({
    "things": things,
    "name": robot.name,
    "joint": world.engine.state.joint_position[head],
    "ranges": ranges,
    "soccer": sorted(name for name in sys.modules if name.startswith("simspark_ros.soccer")),
}))
"""


def test_a_world_is_built_from_its_file_simulated_and_sensed() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["soccer"], told["things"], told["name"]) == ([], 6, "walker")
    # 40 cycles of 20 ms at 0.5 rad/s; the motor needs some to get there.
    assert told["joint"] == pytest.approx(0.4, abs=0.1)
    # The parcel on the crate, 1.7 m away, is the nearest thing before the scout.
    assert len(told["ranges"]) == 181 and min(told["ranges"]) == pytest.approx(1.7, abs=0.2)


def test_a_file_without_soccer_gives_the_same_world_to_the_core_and_to_the_game() -> None:
    core, game = load_world("obstacles"), load_soccer_settings("obstacles")
    assert core.scene == game.scene
    for name in ("cycle_time", "create", "max_robots", "clearance"):
        assert getattr(core, name) == getattr(game, name), name
