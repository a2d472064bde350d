"""Engines, robots and what world files hold work where the soccer room is absent; perceptors and simulation need it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys

class NoSoccer:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("simspark_ros.soccer"):
            raise ImportError(f"{name} is absent")

sys.meta_path.insert(0, NoSoccer())

import numpy as np
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import build, read_yaml
from simspark_ros.physics.model import SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.motors import Motors
from simspark_ros.robots.objects import object_description
from simspark_ros.worlds.settings import ThingsFile

document = read_yaml(resource("config", "worlds", "obstacles.yaml"))
things = build(ThingsFile, {key: value for key, value in document.items() if key != "based_on"}, "obstacles")
engine, motors = create_engine("bullet"), Motors()
engine.load_scene(SceneModel(None, (), things.standing, things.ground_surface, things.gravity))
for name, thing in things.objects.items():
    engine.add_robot(object_description(name, thing.settings(things.materials)).model, thing.position)
engine.add_robot(load_robot("nao").model, (-1.0, 0.0, 0.39))
motors.rebind(engine.state)
for _ in range(10):
    engine.step(motors.control(engine.state, engine.cycle_time))
hits = engine.cast_rays(np.array([[2.5, -2.5, 3.0]]), np.array([[0.0, 0.0, -1.0]]), 10.0)
print(len(engine.state.handles), bool(np.isfinite(engine.state.position).all()), int(hits.target[0]))
"""


def test_the_course_is_simulated_with_the_soccer_room_absent() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout.split() == ["5", "True", "2"], done.stderr
