"""Worlds, engines, robots and the sensors of bodies work where the soccer room is absent."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

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
from simspark_ros.perceptors.inertial import AccelerometerPerceptor, GyroscopePerceptor
from simspark_ros.perceptors.joints import HingeJointPerceptor
from simspark_ros.perceptors.rays import LaserPerceptor
from simspark_ros.perceptors.touch import ForceResistancePerceptor
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.loading.furnishing import Furniture
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.worlds.world import World
from simspark_ros.worlds.world_file import load_world

SENSORS = {
    "hinge_joint": HingeJointPerceptor,
    "gyroscope": GyroscopePerceptor,
    "accelerometer": AccelerometerPerceptor,
    "force_resistance": ForceResistancePerceptor,
    "laser": LaserPerceptor,
}

settings, limits = load_world("obstacles"), LimitSettings()
world = World(create_engine("bullet", None, settings.cycle_time), settings, np.random.default_rng(1))
Furniture.of(settings.things, "obstacles", world.types, limits).put_into(world, limits)
things = len(world.robots)
robot = spawn(world, load_robot("nao"), limits, "walker", pose=SpawnPose((-1.0, -2.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
row = world.engine.state.row(robot.handle)
sensed, mounts, start, flag = {}, {}, 0, 0
for index, one in enumerate(world.robots.values()):
    for spec in one.description.perceptors:
        if spec.kind in SENSORS:
            mounts.setdefault(spec.kind, []).append(Mount(one, index, spec, start, flag))
            start, flag = start + len(SENSORS[spec.kind].columns_of(spec)), flag + 1
perceptors = {kind: SENSORS[kind](np.random.default_rng(1)) for kind in mounts}
for kind, perceptor in perceptors.items():
    perceptor.demanded = [mount.key for mount in mounts[kind]]
    perceptor.bind(mounts[kind], world)
head = int(world.engine.state.joint_offset[row])
world.motors.set_velocities(np.array([head]), np.array([0.5]), world.engine.state)
for _ in range(40):
    world.step()
    values, present = np.zeros(start), np.ones(flag, np.bool_)
    for perceptor in perceptors.values():
        perceptor.sense(world, values, present)
    for kind in mounts:
        for mount in mounts[kind]:
            if present[mount.flag]:
                own = values[mount.start : mount.start + len(SENSORS[kind].columns_of(mount.spec))]
                sensed[f"{mount.robot.name} {kind} {mount.spec.name}"] = own.tolist()
print(json.dumps({
    "things": things,
    "name": robot.name,
    "cycle": world.cycle,
    "joint": world.engine.state.joint_position[head],
    "height": world.engine.state.position[row, 2],
    "sensed": sensed,
    "soccer": sorted(name for name in sys.modules if name.startswith("simspark_ros.soccer")),
}))
"""


@pytest.fixture(scope="module")
def told() -> Any:
    """What the program tells of the course after 40 cycles, with the Nao turning its head at 0.5 rad/s."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_world_is_built_from_its_file_and_simulated(told: Any) -> None:
    assert told["soccer"] == []
    assert (told["things"], told["name"], told["cycle"]) == (6, "walker", 40)


def test_joints_inertial_unit_contacts_and_rays_are_read(told: Any) -> None:
    sensed = told["sensed"]
    joints = [value for key, (value,) in ((k, v) for k, v in sensed.items() if k.startswith("walker hinge_joint"))]
    assert len(joints) == 22 and told["joint"] == pytest.approx(joints[0])
    # 40 cycles of 20 ms at 0.5 rad/s; the motor needs some to get there.
    assert told["joint"] == pytest.approx(0.4, abs=0.1)
    (gyroscope,) = (value for key, value in sensed.items() if key.startswith("walker gyroscope"))
    assert max(map(abs, gyroscope)) < 2.0
    (accelerometer,) = (value for key, value in sensed.items() if key.startswith("walker accelerometer"))
    # The robot stands: what is felt is gravity, and a little of its swaying.
    assert accelerometer[2] == pytest.approx(9.81, abs=3.0)
    assert any(key.startswith("walker force_resistance") for key in sensed)
    (laser,) = (value for key, value in sensed.items() if key.startswith("scout laser"))
    # The parcel on the crate, 1.7 m away, is the nearest thing before the scout.
    assert len(laser) == 1 + 181 and min(laser[1:]) == pytest.approx(1.7, abs=0.2)


def test_a_file_without_soccer_gives_the_same_world_to_the_core_and_to_the_game() -> None:
    core, game = load_world("obstacles"), load_soccer_settings("obstacles")
    assert core.scene == game.scene
    for name in ("cycle_time", "create", "max_robots", "clearance"):
        assert getattr(core, name) == getattr(game, name), name
